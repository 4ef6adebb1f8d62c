// SPDX-License-Identifier: Apache-2.0
// Answers convolutions with TensorFlow.js: a JSON request a line in, a JSON answer a line out.
import * as tf from "@tensorflow/tfjs-core";
import "@tensorflow/tfjs-backend-cpu";
import readline from "node:readline";

// atrous: conv2d with dilations; phases: the three parts that TensorFlow's document composes it of.
const operations = {
  conv1d: (x, w, r) => tf.conv1d(x, w, r.strides[0], r.padding, "NWC", r.dilations[0]),
  conv2d: (x, w, r) => tf.conv2d(x, w, r.strides, r.padding, "NHWC", r.dilations),
  conv3d: (x, w, r) => tf.conv3d(x, w, r.strides, r.padding, "NDHWC", r.dilations),
  depthwise: (x, w, r) => tf.depthwiseConv2d(x, w, r.strides, r.padding, "NHWC", r.dilations),
  spaceToBatch: (x, w, r) => tf.spaceToBatchND(x, r.dilations, r.pads),
  batchToSpace: (x, w, r) => tf.batchToSpaceND(x, r.dilations, r.crops),
  phases: (x, w, r) => {
    const parts = tf.spaceToBatchND(x, r.dilations, r.pads);
    const convolved = tf.conv2d(parts, w, 1, "valid", "NHWC");
    return tf.batchToSpaceND(convolved, r.dilations, r.crops);
  },
};

function answer(request) {
  const x = tf.tensor(request.x.values, request.x.shape, "float32");
  const w = tf.tensor(request.w.values, request.w.shape, "float32");
  const y = operations[request.operation](x, w, request);
  return { version: tf.version_core, shape: y.shape, values: [...y.dataSync()] };
}

await tf.setBackend("cpu");
for await (const line of readline.createInterface({ input: process.stdin })) {
  let answered;
  try {
    answered = answer(JSON.parse(line));
  } catch (error) {
    answered = { refused: error.message };
  }
  console.log(JSON.stringify(answered));
}
