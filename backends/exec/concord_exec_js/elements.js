// SPDX-License-Identifier: Apache-2.0
// Elements of the four dtypes, and dense copies of strided tensors.
'use strict';

const {BYTES} = require('./problem.js');

const scratch = new DataView(new ArrayBuffer(8));

/** A whole number nearest to a non-negative one, ties to even. */
function roundToEven(value) {
  const below = Math.floor(value), rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

/** The bits of `value` rounded once to 1 + exponentBits + fractionBits bits. */
function narrow(value, exponentBits, fractionBits) {
  const sign = value < 0 || Object.is(value, -0) ? 2 ** (exponentBits + fractionBits) : 0;
  const infinity = (2 ** exponentBits - 1) * 2 ** fractionBits;
  if (Number.isNaN(value)) return infinity + 2 ** (fractionBits - 1);
  if (value === 0) return sign;
  scratch.setFloat64(0, value);
  const bias = 2 ** (exponentBits - 1) - 1;
  const exponent = Math.max(((scratch.getUint16(0) >> 4) & 0x7ff) - 1023, 1 - bias);
  // In units of the last place: at most 2^(fractionBits + 1), and a carry reaches the exponent.
  const units = roundToEven(Math.abs(value) / 2 ** (exponent - fractionBits));
  return sign + Math.min((exponent + bias - 1) * 2 ** fractionBits + units, infinity);
}

function widenHalf(bits) {
  const exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const size = exponent === 31 ? (fraction ? NaN : Infinity) :
    exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return bits & 0x8000 ? -size : size;
}

function widenBrain(bits) {
  scratch.setUint32(0, bits << 16);
  return scratch.getFloat32(0);
}

/** How an element at a byte offset is read as a number and written, rounded once to nearest. */
const ACCESS = {
  f32: {read: (view, at) => view.getFloat32(at, true),
    write: (view, at, value) => view.setFloat32(at, value, true)},
  f64: {read: (view, at) => view.getFloat64(at, true),
    write: (view, at, value) => view.setFloat64(at, value, true)},
  f16: {read: (view, at) => widenHalf(view.getUint16(at, true)),
    write: (view, at, value) => view.setUint16(at, narrow(value, 5, 10), true)},
  bf16: {read: (view, at) => widenBrain(view.getUint16(at, true)),
    write: (view, at, value) => view.setUint16(at, narrow(value, 8, 7), true)},
};

const viewOf = buffer => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);

/** Calls visit(i, at) for element i of a dense tensor of these extents, which is at offset at. */
function forEachElement(dims, strides, visit) {
  const count = dims.reduce((all, extent) => all * extent, 1), index = dims.map(() => 0);
  for (let i = 0, at = 0; i < count; ++i) {
    visit(i, at);
    for (let axis = dims.length - 1; axis >= 0; --axis) {
      at += strides[axis];
      if (++index[axis] < dims[axis]) break;
      at -= index[axis] * strides[axis];
      index[axis] = 0;
    }
  }
}

const permuted = (tensor, axes) => [axes.map(axis => Number(tensor.dims[axis])),
  axes.map(axis => Number(tensor.strides[axis]))];

/** A dense Float32Array of a tensor, Float64Array for f64, with its axes in the order of `axes`. */
function unpack(tensor, dtype, axes) {
  const [dims, strides] = permuted(tensor, axes);
  const count = dims.reduce((all, extent) => all * extent, 1);
  const dense = dtype === 'f64' ? new Float64Array(count) : new Float32Array(count);
  const view = viewOf(tensor.bytes), {read} = ACCESS[dtype], size = BYTES[dtype];
  forEachElement(dims, strides, (i, at) => { dense[i] = read(view, at * size); });
  return dense;
}

/** Writes dense numbers to the elements of a tensor, each rounded once to nearest. */
function pack(dense, tensor, dtype, axes) {
  const [dims, strides] = permuted(tensor, axes);
  const view = viewOf(tensor.bytes), {write} = ACCESS[dtype], size = BYTES[dtype];
  forEachElement(dims, strides, (i, at) => write(view, at * size, dense[i]));
}

/** The elements of a dense buffer as numbers, and back. */
const readElements = (bytes, dtype) => {
  const count = bytes.byteLength / BYTES[dtype];
  return unpack({bytes, dims: [count], strides: [1]}, dtype, [0]);
};
const writeElements = (dense, bytes, dtype) =>
  pack(dense, {bytes, dims: [dense.length], strides: [1]}, dtype, [0]);

module.exports = {narrow, pack, readElements, unpack, writeElements};
