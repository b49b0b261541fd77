// Runs a model in ONNX Runtime on one thread: node host_onnxruntime.js MODEL INPUT OUTPUT SECONDS TYPE DIM,DIM... Prints the
// median time of an inference in nanoseconds.
const fs = require('fs');
const ort = require('onnxruntime-node');

function write(values, output) {
  fs.writeFileSync(output, Buffer.from(values.buffer, values.byteOffset, values.byteLength));
}

async function main() {
  const [model, input, output, seconds, type, dims] = process.argv.slice(2);
  const session = await ort.InferenceSession.create(model, {intraOpNumThreads: 1, interOpNumThreads: 1});
  const bytes = fs.readFileSync(input);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const data = new {float32: Float32Array, int8: Int8Array, uint8: Uint8Array}[type](buffer);
  const feeds = {[session.inputNames[0]]: new ort.Tensor(type, data, dims.split(',').map(Number))};
  let result = await session.run(feeds);
  if (process.env.BYOC_CPU_TIME) {  // too coarse for one inference: the mean of all
    const before = process.cpuUsage();
    let runs = 0, used;
    do {
      result = await session.run(feeds);
      ++runs;
      used = process.cpuUsage(before);
    } while ((used.user + used.system) / 1e6 < Number(seconds));
    console.log(Math.round(1000 * (used.user + used.system) / runs));
    write(result[session.outputNames[0]].data, output);
    return;
  }
  const times = [];
  const end = process.hrtime.bigint() + BigInt(Math.round(Number(seconds) * 1e9));
  do {
    const start = process.hrtime.bigint();
    result = await session.run(feeds);
    times.push(Number(process.hrtime.bigint() - start));
  } while (process.hrtime.bigint() < end);
  times.sort((a, b) => a - b);
  console.log(Math.round(times[Math.floor(times.length / 2)]));
  write(result[session.outputNames[0]].data, output);
}

main().catch((error) => { console.error(String(error)); process.exit(1); });
