"""Models with operators that only examples/vendor-operators knows, through import, partition, firmware and comparison."""

import random
import struct
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS / "networks"))
import tflite_file  # noqa: E402

ID = "org.example.vendor-operators"
COUNT, HEIGHT = 37, 2.5


def flexbuffer(**values):
    """A map of small numbers: keys, a vector of them, values, their types (https://flatbuffers.dev/flexbuffers)."""
    out, places = b"", []
    for key in sorted(values):
        places.append(len(out))
        out += key.encode() + b"\0"
    out += bytes([len(places)])
    keys = len(out)
    for place in places:
        out += bytes([len(out) - place])
    out += bytes([len(out) - keys, 1, len(places)])
    first = len(out)
    out += bytes(values[key] for key in sorted(values)) + b"\x04" * len(places)
    return out + bytes([len(out) - first, 0x24, 1])


def tflite_model(path, options=flexbuffer(numerator=3, shift=1)):
    """x -> ABS -> AcmeGain -> LOGISTIC, the last two of which go out."""
    file = tflite_file.File()
    main = file.subgraph("main")
    x, a, g, y = (main.tensor(name, "INT16", (1, COUNT), scales=[scale], zeros=[0])
                  for name, scale in (("x", 2**-12), ("a", 2**-12), ("g", 2**-12), ("y", 2**-15)))
    main.operator("ABS", [x], [a])
    main.operator("CUSTOM", [a], [g], custom=("AcmeGain", options))
    main.operator("LOGISTIC", [g], [y])
    main.inputs, main.outputs = [x], [g, y]
    file.write(path)


def onnx_model(path, stated=True):
    """x -> Relu -> com.acme.Bump -> Neg, which goes out; as protobuf (onnx.proto has the numbers of the fields)."""
    def integer(field, value):
        return bytes([field << 3, value])

    def chunk(field, data):
        data = data.encode() if isinstance(data, str) else data
        size = [len(data)] if len(data) < 128 else [len(data) & 127 | 128, len(data) >> 7]
        return bytes([field << 3 | 2, *size]) + data

    def node(op, source, result, domain="", attributes=b""):
        return chunk(1, chunk(1, source) + chunk(2, result) + chunk(3, op) + chunk(4, op) + attributes + chunk(7, domain))

    def value(field, name):
        return chunk(field, chunk(1, name) + chunk(2, chunk(1, integer(1, 1) + chunk(2, chunk(1, integer(1, COUNT))))))

    height = chunk(5, chunk(1, "height") + b"\x15" + struct.pack("<f", HEIGHT) + b"\xa0\x01\x01")
    graph = node("Relu", "x", "r") + node("Bump", "r", "b", "com.acme", height) + node("Neg", "b", "y") + chunk(2, "vendor")
    graph += value(11, "x") + value(12, "y") + (value(13, "b") if stated else b"")
    model = integer(1, 7) + chunk(7, graph) + chunk(8, integer(2, 13)) + chunk(8, chunk(1, "com.acme") + integer(2, 1))
    path.write_bytes(model)


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def check(byoc, scratch, run, expect):
    random.seed(3)
    folder = Path(scratch, "vendor_models")
    folder.mkdir()
    tflite, onnx, x16, x32 = (folder / name for name in ("gain.tflite", "bump.onnx", "x16.raw", "x32.raw"))
    tflite_model(tflite)
    onnx_model(onnx)
    integers = [random.randrange(-32767, 32768) for _ in range(COUNT)]
    reals = [single(random.uniform(-2, 2)) for _ in range(COUNT)]
    x16.write_bytes(struct.pack(f"<{COUNT}h", *integers))
    x32.write_bytes(struct.pack(f"<{COUNT}f", *reals))
    for target in ("host", "cortex-m4f"):
        words = ["--target", target, "--plugin", ID, "--compare", "--output-dir", folder / target]
        out = run(byoc, "run", tflite, "--input", x16, *words)
        expect("all 2 tensors agree with the evaluator; 1 of operators that byoc does not know are taken as they are" in out
               or "all 2 tensors agree with the evaluator, bit for bit; 1 of operators" in out, out)
        found = struct.unpack(f"<{COUNT}h", (folder / target / "output_0.raw").read_bytes())
        expect(list(found) == [min(abs(v) * 3 // 2, 32767) for v in integers], found)
        out = run(byoc, "run", onnx, "--input", x32, *words)
        expect("; 1 of operators that byoc does not know are taken as they are" in out, out)
        found = struct.unpack(f"<{COUNT}f", (folder / target / "output_0.raw").read_bytes())
        wanted = [-HEIGHT / (1 + max(v, 0) ** 2) for v in reals]
        expect(all(abs(a - b) < 1e-6 for a, b in zip(found, wanted)), found)
    for model, op in ((tflite, "tflite.AcmeGain 'g' (#1)"), (onnx, "com.acme.Bump 'Bump' (#1)")):
        out = run(byoc, "export", model, "--target", "host", "--plugin", "org.example.hello", "-o", folder / "m.a", code=1)
        expect(f"'{op}': no codegen supports operator " in out and "org.example.hello: hello knows Relu and Add" in out
               and "; c: " in out, out)
    tflite_model(tflite, flexbuffer(shift=1))
    out = run(byoc, "export", tflite, "--target", "host", "--plugin", ID, "-o", folder / "m.a", code=1)
    expect(f"{ID}: expected the options numerator (1 to 65535) and shift (0 to 30)" in out, out)
    onnx_model(onnx, stated=False)
    out = run(byoc, "export", onnx, "--target", "host", "--plugin", ID, "-o", folder / "m.a", code=1)
    expect("'com.acme.Bump 'Bump' (#1)': operator is not supported, and the model does not state the type of 'b'" in out, out)
