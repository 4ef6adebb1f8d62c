#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden vectors from layers of trained networks on real data, by oneDNN in bf16.

Needs what onednn_bf16.py and networks_onnxruntime.py need: the activations are ONNX Runtime's.
"""

import network_layers
import onednn_bf16
import runtime
import writing


def main():
    out = writing.VectorSet("networks_onednn", f"oneDNN, ONEDNN_MAX_CPU_ISA={onednn_bf16.ISA_NAME}",
                            onednn_bf16.VERSION, "2026-11-21", network_layers.LICENCE)
    onnxruntime, onednn = runtime.OnnxRuntime(), onednn_bf16.OneDnn()
    layers = list(network_layers.cut_layers(onnxruntime))
    for name, p, tensors, source in network_layers.vectors(layers, ("bf16",), onednn.ask):
        out.add(name, p, tensors, "arithmetic", onednn_bf16.ARITHMETIC, source)
    onnxruntime.close()
    onednn.close()
    out.write()


if __name__ == "__main__":
    main()
