#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// TensorFlow.js behind the exec protocol: conv1d, conv2d, conv3d and depthwiseConv2d, spaceToBatchND and
// batchToSpaceND, in f32. Arguments: none for the backend "cpu", which is JavaScript; "wasm" and "wasm_scalar" for
// WebAssembly with and without SIMD. `npm ci --ignore-scripts` in this folder installs it.
//
// SAME is TensorFlow's own where it is SAME_UPPER. Other padding is passed as numbers; conv3d, which takes none, gets
// an image padded by tf.pad.
'use strict';

const tf = require('@tensorflow/tfjs-core');

const {
  Geometry, checkTensors, declines, invalid, pack, serve, unpack,
} = require('../exec/concord_exec_js');

const LARGEST_COPY = 2 ** 26;
const LARGEST_RATE = 2 ** 31 - 1;
const LARGEST_INT64 = 2n ** 63n - 1n;
const CONFIGS = {
  '': {backend: 'cpu', part: 'cpu'},
  wasm: {backend: 'wasm', part: 'wasm with SIMD', hasSimd: true},
  wasm_scalar: {backend: 'wasm', part: 'wasm without SIMD', hasSimd: false},
};

const product = values => values.reduce((all, value) => all * value, 1);
const identity = dims => dims.map((_, axis) => axis);
const isDepthwise = g => g.groups > 1 && g.groups === g.src[1] && g.rank === 2;

/** A tensor of the library with the axes of `tensor` in the order of `axes`. */
function load(tensor, axes) {
  return tf.tensor(unpack(tensor, 'f32', axes), axes.map(axis => Number(tensor.dims[axis])), 'float32');
}

/** Runs compute(x, w, ...) on tensors of the library, and stores its result; how long it took. */
function run(compute, inputs, dst, axes) {
  return tf.tidy(() => {
    const begin = performance.now();
    const result = compute(...inputs).dataSync();
    const seconds = (performance.now() - begin) / 1000;
    if (result.length !== product(dst.dims.map(Number))) {
      throw new Error(`the library returned ${result.length} elements for dst ${dst.dims}`);
    }
    pack(result, dst, 'f32', axes);
    return seconds;
  });
}

/** Refuses shapes that contradict a stated dst. */
function checkDst(problem, expected) {
  const stated = problem.outputs[0];
  if (stated !== null && String(stated.dims) !== String(expected)) {
    throw invalid(`dst is ${stated.dims}; expected ${expected}`);
  }
}

/** The dims of a tensor of `rank` axes, small enough for a copy. */
function dimsOf(name, tensor, rank) {
  if (tensor.dims.length !== rank) throw invalid(`${name} has ${tensor.dims.length} axes; expected ${rank}`);
  const dims = tensor.dims.map(Number);
  if (product(dims) > LARGEST_COPY) throw declines(`${name} would not fit in memory`);
  if (dims.includes(0)) throw declines(`${name} has no elements: ${dims}`);
  return dims;
}

/** Convolution1, Convolution and AtrousConv2d. */
class Convolution {
  constructor(problem, config) {
    const g = new Geometry(problem.operation === 'AtrousConv2d' ? Convolution.ofAtrous(problem) : problem);
    const reason = Convolution.refusal(g);
    if (reason !== null) throw declines(reason);
    this.g = g;
    this.dims = g.dstDims;
    this.name = isDepthwise(g) ? 'depthwiseConv2d' : `conv${g.rank}d`;
    this.part = 'auto_pad but for SAME_UPPER, layout of tensors' +
      (g.rank === 3 ? ', explicit padding by tf.pad' : '');
    // The other backend, and the other functions, know channels last alone.
    this.isChannelsFirst = config.backend === 'cpu' && this.name === 'conv2d' && g.dataFormat === 'NCX';
    const [n, c, ...spatial] = g.dataAxes, [oc, ic, ...taps] = g.weightsAxes;
    this.dataAxes = this.isChannelsFirst ? g.dataAxes : [n, ...spatial, c];
    this.weightsAxes = [...taps, ic, oc];
  }

