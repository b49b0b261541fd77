#!/usr/bin/env python3
"""Runs the demo's models on its signals through `byoc run` and compares every answer with the one numpy gave."""

import argparse
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

TARGETS = ("host", "cortex-m4f", "cortex-m55")
# The int8 model may round one logit to its neighbour (sums in another order); a step of the last layer moves a
# probability by less than this.
TOLERANCE = {"float": 1e-4, "int8": 0.03}


def answer(byoc, model, target, signal):
    with tempfile.TemporaryDirectory() as folder:
        command = [byoc, "run", model, "--target", target, "--input", signal, "--output-dir", folder,
                   "--no-profile", "--quiet"]
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{model.name} on {target}: {result.stderr}")
        return struct.unpack("<4f", Path(folder, "output_0.raw").read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--byoc", required=True, type=Path)
    arguments = parser.parse_args()
    demo = arguments.source / "examples" / "demo"
    signals = json.loads((demo / "signals" / "signals.json").read_text())["signals"]
    failures = 0
    for kind, tolerance in TOLERANCE.items():
        for target in TARGETS:
            # The simulator is slow to start: all signals on the host, one of each class elsewhere.
            for signal in signals if target == "host" else signals[:4]:
                found = answer(arguments.byoc, demo / f"vibration_{kind}.onnx", target, demo / "signals" / signal["file"])
                if max(abs(a - b) for a, b in zip(found, signal[kind])) > tolerance:
                    print(f"{kind} on {target}, {signal['file']}: found {found}, expected {signal[kind]}")
                    failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
