#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden vectors from layers of trained networks on real data, by ONNX Runtime in f32 and f16.

Needs python3-onnx, python3-scipy and python3-skimage; first, in producers/onnxruntime and in
producers/networks: npm ci --ignore-scripts
"""

import network_layers
import onnxruntime_cpu
import runtime
import writing


def main():
    out = writing.VectorSet("networks_onnxruntime", "ONNX Runtime, CPU provider", runtime.VERSION,
                            "2026-11-21", network_layers.LICENCE)
    onnxruntime = runtime.OnnxRuntime()

    def ask(p, src, weights, bias):
        return onnxruntime_cpu.ask(onnxruntime, p, src, weights, bias)

    layers = list(network_layers.cut_layers(onnxruntime))
    for name, p, tensors, source in network_layers.vectors(layers, ("f32", "f16"), ask):
        out.add(name, p, tensors, "arithmetic", "strict", source)
    onnxruntime.close()
    out.write()


if __name__ == "__main__":
    main()
