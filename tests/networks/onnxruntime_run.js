// Runs models in ONNX Runtime with graph optimisation off, on one thread: node onnxruntime_run.js JOBS.json, a list of
// {model, inputs: [{name, type, dims, file}], outputs: [{name, file}]}.
const fs = require('fs');
const ort = require('onnxruntime-node');

const ARRAYS = {float32: Float32Array, int8: Int8Array};

function read({type, dims, file}) {
  const bytes = fs.readFileSync(file);
  const data = new ARRAYS[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return new ort.Tensor(type, data, dims);
}

async function main() {
  for (const job of JSON.parse(fs.readFileSync(process.argv[2]))) {
    const session = await ort.InferenceSession.create(
        job.model, {intraOpNumThreads: 1, interOpNumThreads: 1, graphOptimizationLevel: 'disabled'});
    const feeds = Object.fromEntries(job.inputs.map((input) => [input.name, read(input)]));
    const result = await session.run(feeds);
    for (const {name, file} of job.outputs) {
      const values = result[name].data;
      fs.writeFileSync(file, Buffer.from(values.buffer, values.byteOffset, values.byteLength));
    }
  }
}

main().catch((error) => { console.error(String(error)); process.exit(1); });
