// SPDX-License-Identifier: Apache-2.0
// ONNX models of one node, as bytes of Protocol Buffers. The numbers of the fields are those of onnx.proto.
'use strict';

const IR_VERSION = 8, OPSET = 11;
const INT = 2, STRING = 3, INTS = 7; // AttributeProto.AttributeType
const VARINT = 0, LENGTH = 2; // wire types

/** An integer of 64 bits in groups of seven bits, the lowest first; negative ones as two's complement. */
function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

const number = (field, value) => Buffer.concat([varint(field << 3 | VARINT), varint(value)]);

/** A text, bytes, or a message given as the list of its fields. */
function part(field, content) {
  const bytes = Array.isArray(content) ? Buffer.concat(content) : Buffer.from(content);
  return Buffer.concat([varint(field << 3 | LENGTH), varint(bytes.length), bytes]);
}

/** A field that is repeated. */
const each = (values, make) => Buffer.concat(values.map(make));

/** AttributeProto: name 1, i 3, s 4, ints 8, type 20 */
function attribute([name, value]) {
  const typed = Array.isArray(value) ? [each(value, v => number(8, v)), number(20, INTS)] :
    typeof value === 'string' ? [part(4, value), number(20, STRING)] : [number(3, value), number(20, INT)];
  return [part(1, name), ...typed];
}

/** ValueInfoProto: name 1, type 2; TypeProto: tensor_type 1; elem_type 1, shape 2; dim 1, dim_value 1 */
function valueInfo(name, type, dims) {
  const shape = [each(dims, extent => part(1, [number(1, extent)]))];
  return [part(1, name), part(2, [part(1, [number(1, type), part(2, shape)])])];
}

/** TensorProto: dims 1, data_type 2, name 8, raw_data 9 */
function tensor({name, dims, data}, type) {
  return [each(dims, extent => number(1, extent)), number(2, type), part(8, name), part(9, data)];
}

/**
 * A model of one node with the output y.
 *
 * inputs      {name, dims, data}; where data, its bytes, is given, the input is a constant of the model
 * type        of all tensors, of TensorProto.DataType
 * attributes  integers, lists of integers and texts, by name
 */
function modelOf(operator, inputs, type, outputDims, attributes) {
  const isConstant = input => input.data !== undefined;
  const node = [ // NodeProto: input 1, output 2, op_type 4, attribute 5
    each(inputs, input => part(1, input.name)), part(2, 'y'), part(4, operator),
    each(Object.entries(attributes), entry => part(5, attribute(entry))),
  ];
  const graph = [ // GraphProto: node 1, name 2, initializer 5, input 11, output 12
    part(1, node), part(2, operator), each(inputs.filter(isConstant), input => part(5, tensor(input, type))),
    each(inputs.filter(input => !isConstant(input)), ({name, dims}) => part(11, valueInfo(name, type, dims))),
    part(12, valueInfo('y', type, outputDims)),
  ];
  // ModelProto: ir_version 1, graph 7, opset_import 8; OperatorSetIdProto: version 2
  return Buffer.concat([number(1, IR_VERSION), part(7, graph), part(8, [number(2, OPSET)])]);
}

module.exports = {modelOf};
