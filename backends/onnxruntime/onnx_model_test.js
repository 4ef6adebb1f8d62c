// SPDX-License-Identifier: Apache-2.0
'use strict';

const assert = require('node:assert');
const test = require('node:test');

const {modelOf} = require('./onnx_model.js');

const hex = text => Buffer.from(text.replace(/\s/g, ''), 'hex');

test('A model of one node has the bytes that the format asks for', () => {
  const model = modelOf('Conv', [{name: 'x', dims: [1, 300]}, {name: 'w', dims: [1], data: Buffer.from([0, 0, 128, 63])}],
    1, [2], {auto_pad: 'VALID', group: 1, pads: [0, -1]});
  const node = hex(`
    0a 01 78  0a 01 77  12 01 79  22 04 436f6e76
    2a 14  0a 08 6175746f5f706164  22 05 56414c4944  a0 01 03
    2a 0c  0a 05 67726f7570  18 01  a0 01 02
    2a 16  0a 04 70616473  40 00  40 ff ff ff ff ff ff ff ff ff 01  a0 01 07`);
  const graph = Buffer.concat([
    hex('0a'), Buffer.from([node.length]), node, hex(`
    12 04 436f6e76
    2a 0d  08 01  10 01  42 01 77  4a 04 0000803f
    5a 14  0a 01 78  12 0f 0a 0d 08 01 12 09  0a 02 08 01  0a 03 08 ac 02
    62 0f  0a 01 79  12 0a 0a 08 08 01 12 04  0a 02 08 02`)]);
  const expected = Buffer.concat([hex('08 08 3a'), Buffer.from([graph.length | 128, graph.length >> 7]), graph,
    hex('42 02 10 0b')]);
  assert.strictEqual(model.toString('hex'), expected.toString('hex'));
});
