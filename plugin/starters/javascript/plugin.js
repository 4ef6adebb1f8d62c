#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A backend to begin with: it computes pointwise convolutions in f32 and declines everything else.
// `concord run` counts the reasons of declining: take one line after another out of refusal() as
// convolve(), where your library's call belongs, learns it.
'use strict';

const {ConvolutionBackend, serve} = require('./concord_exec_js');

/** What the base class offers is described in concord_exec_js/convolution.js. */
class MyConvolution extends ConvolutionBackend {
  name = 'mine';
  version = '0.1'; // of the library that computes
  dtypes = ['f32']; // of f32, f16, bf16 and f64
  // Sums in f64, which JavaScript computes in. docs/plugin.md lists what else can be declared.
  arithmetic = {accumulator: 1};

  /** Why g is not served, or null. */
  refusal(g) {
    if (g.kernel.some(extent => extent > 1)) return 'only kernels of one element so far';
    if (g.strides.some(stride => stride > 1)) return 'no strides so far';
    if ([...g.padsBegin, ...g.padsEnd].some(pad => pad > 0)) return 'no padding so far';
    if (g.groups > 1) return 'no groups so far';
    if (g.hasBias) return 'no bias so far';
    return null;
  }

  /** dst [N, OC, extent...] from src [N, IC, size...], weights [OC, IC/G, kernel...], bias [OC] */
  async convolve(g, src, weights, bias) {
    const [batch, ic] = g.src, [oc] = g.weights;
    const image = g.sizes.reduce((a, b) => a * b, 1), dst = new Float64Array(batch * oc * image);
    for (let n = 0; n < batch; ++n) {
      for (let c = 0; c < oc; ++c) {
        for (let i = 0; i < image; ++i) {
          let sum = 0;
          for (let each = 0; each < ic; ++each) {
            sum += src[(n * ic + each) * image + i] * weights[c * ic + each];
          }
          dst[(n * oc + c) * image + i] = sum;
        }
      }
    }
    return dst;
  }
}

serve(new MyConvolution());
