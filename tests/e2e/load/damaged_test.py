#!/usr/bin/env python3
"""Libraries whose code is damaged, of every executor that has code: an error that names the end of the model's process,
and never the end of byoc's own."""

import argparse
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from commands import run  # noqa: E402

TRAP = b"\xcc"  # of x86-64; elsewhere no instruction that code begins with


def text_section(image):
    """Offset and size of .text in a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", image, 0x28)
    size, count, names = struct.unpack_from("<HHH", image, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", image, table + i * size) for i in range(count)]
    strings = sections[names][4]
    for name, _, _, _, offset, length in sections:
        if image[strings + name:].startswith(b".text\0"):
            return offset, length
    sys.exit("the library has no .text")


def check(byoc, model, executor, scratch):
    library = scratch / f"{executor}.so"
    run(byoc, "export", model, "--target", "host", "--executor", executor, "-q", "--name", "m", "-o", library)
    run(byoc, "run", library, "--fill", "ones", "-q", "--output-dir", scratch / executor)
    image = bytearray(library.read_bytes())
    offset, length = text_section(image)
    image[offset:offset + length] = TRAP * length
    library.write_bytes(image)
    done = subprocess.run([byoc, "run", library, "--fill", "ones", "-q", "--output-dir", scratch / "x"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 1 or "the process that ran the model died of signal" not in done.stdout:
        sys.exit(f"{executor}: exit {done.returncode}: {done.stdout}")
    if (scratch / "x").exists():
        sys.exit(f"{executor}: outputs of a run that died")
    print(f"{executor}: {done.stdout.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--byoc", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for executor in ("aot", "graph", "vm"):
            check(arguments.byoc, arguments.source / "examples/demo/vibration_int8.onnx", executor, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
