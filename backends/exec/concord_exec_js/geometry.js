// SPDX-License-Identifier: Apache-2.0
// The geometry of Convolution1 and Convolution: checked, SAME resolved, channels first.
'use strict';

const {LARGEST, declines, invalid, larger, list} = require('./problem.js');

/** An attribute that is not among these is newer than this file, and harmless where it is 0. */
const KNOWN = ['strides', 'pads_begin', 'pads_end', 'dilations', 'auto_pad', 'groups',
  'data_format', 'weights_format', 'filter_format'];

const divideUp = (a, b) => (a + b - 1n) / b;
/** Rounds to minus infinity, as the documents do; BigInt division truncates. */
const divideDown = (a, b) => (a >= 0n ? a / b : -divideUp(-a, b));

/** The padding before and after an axis under same_upper or same_lower. */
function samePadding(size, dilated, stride, autoPad, reading) {
  // As documented: as many outputs as inputs before the stride thins them.
  const total = reading === 'documented' ?
    dilated - 1n : larger((divideUp(size, stride) - 1n) * stride + dilated - size, 0n);
  const before = autoPad === 'same_upper' ? total / 2n : total - total / 2n;
  return [before, total - before];
}

/** The axes of src and of weights in the order [N, C, spatial...] and [OC, IC/G, spatial...]. */
function axesOf(dataFormat, weightsFormat, rank) {
  const all = [...Array(rank).keys()];
  return {
    data: dataFormat === 'NXC' ? [0, rank - 1, ...all.slice(1, rank - 1)] : all,
    weights: weightsFormat === 'XIO' ? [rank - 1, rank - 2, ...all.slice(0, rank - 2)] : all,
  };
}

const isSafe = value => value >= -BigInt(Number.MAX_SAFE_INTEGER) &&
  value <= BigInt(Number.MAX_SAFE_INTEGER);

/**
 * What a convolution needs to know; throws Refused if the problem violates its specification. All
 * lists are outermost axis first, and whatever the formats are:
 *
 * operation, dtype, reading      as in the problem
 * rank                           how many spatial axes
 * src, weights, dst              [N, IC, size...], [OC, IC/G, kernel...], [N, OC, extent...]
 * groups, hasBias
 * sizes, kernel, extents         of the spatial axes of src, weights and dst
 * strides, dilations             dilation 1 is dense
 * padsBegin, padsEnd             what auto_pad means is already resolved
 * dstDims                        dst's shape in the problem's own data_format, for the answer
 * dataAxes, weightsAxes          which axis of the tensor comes first, second, ... channels first
 * autoPad, dataFormat, weightsFormat   as the user wrote them
 * isExact                        false: one of these numbers is beyond 2^53 - 1, and rounded
 * exact                          the lists again, as BigInt
 */
class Geometry {
  constructor(problem) {
    if (!['Convolution1', 'Convolution'].includes(problem.operation)) {
      throw declines(`the operation ${problem.operation} is not served`);
    }
    const {operation, dtype, reading, attributes, inputs, outputs} = problem;
    for (const [key, value] of Object.entries(attributes)) {
      if (!KNOWN.includes(key) && [value].flat().some(Boolean)) {
        throw declines(`the attribute ${key} is not served`);
      }
    }
    this.rank = inputs[0].dims.length - 2;
    if (this.rank < 1 || inputs[1].dims.length !== inputs[0].dims.length) {
      throw invalid(`src has ${inputs[0].dims.length} dimensions and weights has ` +
                    `${inputs[1].dims.length}`);
    }
    // Convolution1 calls it filter_format.
    const weightsFormat = attributes.weights_format ?? attributes.filter_format;
    const axes = axesOf(attributes.data_format, weightsFormat, this.rank + 2);
    Object.assign(this, {
      operation, dtype, reading, weightsFormat, dataFormat: attributes.data_format,
      autoPad: attributes.auto_pad, hasBias: inputs.length === 3, dataAxes: axes.data,
      weightsAxes: axes.weights,
    });
    this.src = this.dataAxes.map(axis => BigInt(inputs[0].dims[axis]));
    this.weights = this.weightsAxes.map(axis => BigInt(inputs[1].dims[axis]));
    this.groups = BigInt(attributes.groups);
    this.#checkChannels(inputs[2]);
    this.#resolve(attributes);
    this.dst = [this.src[0], this.weights[0], ...this.extents];
    this.dstDims = [];
    this.dataAxes.forEach((axis, i) => { this.dstDims[axis] = this.dst[i]; });
    if (outputs[0] !== null && list(outputs[0].dims) !== list(this.dstDims)) {
      throw invalid(`dst is ${list(outputs[0].dims)}; expected ${list(this.dstDims)}`);
    }
    this.#useNumbers();
  }

  #checkChannels(bias) {
    const {src, weights, groups} = this;
    if (groups < 1n || src[1] !== weights[1] * groups || weights[0] % groups !== 0n) {
      throw invalid(`src has ${src[1]} channels and weights ${list(weights.slice(0, 2))}, in ` +
                    `${groups} groups`);
    }
    if (bias !== undefined && list(bias.dims) !== list([weights[0]])) {
      throw invalid(`bias is ${list(bias.dims)}; expected [${weights[0]}]`);
    }
  }

  #list(attributes, name, least) {
    const values = attributes[name].map(BigInt);
    if (values.length !== this.rank || values.some(value => value < least)) {
      throw invalid(`${name} is ${list(values)}; expected ${this.rank} values of at least ${least}`);
    }
    return values;
  }

  #resolve(attributes) {
    this.sizes = this.src.slice(2);
    this.kernel = this.weights.slice(2);
    this.strides = this.#list(attributes, 'strides', 1n);
    this.dilations = this.#list(attributes, 'dilations', 1n);
    const isExplicit = this.autoPad === 'none', none = this.sizes.map(() => 0n);
    this.padsBegin = isExplicit ? this.#list(attributes, 'pads_begin', 0n) : [...none];
    this.padsEnd = isExplicit ? this.#list(attributes, 'pads_end', 0n) : [...none];
    this.extents = this.sizes.map((_, axis) => this.#extent(axis));
  }

  /** floor((size + pads - dilated kernel) / stride) + 1 */
  #extent(axis) {
    const size = this.sizes[axis], stride = this.strides[axis];
    if (this.kernel[axis] < 1n) {
      throw invalid(`the kernel is ${list(this.kernel)}: it has an empty axis`);
    }
    const dilated = this.dilations[axis] * (this.kernel[axis] - 1n) + 1n;
    if (this.autoPad.startsWith('same')) {
      [this.padsBegin[axis], this.padsEnd[axis]] =
        samePadding(size, dilated, stride, this.autoPad, this.reading);
    }
    const padded = size + this.padsBegin[axis] + this.padsEnd[axis];
    const extent = divideDown(padded - dilated, stride) + 1n;
    if (extent < 0n || larger(padded, dilated) > LARGEST) {
      throw invalid(`a kernel of ${dilated} on ${padded} elements with padding`);
    }
    return extent;
  }

  #useNumbers() {
    const lists = ['src', 'weights', 'dst', 'sizes', 'kernel', 'extents', 'strides', 'dilations',
      'padsBegin', 'padsEnd'];
    this.exact = Object.fromEntries(lists.map(name => [name, this[name]]));
    this.isExact = isSafe(this.groups) && lists.every(name => this[name].every(isSafe));
    for (const name of lists) this[name] = this[name].map(Number);
    this.groups = Number(this.groups);
  }

  /** Has dst no elements? */
  get isEmpty() {
    return this.dst.includes(0);
  }
}

module.exports = {Geometry, samePadding};
