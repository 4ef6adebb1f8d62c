#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's CPU provider behind the exec protocol: a model of one Conv for each problem. Weights and bias are
// constants of the model, which the library may rearrange; with the argument "inputs" they are inputs. With "wasm",
// onnxruntime-web computes in WebAssembly. `npm ci --ignore-scripts` in this folder installs both.
'use strict';

const {ConvolutionBackend, readElements, serve, writeElements} = require('../exec/concord_exec_js');
const {modelOf} = require('./onnx_model.js');

const TYPES = { // numbers of TensorProto.DataType, and what the library's interface for JavaScript calls them
  f32: {number: 1, name: 'float32', array: Float32Array},
  f16: {number: 10, name: 'float16', array: Uint16Array},
};
const CONFIGS = {
  '': {module: 'onnxruntime-node', provider: 'cpu', isConstant: true},
  inputs: {module: 'onnxruntime-node', provider: 'cpu', isConstant: false},
  wasm: {module: 'onnxruntime-web', provider: 'wasm', isConstant: true},
};
const LARGEST_COPY = 2 ** 26;

class OnnxRuntime extends ConvolutionBackend {
  name = 'onnxruntime';
  dtypes = Object.keys(TYPES);
  adapterPart = 'auto_pad of dilated kernels and of strides that skip inputs at the end, layout of tensors';

  constructor(config) {
    super();
    this.config = config;
    this.ort = require(config.module);
    const {versions, wasm} = this.ort.env;
    this.version = versions.web ?? versions.node;
    this.implementation = `Conv, ${config.provider}, weights ${config.isConstant ? 'constant' : 'as inputs'}`;
    // The sums of f32 are split by the number of threads; WebAssembly has one here.
    this.sameBitsAnyThreads = config.provider === 'wasm';
    if (config.provider === 'wasm') wasm.numThreads = 1;
  }

  refusal(g) {
    if (g.src.includes(0) || g.weights.includes(0)) {
      return `a tensor without elements: src ${g.src}, weights ${g.weights}`;
    }
    const padded = g.sizes.reduce((all, size, i) => all * (size + g.padsBegin[i] + g.padsEnd[i]), 1);
    return g.src[0] * g.src[1] * padded > LARGEST_COPY ? 'the padded src would not fit in memory' : null;
  }

  attributesOf(g) {
    const common = {kernel_shape: g.kernel, strides: g.strides, dilations: g.dilations, group: g.groups};
    // SAME of a dilated kernel makes a session, which then refuses to run. Where a stride leaves inputs over, ONNX's
    // formula gives a negative padding, by which ONNX Runtime crops (microsoft/onnxruntime#10086); here it is none.
    const isOwn = g.autoPad === 'valid' || (g.autoPad.startsWith('same') && g.reading !== 'documented' &&
      g.dilations.every(dilation => dilation === 1) &&
      g.extents.every((extent, i) => (extent - 1) * g.strides[i] + g.kernel[i] >= g.sizes[i]));
    return isOwn ? {...common, auto_pad: g.autoPad.toUpperCase()} :
      {...common, pads: [...g.padsBegin, ...g.padsEnd]};
  }

  /** A session for these constants, or the one at hand if it is the same. */
  async sessionOf(g, constants) {
    const {number} = TYPES[g.dtype];
    const inputs = [{name: 'x', dims: g.src}, {name: 'w', dims: g.weights}, {name: 'b', dims: [g.weights[0]]}];
    constants.forEach((data, i) => { inputs[i + 1].data = data; });
    const model = modelOf('Conv', inputs.slice(0, g.hasBias ? 3 : 2), number, g.dst, this.attributesOf(g));
    if (this.session === undefined || !model.equals(this.model) || g.threads !== this.threads) {
      await this.session?.release();
      this.session = undefined;
      const options = {
        executionProviders: [this.config.provider], intraOpNumThreads: g.threads, interOpNumThreads: 1,
      };
      this.session = await this.ort.InferenceSession.create(model, options);
      Object.assign(this, {model, threads: g.threads});
    }
    return this.session;
  }

  async convolve(g, src, weights, bias) {
    const {array, name} = TYPES[g.dtype];
    const toTyped = values => {
      const typed = new array(values.length);
      writeElements(values, Buffer.from(typed.buffer), g.dtype);
      return typed;
    };
    const typed = [src, weights, ...(bias === null ? [] : [bias])].map(toTyped);
    const constants = this.config.isConstant ? typed.slice(1).map(each => Buffer.from(each.buffer)) : [];
    const session = await this.sessionOf(g, constants);
    const dims = [g.src, g.weights, [g.weights[0]]], feeds = {};
    typed.slice(0, typed.length - constants.length).forEach((data, i) => {
      feeds['xwb'[i]] = new this.ort.Tensor(name, data, dims[i]);
    });
    const {y} = await session.run(feeds);
    if (String(y.dims) !== String(g.dst)) throw new Error(`Conv returned ${y.dims}; expected ${g.dst}`);
    const {buffer, byteOffset, byteLength} = y.data;
    return readElements(Buffer.from(buffer, byteOffset, byteLength), g.dtype);
  }
}

const config = CONFIGS[process.argv[2] ?? ''];
if (config === undefined) {
  console.error(`this program knows the arguments ${Object.keys(CONFIGS).slice(1)}, not '${process.argv[2]}'`);
  process.exit(1);
}
serve(new OnnxRuntime(config));
