#!/usr/bin/env python3
"""Installs byoc, then configures, builds and runs examples/firmware in a clean folder with find_package(byoc).

The answers are compared with numpy's.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            stdin=subprocess.DEVNULL, **options)
    if result.returncode != 0:
        sys.exit(f"failed with {result.returncode}: {' '.join(map(str, command))}\n{result.stdout}")
    return result.stdout


def expected_lines(source):
    table = json.loads((source / "examples/demo/signals/signals.json").read_text())
    for index, signal in enumerate(table["signals"][:4]):
        best = max(range(len(table["classes"])), key=lambda i: signal["int8"][i])
        yield index, table["classes"][best], signal["int8"][best] * 100


def check_output(source, output):
    for index, name, percent in expected_lines(source):
        match = re.search(rf"^signal {index}: +(\d+) % {name}\r?$", output, re.MULTILINE)
        if match is None or abs(int(match.group(1)) - percent) > 1.5:
            sys.exit(f"signal {index}: expected '{percent:.0f} % {name}', found:\n{output}")


def check_other_packs(source, prefix, scratch):
    """The model as one object: the same answers, and every constant where it was exported to."""
    for pack in ("o",):
        folder = scratch / f"pack_{pack}"
        run("cmake", "-G", "Ninja", "-S", source / "examples/firmware", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DPACK={pack}", f"-DCMAKE_TOOLCHAIN_FILE={prefix}/share/byoc/toolchains/cortex-m4f.cmake")
        run("cmake", "--build", folder)
        check_output(source, run("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel",
                                 folder / "firmware.elf", timeout=60))
        run(prefix / "bin/byoc", "verify", folder / "firmware.elf", "--manifest", folder / "vibration/vibration.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--build", required=True, type=Path, help="build folder of byoc")
    arguments = parser.parse_args()
    source = arguments.source
    with tempfile.TemporaryDirectory() as scratch:
        prefix, folder = Path(scratch, "installed"), Path(scratch, "build")
        run("cmake", "--install", arguments.build, "--prefix", prefix)
        run("cmake", "-G", "Ninja", "-S", source / "examples/firmware", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_TOOLCHAIN_FILE={prefix}/share/byoc/toolchains/cortex-m4f.cmake")
        cache = (folder / "CMakeCache.txt").read_text()
        if f"BYOC_PROGRAM:FILEPATH={prefix}/bin/byoc" not in cache:
            sys.exit("the project did not find the installed byoc")
        run("cmake", "--build", folder)
        image = folder / "firmware.elf"
        check_output(source, run("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", image,
                                 timeout=60))
        # Nothing to do the second time; a newer byoc exports and links again.
        if "no work to do" not in run("cmake", "--build", folder):
            sys.exit("a second build did work")
        before = image.stat().st_mtime_ns
        (prefix / "bin" / "byoc").touch()
        run("cmake", "--build", folder)
        if image.stat().st_mtime_ns == before:
            sys.exit("a newer byoc did not make a new firmware")
        check_other_packs(source, prefix, Path(scratch))


if __name__ == "__main__":
    main()