  static ofAtrous(problem) {
    const {rate, padding} = problem.attributes;
    if (problem.inputs.length !== 2) throw invalid('atrous_conv2d has no bias');
    if (problem.inputs.some(tensor => tensor.dims.length !== 4)) throw invalid('value and filters have four axes');
    if (!['SAME', 'VALID'].includes(padding)) throw invalid(`padding is ${padding}`);
    if (!(rate >= 1 && rate <= LARGEST_RATE)) throw invalid(`rate is ${rate}`);
    if (problem.reading === 'documented') throw declines('the shape of VALID and the padding of SAME as printed');
    const attributes = {
      strides: [1, 1], dilations: [rate, rate], auto_pad: padding === 'SAME' ? 'same_upper' : 'valid', groups: 1,
      data_format: 'NXC', weights_format: 'XIO',
    };
    return {...problem, operation: 'Convolution', attributes};
  }

  static refusal(g) {
    if (!g.isExact) return 'a size or attribute above 2^53';
    if (g.rank > 3) return 'more than three spatial axes';
    if (g.groups > 1 && !isDepthwise(g)) return 'groups, other than of one channel each with two axes';
    if (g.strides.some(s => s > 1) && g.dilations.some(d => d > 1)) return 'strides and dilations both above 1';
    if (g.src.includes(0) || g.weights.includes(0)) {
      return `a tensor without elements: src ${g.src}, weights ${g.weights}`;
    }
    const padded = g.sizes.map((size, axis) => size + g.padsBegin[axis] + g.padsEnd[axis]);
    return g.src[0] * g.src[1] * product(padded) > LARGEST_COPY ? 'the padded src would not fit in memory' : null;
  }

  /** What the library's functions take as `pad`. */
  get pad() {
    const {g} = this;
    if (g.autoPad === 'same_upper' && g.reading !== 'documented') return 'same';
    const pairs = g.padsBegin.map((begin, axis) => [begin, g.padsEnd[axis]]);
    if (pairs.every(pair => Math.max(...pair) === 0)) return 'valid';
    while (pairs.length < 2) pairs.unshift([0, 0]); // conv1d is a conv2d of one row
    return this.isChannelsFirst ? [[0, 0], [0, 0], ...pairs] : [[0, 0], ...pairs, [0, 0]];
  }

  /** dst of tensors; bias may be missing. */
  call(x, filter, bias) {
    const {g, pad} = this, {strides, dilations} = g;
    if (g.rank === 2) {
      const dataFormat = this.isChannelsFirst ? 'NCHW' : 'NHWC';
      if (!isDepthwise(g)) return tf.fused.conv2d({x, filter, strides, pad, dataFormat, dilations, bias});
      const [height, width, , oc] = filter.shape;
      const perChannel = tf.reshape(filter, [height, width, g.groups, oc / g.groups]);
      return tf.fused.depthwiseConv2d({x, filter: perChannel, strides, pad, dataFormat, dilations, bias});
    }
    const y = g.rank === 1 ? tf.conv1d(x, filter, strides[0], pad, 'NWC', dilations[0]) :
      typeof pad === 'string' ? tf.conv3d(x, filter, strides, pad, 'NDHWC', dilations) :
        tf.conv3d(tf.pad(x, pad), filter, strides, 'valid', 'NDHWC', dilations);
    return bias === undefined ? y : tf.add(y, bias);
  }

  compute(inputs, dst) {
    if (this.g.isEmpty) return 0;
    const axes = [this.dataAxes, this.weightsAxes, [0]];
    const tensors = inputs.map((tensor, i) => load(tensor, axes[i]));
    return run((...all) => this.call(...all), tensors, dst, this.dataAxes);
  }
}

/** SpaceToBatch and BatchToSpace. */
class Blocks {
  part = 'layout of tensors';

  constructor(problem) {
    const {attributes: {block_size: size, paddings, crops}, inputs: [src]} = problem;
    const edges = paddings ?? crops;
    this.isToBatch = paddings !== undefined;
    this.name = this.isToBatch ? 'spaceToBatchND' : 'batchToSpaceND';
    if (!(size >= 1)) throw invalid(`block_size is ${size}`);
    if (edges.length !== 4 || edges.some(edge => edge < 0)) throw invalid(`paddings or crops are ${edges}`);
    const [n, h, w, c] = dimsOf('src', src, 4), block = Number(size);
    const [top, bottom, left, right] = edges.map(Number);
    if (block > LARGEST_RATE || (h + top + bottom) * (w + left + right) * n * c > LARGEST_COPY) {
      throw declines('a block size or padding beyond any image in memory');
    }
    this.dims = this.isToBatch ?
      [n * block * block, (h + top + bottom) / block, (w + left + right) / block, c] :
      [n / (block * block), h * block - top - bottom, w * block - left - right, c];
    if (!this.dims.every(extent => Number.isInteger(extent) && extent >= 0)) {
      throw invalid(`block size ${block} with ${edges} makes ${this.dims} of ${src.dims}`);
    }
    checkDst(problem, this.dims);
    this.block = [block, block];
    this.edges = [[top, bottom], [left, right]];
  }

