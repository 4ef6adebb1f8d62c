// SPDX-License-Identifier: Apache-2.0
// Refusals, and checks of a problem's tensors. Sizes are checked as BigInt: they may have 64 bits.
'use strict';

const [OK, UNSUPPORTED, INVALID, FAULT] = [0, 1, 2, 3];
const BYTES = {f32: 4, f16: 2, bf16: 2, f64: 8};
const LARGEST = 2n ** 63n - 1n;

/** A problem that is not computed: a status, and one sentence of reason. */
class Refused extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

/** The backend does not serve this. */
const declines = reason => new Refused(UNSUPPORTED, reason);

/** The problem violates its specification. */
const invalid = reason => new Refused(INVALID, reason);

const list = values => `[${values.join(', ')}]`;
const product = values => values.reduce((all, value) => all * value, 1n);
const larger = (a, b) => (a > b ? a : b);

/**
 * Refuses a tensor too large for any memory, or with strides that let elements overlap: each axis
 * must step over everything that the axes of smaller strides reach.
 */
function checkLayout(name, tensor, dtype) {
  const dims = tensor.dims.map(BigInt), strides = tensor.strides.map(BigInt);
  const what = `${name} is ${list(dims)} with strides ${list(strides)}`;
  if (dims.length !== strides.length || [...dims, ...strides].some(value => value < 0n)) {
    throw invalid(`${what}: one is negative or missing`);
  }
  const reach = dims.reduce((sum, d, i) => sum + (d > 0n ? (d - 1n) * strides[i] : 0n), 1n);
  const elements = product(dims.map(d => larger(d, 1n)));
  if (larger(reach, elements) * BigInt(BYTES[dtype]) > LARGEST) {
    throw invalid(`${what}: its bytes overflow 64 bits`);
  }
  const axes = dims.map((d, i) => [strides[i], d]).filter(([, d]) => d > 1n);
  axes.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  let reached = 0n;
  for (const [stride, extent] of axes) {
    if (stride <= reached && !dims.includes(0n)) throw invalid(`${what}: elements overlap`);
    reached += stride * (extent - 1n);
  }
}

/** checkLayout() of src, weights, bias and, where it is stated, dst. */
function checkTensors(problem) {
  const names = ['src', 'weights', 'bias'];
  problem.inputs.forEach((tensor, i) => checkLayout(names[i], tensor, problem.dtype));
  if (problem.outputs[0] !== null) checkLayout('dst', problem.outputs[0], problem.dtype);
}

module.exports = {
  BYTES, FAULT, INVALID, LARGEST, OK, Refused, UNSUPPORTED, checkLayout, checkTensors, declines,
  invalid, larger, list,
};
