#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A backend in JavaScript, to show how a program is judged: --backend 'exec:node backends/exec/plain_conv.js'
//
// It serves Convolution1 and Convolution in every dtype, sums in f64 and rounds once.
'use strict';

const {ConvolutionBackend, serve} = require('./concord_exec_js');

/** Calls visit(index) for every index below `extents`. */
function forEachIndex(extents, visit) {
  const index = extents.map(() => 0);
  for (let axis = 0; axis >= 0;) {
    visit(index);
    for (axis = extents.length - 1; axis >= 0 && ++index[axis] === extents[axis]; --axis) {
      index[axis] = 0;
    }
  }
}

/** Where an index lies in a dense array, or -1 outside it. */
function placeOf(index, extents) {
  return index.reduce((place, value, axis) =>
    (place < 0 || value < 0 || value >= extents[axis] ? -1 : place * extents[axis] + value), 0);
}

class PlainConvolution extends ConvolutionBackend {
  name = 'plain JavaScript';
  version = process.version;
  dtypes = ['f32', 'f16', 'bf16', 'f64'];
  arithmetic = {accumulator: 1}; // CONCORD_ACCUMULATE_F64
  implementation = 'plain loops';

  /** y[n,oc,o] = bias[oc] + sum over ic, k of x[n, ic, o*S + k*D - P] * w[oc,ic,k], in f64 */
  convolve(g, src, weights, bias) {
    const [, ic] = g.src, [oc, channels] = g.weights;
    const image = g.sizes.reduce((a, b) => a * b, 1), taps = g.kernel.reduce((a, b) => a * b, 1);
    const window = new Int32Array(taps), dst = new Float64Array(g.dst.reduce((a, b) => a * b, 1));
    const positions = g.extents.reduce((a, b) => a * b, 1);
    let position = 0;
    forEachIndex(g.extents, o => {
      let tap = 0;
      forEachIndex(g.kernel, k => {
        const i = o.map((at, axis) =>
          at * g.strides[axis] + k[axis] * g.dilations[axis] - g.padsBegin[axis]);
        window[tap++] = placeOf(i, g.sizes);
      });
      for (let n = 0; n < g.src[0]; ++n) {
        for (let c = 0; c < oc; ++c) {
          const first = Math.floor(c / (oc / g.groups)) * channels;
          let sum = bias === null ? 0 : bias[c];
          for (let each = 0; each < channels; ++each) {
            const x = (n * ic + first + each) * image, w = (c * channels + each) * taps;
            for (let t = 0; t < taps; ++t) {
              if (window[t] >= 0) sum += src[x + window[t]] * weights[w + t];
            }
          }
          dst[(n * oc + c) * positions + position] = sum;
        }
      }
      ++position;
    });
    return dst;
  }
}

serve(new PlainConvolution());
