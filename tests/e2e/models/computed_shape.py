#!/usr/bin/env python3
"""A transposed convolution whose output shape is an input: every tensor is the evaluator's, the result TensorFlow Lite
Micro's (whose kernel does not look at the shape: what comes with the results is none), and a shape that the model was not
made for ends the run with an error."""

import argparse
import struct
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("byoc")
    parser.add_argument("folder", type=Path)
    parser.add_argument("target")
    arguments = parser.parse_args()
    folder, model = arguments.folder, arguments.folder / "transpose_conv0.tflite"

    def run(shape, x, out):
        return subprocess.run([arguments.byoc, "run", model, "--target", arguments.target, "--compare", "--input", shape,
                               "--input", x, "--output-dir", out], capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as scratch:
        for k in (0, 1):
            shape, x = folder / f"input_0_{k}.raw", folder / f"input_1_{k}.raw"
            done = run(shape, x, scratch)
            if done.returncode != 0 or "tensors agree with the evaluator" not in done.stdout:
                sys.exit(done.stdout + done.stderr)
            if Path(scratch, "output_0.raw").read_bytes() != (folder / f"output_0_{k}.raw").read_bytes():
                sys.exit(f"output {k} is not the reference's")
        stated = Path(scratch, "stated.raw")
        for height, fits in ((3, True), (4, False)):
            stated.write_bytes(struct.pack("<4i", 1, height, 12, 64))
            done = run(stated, x, scratch)
            if (done.returncode == 0) != fits:
                sys.exit(f"height {height}: {done}")


if __name__ == "__main__":
    main()
