#!/usr/bin/env python3
"""A model with large weights that a kernel reads in another order, exported with a plug-in in byoc's process and in one of
its own: the same files, and the same memory of all processes together."""

import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

BYOC, BACKEND = sys.argv[1:3]
del sys.argv[1:3]
MIB = 1 << 20
ROWS, COLUMNS = 4096, 6144
WEIGHTS = 4 * ROWS * COLUMNS  # 96 MiB
BOUND = 40 * MIB  # what isolation may take besides: the other process's own pages


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    """Of a message of Protocol Buffers: an integer, or bytes of any kind."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor_value(name, dims):
    shape = b"".join(field(1, field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def model():
    """y = x W as ONNX, W of floats that are not all the same."""
    pattern = b"".join(i.to_bytes(2, "little") + b"\x80\x3f" for i in range(4093))
    weights = (pattern * (WEIGHTS // len(pattern) + 1))[:WEIGHTS]
    node = field(1, "x") + field(1, "w") + field(2, "y") + field(4, "MatMul")
    w = field(1, ROWS) + field(1, COLUMNS) + field(2, 1) + field(8, "w") + field(9, weights)
    graph = (field(1, node) + field(2, "dense") + field(5, w) + field(11, tensor_value("x", [1, ROWS])) +
             field(12, tensor_value("y", [1, COLUMNS])))
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


def resident(pid):
    """Bytes of a process and all that it started; pages of several are shared out among them."""
    total = 0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) << 10
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                total += resident(int(child))
    except (FileNotFoundError, ProcessLookupError):
        pass  # it has ended
    return total


class IsolateMemory(unittest.TestCase):
    def export(self, folder, *words):
        """The files, and the peak of the memory."""
        out = folder / "out"
        out.mkdir()
        process = subprocess.Popen([BYOC, "export", folder / "model.onnx", "--target", "cortex-m4f", "-q", "--name", "m",
                                    *words, "-o", out / "m.a"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        told = []
        reader = threading.Thread(target=lambda: told.append(process.stdout.read()))
        reader.start()
        peak = 0
        while process.poll() is None:
            peak = max(peak, resident(process.pid))
            time.sleep(0.005)
        reader.join()
        self.assertEqual(process.returncode, 0)
        self.assertRegex(told[0], r"^[^\n]*: warning: the model needs more flash than any chip with a cortex-m4f [^\n]*\n$")
        files = {path.name: path.read_bytes() for path in out.iterdir()}
        for path in out.iterdir():
            path.unlink()
        out.rmdir()
        return files, peak

    def test_same_files_and_memory(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / "model.onnx").write_bytes(model())
            here, with_one = self.export(folder, "--plugin", BACKEND)
            there, with_two = self.export(folder, "--plugin", BACKEND, "--isolate")
        self.assertEqual(here.keys(), there.keys())
        for name, content in here.items():
            self.assertTrue(content == there[name], f"{name} differs")
        self.assertGreater(len(here["m.a"]), WEIGHTS)
        print(f"{with_one / MIB:.0f} MiB, isolated {with_two / MIB:.0f} MiB, of {WEIGHTS / MIB:.0f} MiB of weights")
        self.assertLess(with_two, with_one + BOUND)


if __name__ == "__main__":
    unittest.main()
