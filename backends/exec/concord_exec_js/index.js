// SPDX-License-Identifier: Apache-2.0
// The program's side of `--backend 'exec:COMMAND'`: docs/exec_protocol.md as a package for Node.js.
//
// serve(backend) answers requests until the host closes the channel. A backend is either
//
// - a ConvolutionBackend with one method convolve(geometry, src, weights, bias), which gets dense
//   channels-first data and returns dst; problems are checked, SAME is resolved, and tensors are
//   unpacked and stored by this package; or
// - any object with `name`, `version` and two methods, which may be async:
//
//     query(problem)             -> an object with dst_dims, arithmetic, ...; or throws Refused
//     prepare(problem, threads)  -> a function f(inputs, dst) that computes dst
//
//   `problem` is the object of docs/exec_protocol.md. Each tensor is {bytes: Buffer, dims, strides};
//   what f leaves in dst.bytes is written back. Integers beyond 2^53 - 1 are BigInt.
'use strict';

const {PROTOCOL, serve} = require('./channel.js');
const {ConvolutionBackend} = require('./convolution.js');
const {Geometry} = require('./geometry.js');
const {LARGEST, Refused, checkLayout, checkTensors, declines, invalid} = require('./problem.js');
const {pack, readElements, unpack, writeElements} = require('./elements.js');
const {version} = require('./package.json');

module.exports = {
  ConvolutionBackend, Geometry, LARGEST, PROTOCOL, Refused, checkLayout, checkTensors, declines,
  invalid, pack, readElements, serve, unpack, version, writeElements,
};
