"""Runs a light ONNX model (weights made by ConstantOfShape) on the host and compares its output within 1e-4.

usage: light.py BYOC MODELS_DIR STEM SHAPE     e.g. light.py byoc models light_squeezenet 1,3,224,224
The input is arange(n)/n in float32.
"""

import array
import math
import pathlib
import subprocess
import sys
import tempfile


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def tensor_floats(data):
    """The floats of an ONNX TensorProto: raw_data (field 9) or packed float_data (field 4)."""
    at, out = 0, array.array("f")
    while at < len(data):
        key, at = varint(data, at)
        field, wire = key >> 3, key & 7
        if wire == 0:
            _, at = varint(data, at)
        elif wire == 5:
            at += 4
        elif wire == 2:
            size, at = varint(data, at)
            if field in (4, 9):
                out.frombytes(data[at:at + size])
            at += size
        else:
            sys.exit(f"unexpected wire type {wire}")
    return out


def main():
    byoc, models, stem, shape = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    model = models / f"onnx_light/{stem}.onnx"
    count = math.prod(map(int, shape.split(",")))
    expected = tensor_floats((models / f"onnx_light/{stem}_output_0.pb").read_bytes())
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "input.raw")
        path.write_bytes(array.array("f", (i / count for i in range(count))).tobytes())
        command = [byoc, "run", str(model), "--target", "host", "--input", str(path), "--output-dir", directory,
                   "--no-profile", "-q"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        found = array.array("f")
        found.frombytes(pathlib.Path(directory, "output_0.raw").read_bytes())
    if len(found) != len(expected):
        sys.exit(f"{len(found)} elements, expected {len(expected)}")
    worst = max(abs(f - e) / max(abs(e), 1e-7) for f, e in zip(found, expected))
    print(f"{stem}: {len(found)} elements, largest relative difference {worst:.2e}")
    sys.exit(0 if worst <= 1e-4 else 1)


if __name__ == "__main__":
    main()
