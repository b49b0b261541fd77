#!/usr/bin/env python3
"""Builds examples/mlperf-tiny and plays MLPerf Tiny's runner over the pseudo terminal that QEMU gives the board's serial port.

Outputs are compared with those of the network's golden inputs, the time with the instructions that `byoc run` counts.
"""

import argparse
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time
import tty
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from commands import expect, run  # noqa: E402

BYTES_OF_A_COMMAND = 31  # as the suite's runner cuts them
DEADLINE = 60


class Board:
    """QEMU, and the port as the runner has it."""

    def __init__(self, image):
        self.qemu = subprocess.Popen(["qemu-system-arm", "-M", "mps2-an386", "-display", "none", "-monitor", "none", "-serial",
                                      "pty", "-semihosting", "-icount", "shift=0", "-kernel", str(image)],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = self.qemu.stdout.readline()
        port = re.search(r"/dev/pts/\d+", said)
        expect(port, f"QEMU names its terminal: {said}")
        self.port = os.open(port.group(), os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.port)
        self.unread = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.port)
        self.qemu.kill()
        self.qemu.wait()

    def line(self):
        deadline = time.monotonic() + DEADLINE
        while b"\n" not in self.unread:
            expect(select.select([self.port], [], [], max(0, deadline - time.monotonic()))[0], "the board answers")
            self.unread += os.read(self.port, 4096)
        line, self.unread = self.unread.split(b"\n", 1)
        expect(line.endswith(b"\r"), f"lines end in CR LF: {line}")
        return line[:-1].decode()

    def ask(self, command):
        """The lines up to the one that says that the next command may come."""
        os.write(self.port, command.encode() + b"%")
        lines = []
        while not lines or lines[-1] != "m-ready":
            lines.append(self.line())
        return lines[:-1]

    def begin(self):
        """What the board said before anybody listened is lost, or not."""
        os.write(self.port, b"name%")
        while not re.fullmatch(r"m-name-dut-\[byoc\]", self.line()):
            pass
        expect(self.line() == "m-ready", "the board is ready")

    def load(self, data):
        expect(self.ask(f"db load {len(data)}") == [f"m-[Expecting {len(data)} bytes]"], "db load")
        for at in range(0, len(data), BYTES_OF_A_COMMAND):
            said = self.ask("db " + data[at:at + BYTES_OF_A_COMMAND].hex())
            is_last = at + BYTES_OF_A_COMMAND >= len(data)
            expect(said == (["m-load-done"] if is_last else []), f"db at {at}: {said}")


def laps(lines):
    return [int(line.rsplit("-", 1)[1]) for line in lines if line.startswith("m-lap-us-")]


def check_infer(board, wanted, instructions):
    said = board.ask("infer 10 2")
    pattern = r"m-warmup-start-2 m-warmup-done m-infer-start-10 m-lap-us-\d+ m-lap-us-\d+ m-infer-done m-results-\[\S+\]"
    expect(re.fullmatch(pattern, " ".join(said)), f"infer 10 2: {said}")
    begin, end = laps(said)
    # A microsecond is a thousand instructions here.
    expect(abs((end - begin) / 10 / (instructions / 1000) - 1) < 0.02, f"{end - begin} us for 10 x {instructions}")
    results = [float(x) for x in said[-1][len("m-results-["):-1].split(",")]
    expect(len(results) == len(wanted) and all(abs(a - b) <= 0.0005001 for a, b in zip(results, wanted)),
           f"results {results}, expected {wanted}")
    expect(board.ask("results") == said[-1:], "results says them again")
    print(f"10 inferences: {end - begin} us; results {results}")


def check_errors(board):
    for command, says in (("measure 3", "Unknown command: measure"), ("infer 0", "infer wants"), ("infer x", "infer wants"),
                          ("infer 1 -1", "infer wants"), ("db", "subcommand"), ("db load 0", "1 to 27648"),
                          ("db load 27649", "1 to 27648"), ("db load 99999999999", "1 to 27648"), ("db 123", "two digits each"),
                          ("db print x", "wants numbers"), ("name" + " " * 90, "at most 80")):
        said = board.ask(command)
        expect(len(said) == 1 and said[0].startswith("e-[") and says in said[0], f"{command}: {said}")
    board.ask("db load 2")
    expect(board.ask("db 1g") == ["e-[No hexadecimal digits: '1g']"], "digits")
    expect(board.ask("db 0102") == ["m-load-done"], "what was wrong is not loaded")
    expect(board.ask("db 03") == ["e-[More than the 2 bytes of db load]"], "bytes that were not announced")
    expect(board.ask("infer 1 0")[0] == "e-[The input has 490 bytes, found 2]", "an input that is not whole")
    expect(board.ask("") == [] and board.ask("help")[0].startswith("name"), "a lone sign, and help")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--build", required=True, type=Path, help="build folder of byoc")
    parser.add_argument("--models", required=True, type=Path, help="what tests/networks wrote")
    arguments = parser.parse_args()
    model = arguments.models / "ds_cnn_int8.tflite"
    golden = json.loads((arguments.models / "golden/golden.json").read_text())["models"]["ds_cnn_int8"]["vectors"][0]
    folder = arguments.models / "golden"
    data = (folder / golden["input"]).read_bytes()
    output = (folder / golden["output"]).read_bytes()
    with tempfile.TemporaryDirectory() as scratch:
        prefix, built = Path(scratch, "installed"), Path(scratch, "build")
        run("cmake", "--install", arguments.build, "--prefix", prefix)
        run("cmake", "-G", "Ninja", "-S", prefix / "share/doc/byoc/examples/mlperf-tiny", "-B", built, f"-DMODEL={model}",
            f"-DCMAKE_PREFIX_PATH={prefix}", "-DINPUT_NAME=INPUT", "-DOUTPUT_NAME=SOFTMAX_12",
            "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON", f"-DCMAKE_TOOLCHAIN_FILE={prefix}/share/byoc/toolchains/cortex-m4f.cmake")
        run("cmake", "--build", built)
        counted = json.loads(run(prefix / "bin/byoc", "run", model, "--target", "cortex-m4f", "-q", "--no-profile", "--stats",
                                 "/dev/stdout"))["instructions"]
        with Board(built / "mlperf_tiny.elf") as board:
            board.begin()
            expect(board.ask("profile") == ["m-profile-[ULPMark for tinyML Firmware V0.0.1]", "m-model-[kws01]"], "profile")
            # A microsecond is a thousand instructions of QEMU's: two questions may have one answer.
            times = [laps(board.ask("timestamp")) for _ in range(50)]
            expect(all(len(t) == 1 for t in times) and times == sorted(times) and times[0] < times[-1],
                   f"time goes on: {times}")
            board.load(data)
            printed = "".join(board.ask("db print")).replace("m-buffer", "").replace("-", "")
            expect(printed == data.hex(), "db print says what was loaded")
            expect(board.ask("db print 3 1") == ["m-buffer-" + "-".join(f"{b:02x}" for b in data[1:4])], "db print 3 1")
            check_infer(board, [(b - 256 if b > 127 else b) / 256 + 0.5 for b in output], counted)
            check_errors(board)


if __name__ == "__main__":
    main()
