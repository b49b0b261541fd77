#!/usr/bin/env python3
"""examples/python-host on the demo model, in two forms: what it prints is what `byoc run` gives, and errors are its own."""

import argparse
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command, ok=True):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            stdin=subprocess.DEVNULL, timeout=300)
    if (result.returncode == 0) != ok:
        sys.exit(f"ended with {result.returncode}: {' '.join(map(str, command))}\n{result.stdout}")
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("byoc", "library", "source"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    arguments = parser.parse_args()
    example = arguments.source / "examples/python-host/run_model.py"
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for form in ("v.a", "v.so"):
            run(arguments.byoc, "export", arguments.source / "examples/demo/vibration_int8.onnx", "--target", "host", "-q",
                "--force", "-o", scratch / form)
        listing = run(arguments.byoc, "inspect", scratch / "v.a")
        size = int(re.search(r"^input .*, (\d+) bytes$", listing, re.MULTILINE).group(1))
        signal = scratch / "signal.raw"
        signal.write_bytes(struct.pack(f"<{size // 4}f", *[(i % 16 - 8) * 0.125 for i in range(size // 4)]))
        run(arguments.byoc, "run", scratch / "v.a", "-q", "--input", signal, "--output-dir", scratch)
        output = (scratch / "output_0.raw").read_bytes()
        expected = list(struct.unpack(f"<{len(output) // 4}f", output))
        for form in ("v.a", "v.so"):
            found = run(sys.executable, example, arguments.library, scratch / form, signal)
            if str(expected) not in found:
                sys.exit(f"{form}: expected {expected}, found:\n{found}")
        said = run(sys.executable, example, arguments.library, scratch / "none.a", signal, ok=False)
        if "none.a: error: cannot be opened" not in said:
            sys.exit(f"another error than expected:\n{said}")
        said = run(sys.executable, example, arguments.library, scratch / "v.a", ok=False)
        if "wrong number of tensors (found 0 inputs, 1 outputs, expected 1 and 1)" not in said:
            sys.exit(f"another error than expected:\n{said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
