// SPDX-License-Identifier: Apache-2.0
// A backend of which only the convolution itself has to be written.
'use strict';

const {pack, unpack} = require('./elements.js');
const {Geometry} = require('./geometry.js');
const {checkTensors, declines, invalid} = require('./problem.js');

/**
 * Serves Convolution1 and Convolution through convolve(). Change what differs:
 *
 * name, version    what the report calls the library
 * dtypes           of f32, f16, bf16 and f64, those that are served
 * arithmetic       what the library declares: docs/plugin.md; {} is the strictest
 * refusal(g)       why it does not serve this Geometry, or null
 * convolve(g, src, weights, bias)
 *                  dst as [N, OC, extent...] from src [N, IC, size...], weights
 *                  [OC, IC/G, kernel...] and bias [OC] or null: all dense, Float64Array for f64 and
 *                  Float32Array for the others; it may be async. Each number of the result, in any
 *                  array, is rounded once to nearest.
 */
class ConvolutionBackend {
  name = 'unnamed';
  version = '0';
  dtypes = ['f32'];
  arithmetic = {};
  sameBitsAnyThreads = true;
  bitsVaryByRun = false;
  adapterPart = 'auto_pad, layout of tensors';
  implementation = '';

  /** Why this is not served, in one sentence; null if it is. */
  refusal(_geometry) {
    return null;
  }

  /** The library's call goes here. */
  convolve(_geometry, _src, _weights, _bias) {
    throw new Error('convolve() is not written');
  }

  /** What is declared for one problem; `arithmetic` unless it depends on the problem. */
  arithmeticOf(_geometry) {
    return this.arithmetic;
  }

  /** The answer to `query`: dst's shape and the arithmetic; or throws Refused. */
  query(problem) {
    if (!['Convolution1', 'Convolution'].includes(problem.operation)) {
      throw declines(`the operation ${problem.operation} is not served`);
    }
    if (problem.dtype === 'mixed') throw invalid('the tensors differ in dtype');
    if (!this.dtypes.includes(problem.dtype)) {
      throw declines(`the dtype ${problem.dtype} is not served`);
    }
    checkTensors(problem);
    const geometry = new Geometry(problem);
    const reason = geometry.isExact ? this.refusal(geometry) : 'a size or attribute above 2^53';
    if (reason !== null) throw declines(reason);
    return {
      dst_dims: geometry.dstDims, arithmetic: this.arithmeticOf(geometry),
      same_bits_any_threads: this.sameBitsAnyThreads, bits_vary_by_run: this.bitsVaryByRun,
      adapter_part: this.adapterPart, implementation: this.implementation,
    };
  }

  /** The function that computes dst and returns how many seconds convolve() took. */
  prepare(problem, threads) {
    const geometry = new Geometry(problem);
    geometry.threads = threads;
    return (inputs, dst) => this.#compute(geometry, inputs, dst);
  }

  async #compute(g, inputs, dst) {
    if (g.isEmpty) return 0;
    const src = unpack(inputs[0], g.dtype, g.dataAxes);
    const weights = unpack(inputs[1], g.dtype, g.weightsAxes);
    const bias = g.hasBias ? unpack(inputs[2], g.dtype, [0]) : null;
    const begin = performance.now();
    const result = await this.convolve(g, src, weights, bias);
    const seconds = (performance.now() - begin) / 1000;
    const count = g.dst.reduce((all, extent) => all * extent, 1);
    if (result.length !== count) {
      throw new Error(`convolve() returned ${result.length} elements, not ${count}`);
    }
    pack(result, dst, g.dtype, g.dataAxes);
    return seconds;
  }
}

module.exports = {ConvolutionBackend};
