// SPDX-License-Identifier: Apache-2.0
// Requests and answers: one JSON object per line.
'use strict';

const fs = require('node:fs');
const readline = require('node:readline');

const {FAULT, OK, Refused} = require('./problem.js');

const PROTOCOL = 1;

/** Reads or writes `buffer` at an offset of the file, in pieces of at most 1 GiB. */
function transfer(method, file, buffer, offset) {
  for (let done = 0; done < buffer.length;) {
    const piece = Math.min(buffer.length - done, 2 ** 30);
    const moved = method(file, buffer, done, piece, offset + done);
    if (moved === 0) throw new Error(`the shared file ends ${buffer.length - done} bytes early`);
    done += moved;
  }
}

/** A tensor as {bytes, dims, strides}: a copy of its bytes in the file, gaps included. */
function readTensor(file, place, tensor) {
  const bytes = Buffer.alloc(Number(place.bytes));
  transfer(fs.readSync, file, bytes, Number(place.offset));
  return {bytes, dims: tensor.dims, strides: tensor.strides};
}

/**
 * An integer that JSON's numbers would round travels as a string of its digits: `load` asks for
 * that. Only these members can have one.
 */
function toIntegers(value) {
  if (typeof value === 'string') return BigInt(value);
  return Array.isArray(value) ? value.map(toIntegers) : value;
}

function restoreIntegers(problem) {
  for (const tensor of [...problem.inputs, ...problem.outputs]) {
    if (tensor === null) continue;
    tensor.dims = toIntegers(tensor.dims);
    tensor.strides = toIntegers(tensor.strides);
  }
  for (const [key, value] of Object.entries(problem.attributes)) {
    const texts = [value].flat().filter(each => typeof each === 'string');
    if (texts.length > 0 && texts.every(each => /^-?\d{16,19}$/.test(each))) {
      problem.attributes[key] = toIntegers(value);
    }
  }
  return problem;
}

/** Answers one request after another. */
class Conversation {
  constructor(backend) {
    this.backend = backend;
  }

  async answer(request) {
    return this[request.request](request);
  }

  load(request) {
    if (request.protocol !== PROTOCOL) {
      return {failure: `this program speaks protocol ${PROTOCOL}, not ${request.protocol}`};
    }
    return {name: this.backend.name, version: this.backend.version, long_integers: 'strings'};
  }

  open() {
    return {status: OK};
  }

  async query(request) {
    return {status: OK, ...await this.backend.query(restoreIntegers(request.problem))};
  }

  async prepare(request) {
    this.problem = restoreIntegers(request.problem);
    this.compute = await this.backend.prepare(this.problem, request.threads);
    return {status: OK};
  }

  async execute({memory}) {
    const file = fs.openSync(memory.path, 'r+');
    try {
      const inputs = memory.inputs.map((place, i) =>
        readTensor(file, place, this.problem.inputs[i]));
      const dst = readTensor(file, memory.outputs[0], this.problem.outputs[0]);
      const begin = performance.now();
      // A function that unpacks tensors returns how long it computed.
      const seconds = await this.compute(inputs, dst) ?? (performance.now() - begin) / 1000;
      transfer(fs.writeSync, file, dst.bytes, Number(memory.outputs[0].offset));
      return {status: OK, seconds};
    } finally {
      fs.closeSync(file);
    }
  }

  release() {
    this.compute = null;
    return {};
  }

  close() {
    return {};
  }
}

const toText = answer => JSON.stringify(answer, (_, value) => {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
});

/** Answers requests on standard input and output until the host closes them. */
async function serve(backend) {
  // What scripts print must not get between the answers; native code must not print there.
  const print = fs.writeSync.bind(fs, 1);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const conversation = new Conversation(backend);
  for await (const line of readline.createInterface({input: process.stdin})) {
    const request = JSON.parse(line);
    let answer;
    try {
      answer = await conversation.answer(request);
    } catch (error) {
      const isRefusal = error instanceof Refused;
      const reason = isRefusal ? error.message : String(error);
      answer = {status: isRefusal ? error.status : FAULT, reason, seconds: 0};
    }
    const text = Buffer.from(toText(answer) + '\n');
    for (let done = 0; done < text.length;) done += print(text, done);
    if (request.request === 'close') process.exit(0);
  }
}

module.exports = {Conversation, PROTOCOL, restoreIntegers, serve};
