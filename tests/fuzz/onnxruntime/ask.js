// What ONNX Runtime makes of models, with graph optimisation off: node ask.js JOBS.json, a list of {model, folder, inputs:
// [{name, type, dims, file}]}. In each folder it leaves output_K.raw and answer.json: {outputs: [{name, type, dims}]} or
// {error}. Where the runtime itself dies, at.txt beside the jobs says of which folder.
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array,
  uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array,
  bool: Uint8Array
};

// Files of strings are lists in JSON.
function read({type, dims, file}) {
  const bytes = fs.readFileSync(file);
  if (type === 'string') return new ort.Tensor(type, JSON.parse(bytes), dims);
  return new ort.Tensor(type, new ARRAYS[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), dims);
}

async function answer({model, folder, inputs}) {
  const options = {intraOpNumThreads: 1, interOpNumThreads: 1, graphOptimizationLevel: 'disabled', logSeverityLevel: 4};
  const session = await ort.InferenceSession.create(model, options);
  const results = await session.run(Object.fromEntries(inputs.map((input) => [input.name, read(input)])));
  const outputs = session.outputNames.map((name, k) => {
    const {type, dims, data} = results[name];
    const bytes = type === 'string' ? JSON.stringify(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    fs.writeFileSync(path.join(folder, `output_${k}.raw`), bytes);
    return {name, type, dims};
  });
  await session.release();
  return {outputs};
}

async function main() {
  const at = path.join(path.dirname(process.argv[2]), 'at.txt');
  for (const job of JSON.parse(fs.readFileSync(process.argv[2]))) {
    fs.writeFileSync(at, job.folder);
    const found = await answer(job).catch((error) => ({error: String(error)}));
    fs.writeFileSync(path.join(job.folder, 'answer.json'), JSON.stringify(found));
  }
}

main().catch((error) => { console.error(String(error)); process.exit(1); });