  compute([src], dst) {
    if (this.dims.includes(0)) return 0;
    return run(x => tf[this.name](x, this.block, this.edges), [load(src, identity(src.dims))], dst,
      identity(dst.dims));
  }
}

/** AtrousChain: convolutions in sequence or, as documented, between one spaceToBatchND and one batchToSpaceND. */
class Chain {
  part = 'layout of tensors, paddings of spaceToBatchND';

  constructor(problem) {
    const {attributes: {rate}, inputs: [src, weights], reading} = problem;
    if (!(rate >= 1 && rate <= LARGEST_RATE)) throw invalid(`rate is ${rate}`);
    const dims = dimsOf('value', src, 4), filters = dimsOf('filters', weights, 5);
    const [n, h, w, c] = dims, [, kh, kw, ic, oc] = filters;
    if (ic !== c || oc !== c) throw invalid(`filters ${filters} of value ${dims}`);
    if (kh % 2 === 0 || kw % 2 === 0) throw invalid(`filters have an even side: ${kh}x${kw}`);
    if (BigInt(n) * BigInt(rate) ** 2n > LARGEST_INT64) throw invalid(`the phases of rate ${rate} overflow 64 bits`);
    checkDst(problem, dims);
    this.dims = dims;
    this.rate = rate;
    this.isShortcut = reading === 'documented';
    this.name = this.isShortcut ? 'conv2d between spaceToBatchND and batchToSpaceND' : 'conv2d in sequence';
    this.excess = [h, w].map(extent => (rate - extent % rate) % rate);
    if (this.isShortcut && n * c * (h + this.excess[0]) * (w + this.excess[1]) > LARGEST_COPY) {
      throw declines('the phases would not fit in memory');
    }
  }

  call(value, filters) {
    const block = [this.rate, this.rate], edges = this.excess.map(extent => [0, extent]);
    const layers = tf.unstack(filters), dilation = this.isShortcut ? 1 : this.rate;
    const first = this.isShortcut ? tf.spaceToBatchND(value, block, edges) : value;
    const last = layers.reduce((x, filter) => tf.conv2d(x, filter, 1, 'same', 'NHWC', dilation), first);
    return this.isShortcut ? tf.batchToSpaceND(last, block, edges) : last;
  }

  compute([src, weights], dst) {
    const tensors = [src, weights].map(tensor => load(tensor, identity(tensor.dims)));
    return run((...all) => this.call(...all), tensors, dst, identity(dst.dims));
  }
}

const OPERATIONS = {
  Convolution1: Convolution, Convolution, AtrousConv2d: Convolution, SpaceToBatch: Blocks, BatchToSpace: Blocks,
  AtrousChain: Chain,
};

class TensorFlow {
  name = 'tfjs';
  version = tf.version_core;

  constructor(config) {
    this.config = config;
  }

  plan(problem) {
    return new OPERATIONS[problem.operation](problem, this.config);
  }

  query(problem) {
    if (!(problem.operation in OPERATIONS)) throw declines(`the operation ${problem.operation} is not served`);
    if (problem.dtype !== 'f32') throw declines(`the dtype ${problem.dtype} is not served`);
    checkTensors(problem);
    const plan = this.plan(problem);
    return {
      dst_dims: plan.dims, same_bits_any_threads: true, bits_vary_by_run: false,
      adapter_part: plan.part, implementation: `${plan.name}, ${this.config.part}`,
    };
  }

  prepare(problem) {
    const plan = this.plan(problem);
    return (inputs, dst) => tf.tidy(() => plan.compute(inputs, dst));
  }
}

/** Loads the backend of a configuration, and serves it. */
async function main(argument) {
  const config = CONFIGS[argument];
  if (config === undefined) throw new Error(`this program knows the arguments ${Object.keys(CONFIGS)}, not ${argument}`);
  require(`@tensorflow/tfjs-backend-${config.backend}`);
  if ('hasSimd' in config) tf.env().set('WASM_HAS_SIMD_SUPPORT', config.hasSimd);
  if (!await tf.setBackend(config.backend)) throw new Error(`TensorFlow.js has no backend ${config.backend} here`);
  await serve(new TensorFlow(config));
}

main(process.argv[2] ?? '').catch(error => {
  console.error(error.message);
  process.exit(1);
});
