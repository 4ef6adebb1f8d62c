// SPDX-License-Identifier: Apache-2.0
// TensorFlow.js 4.22.0: conv3d with padding "same" begins inside the image where the stride skips past the kernel.
// conv2d of the same rows is right. Exits with 0 if that is so.
//
// Needs @tensorflow/tfjs-core, @tensorflow/tfjs-backend-cpu and @tensorflow/tfjs-backend-wasm.
'use strict';

const tf = require('@tensorflow/tfjs-core');
require('@tensorflow/tfjs-backend-cpu');
require('@tensorflow/tfjs-backend-wasm');

// A row of ten, one tap of weight 1, stride 2: five outputs, the first at element 0 as no padding is needed.
const row = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const expected = '0,2,4,6,8', seen = '1,3,5,7,9';

function convolve() {
  const volume = tf.conv3d(tf.tensor5d(row, [1, 1, 1, 10, 1]), tf.ones([1, 1, 1, 1, 1]), [1, 1, 2], 'same');
  const plane = tf.conv2d(tf.tensor4d(row, [1, 1, 10, 1]), tf.ones([1, 1, 1, 1]), [1, 2], 'same');
  return [volume, plane].map(tensor => tensor.dataSync().join());
}

async function main() {
  let isThere = true;
  for (const backend of ['cpu', 'wasm']) {
    await tf.setBackend(backend);
    const [volume, plane] = convolve();
    console.log(`TensorFlow.js ${tf.version_core}, ${backend}: expected ${expected}, got ${volume} from conv3d and ` +
                `${plane} from conv2d`);
    isThere &&= volume === seen && plane === expected;
  }
  process.exit(isThere ? 0 : 1);
}

main();
