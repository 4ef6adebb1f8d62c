// SPDX-License-Identifier: Apache-2.0
// Answers models with ONNX Runtime: a JSON request a line in, a JSON answer a line out. Tensors and
// models are in base64; f16 tensors hold their bits.
import { readFileSync } from "node:fs";
import readline from "node:readline";
import ort from "onnxruntime-node";

const manifest = new URL("node_modules/onnxruntime-node/package.json", import.meta.url);
const version = JSON.parse(readFileSync(manifest)).version;
const arrays = { float32: Float32Array, float16: Uint16Array, int64: BigInt64Array };

function tensor({ type, shape, data }) {
  const bytes = new Uint8Array(Buffer.from(data, "base64"));
  return new ort.Tensor(type, new arrays[type](bytes.buffer), shape);
}

function plain({ dims, data }) {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return { shape: dims, data: bytes.toString("base64") };
}

async function answer(request) {
  // One thread: the bits of f32 depend on their number.
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  const model = new Uint8Array(Buffer.from(request.model, "base64"));
  const session = await ort.InferenceSession.create(model, options);
  const feeds = {};
  for (const [name, value] of Object.entries(request.inputs)) feeds[name] = tensor(value);
  const outputs = {};
  for (const [name, value] of Object.entries(await session.run(feeds))) outputs[name] = plain(value);
  await session.release();
  return { version, outputs };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const answered = await answer(JSON.parse(line)).catch((error) => ({ refused: error.message }));
  console.log(JSON.stringify(answered));
}
