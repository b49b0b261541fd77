// Runs a model by ONNX Runtime for Node, for `byoc compare`. Usage, files and exit codes: engine.py.
'use strict';
const fs = require('fs');
const path = require('path');

const NOT_INSTALLED = 3;
// Types of .npy files, of ONNX Runtime, and the arrays that hold them.
const TYPES = [
  ['<f4', 'float32', Float32Array], ['<f8', 'float64', Float64Array], ['<f2', 'float16', Uint16Array],
  ['|i1', 'int8', Int8Array], ['|u1', 'uint8', Uint8Array], ['|b1', 'bool', Uint8Array], ['<i2', 'int16', Int16Array],
  ['<u2', 'uint16', Uint16Array], ['<i4', 'int32', Int32Array], ['<u4', 'uint32', Uint32Array],
  ['<i8', 'int64', BigInt64Array], ['<u8', 'uint64', BigUint64Array],
];

function findRuntime() {
  for (const from of [process.cwd(), ...(process.env.NODE_PATH || '').split(path.delimiter)]) {
    try {
      return require(require.resolve('onnxruntime-node', {paths: [from]}));
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  process.exit(NOT_INSTALLED);
}

function readNpy(file, ort) {
  const bytes = fs.readFileSync(file);
  const length = bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, 10 + length);
  const descr = /'descr': '([^']*)'/.exec(header)[1];
  const dims = /'shape': \(([^)]*)\)/.exec(header)[1].split(',').map((s) => s.trim()).filter((s) => s).map(Number);
  const [, type, Holder] = TYPES.find(([name]) => name === descr);
  const data = bytes.buffer.slice(bytes.byteOffset + 10 + length, bytes.byteOffset + bytes.length);
  return new ort.Tensor(type, new Holder(data), dims);
}

function writeNpy(file, tensor) {
  const [descr] = TYPES.find(([, name]) => name === tensor.type);
  const shape = tensor.dims.length === 1 ? `${tensor.dims[0]},` : tensor.dims.join(', ');
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(header.length, 8);
  const data = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  fs.writeFileSync(file, Buffer.concat([head, Buffer.from(header, 'latin1'), data]));
}

async function run(ort, model, inputs, level) {
  const session = await ort.InferenceSession.create(model, {graphOptimizationLevel: level, logSeverityLevel: 3});
  const results = await session.run(inputs);
  return session.outputNames.map((name) => [name, results[name]]);
}

async function main() {
  const [, model, folder] = process.argv.slice(2);
  const ort = findRuntime();
  const inputs = {};
  JSON.parse(fs.readFileSync(path.join(folder, 'inputs.json'))).forEach((name, i) => {
    inputs[name] = readNpy(path.join(folder, `input_${i}.npy`), ort);
  });
  let said = `ONNX Runtime ${ort.env.versions.node} (Node)`;
  const outputs = await run(ort, model, inputs, 'all').catch((error) => {  // some models only run as they are
    said += ` without optimisation, with which it fails: ${error.message}`;
    return run(ort, model, inputs, 'disabled');
  });
  const all = path.join(folder, 'all.onnx');
  const values = fs.existsSync(all) ? await run(ort, all, inputs, 'disabled') : [];
  const tensors = values.filter(([, tensor]) => TYPES.some(([, name]) => name === tensor.type));
  outputs.forEach(([, tensor], i) => writeNpy(path.join(folder, `output_${i}.npy`), tensor));
  tensors.forEach(([, tensor], i) => writeNpy(path.join(folder, `tensor_${i}.npy`), tensor));
  const lines = [said, `${outputs.length}`, ...tensors.map(([name]) => `-1 ${name}`)];
  fs.writeFileSync(path.join(folder, 'results.txt'), lines.map((line) => line.replace(/[\r\n]/g, ' ') + '\n').join(''));
}

main().catch((error) => {
  console.error(String(error.message || error));
  process.exit(1);
});
