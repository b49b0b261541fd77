#!/usr/bin/env python3
"""From the release archive to a right answer for a model that is not among the examples, by the commands of docs/first-model.md
alone, in a root folder that has nothing but the packages which one of them installs. The log is build/docs/path.log."""

import argparse
import json
import re
import shutil
import struct
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/docs"), str(ROOT / "tests/package")]
import markdown_page  # noqa: E402
import small_root  # noqa: E402
from commands import expect  # noqa: E402

SKIPPED = 77
HEADING = "## 5. Use your own model"
MOST_COMMANDS = 9  # with `./dev release`, which made the archive, ten
SYSTEM = ("bash", "dash", "coreutils", "tar", "gzip")  # what every machine has
MODEL, SHAPE = "ds_cnn_int8", (1, 49, 10, 1)


def commands_of(page):
    section = page.split(f"\n{HEADING}\n")[1].split("\n## ")[0]
    return [command.text for block in markdown_page.code_blocks(section) for command in markdown_page.commands(block)]


def installed_by(commands):
    """The packages that a command installs, which is then left out."""
    return [name for command in commands if command.startswith("sudo apt install ") for name in command.split()[3:]]


def npy(data, shape):
    """A file of int8 values in numpy's format."""
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def put_model(networks, home):
    """The model and its first input; gives the answer, which tests/networks computed without byoc."""
    golden = json.loads((networks / "golden/golden.json").read_text())["models"][MODEL]["vectors"][0]
    shutil.copy(networks / f"{MODEL}.tflite", home / "mine.tflite")
    (home / "mine.npy").write_bytes(npy((networks / "golden" / golden["input"]).read_bytes(), SHAPE))
    return (networks / "golden" / golden["output"]).read_bytes()


def walk(root, commands, log):
    """Runs the commands in a shell each; what one exports is there for the next ones."""
    exports = []
    for number, command in enumerate(commands, 1):
        start = time.monotonic()
        if command.startswith("sudo apt install "):
            log.write(f"{number}. $ {command}\n(they are in this root)\n\n")
            continue
        done = root.finish("bash", "-c", "\n".join(["exec 2>&1", "cd /root", *exports, command]))
        log.write(f"{number}. $ {command}\n{done.stdout}({time.monotonic() - start:.1f} s)\n\n")
        log.flush()
        expect(done.returncode == 0, f"'{command}' ends with {done.returncode}:\n{done.stdout}{done.stderr}")
        if command.startswith("export "):
            exports.append(command)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=Path)
    build = parser.parse_args().build.resolve()
    commands = commands_of((ROOT / "docs/first-model.md").read_text())
    expect(4 <= len(commands) <= MOST_COMMANDS, f"found {len(commands)} commands, expected at most {MOST_COMMANDS}")
    archives = sorted((build / "release").glob("byoc-*.tar.gz"))
    if not archives or not small_root.is_possible():
        print("skipped: needs the archive that package.archive makes, root, unshare and mounts")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        try:
            root = small_root.Root(folder, small_root.closure([*SYSTEM, *installed_by(commands)]))
        except LookupError as error:
            print(f"skipped: {error}")
            return SKIPPED
        home = root.folder / "root"
        expected = put_model(build / "networks", home)
        shutil.copy(archives[0], home)
        (build / "docs").mkdir(exist_ok=True)
        with open(build / "docs/path.log", "w") as log:
            walk(root, commands, log)
        answer = (home / "out/output_0.raw").read_bytes()
        expect(answer == expected, f"the answer is {answer.hex(' ')}, expected {expected.hex(' ')}")
        expect(re.search(rb"ELF", (home / "mine.elf").read_bytes()[:4]), "there is a firmware")
    print(f"{len(commands)} commands, the answer is right; the log is {build}/docs/path.log")
    return 0


if __name__ == "__main__":
    sys.exit(main())
