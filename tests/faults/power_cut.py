#!/usr/bin/env python3
"""What a power cut leaves of outputs written with --fsync, worked out from the changes to files that a command made.

The injector logs them in order: "entry FOLDER INODE" (made), "write INODE", "sync INODE", "place FOLDER INODE PATH" (a
rename to PATH). Of a cut at any moment the worst is supposed: what was written to a file since it was synchronised is
lost, and so is what was made in a folder; a rename may have reached the disk or not until its folder is synchronised.
Then each output has to be what it was, or what it is to be with everything in it; and at the end what it is to be.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "examples" / "demo" / "vibration_int8.onnx"
EXPORT = ["export", MODEL, "--target", "cortex-m4f"]
COMMANDS = (
    [*EXPORT, "-o", "out/m.a", "--report", "out/r.json"],
    [*EXPORT, "-o", "out/m.tar"],
    [*EXPORT, "-o", "out/tree/"],
    ["export", MODEL, "--target", "host", "-o", "out/m.so"],
    ["pack-constants", MODEL, "--symbol", "data", "--target", "cortex-m4f", "-o", "out/c.a"],
)


def findings(log, folder, outputs):
    """What may be wrong after a cut. `outputs`: {path: inodes of it and of everything in it, at the end}."""
    lost = set()  # inodes that are not as they would be after a cut
    placed = {}  # path -> folder that is not synchronised since
    out = []
    for line in log.splitlines():
        kind, first, *rest = line.split(" ", 3)
        if kind == "write":
            lost.add(first)
        elif kind == "entry":
            lost.update((first, rest[0]))
        elif kind == "sync":
            lost.discard(first)
            placed = {path: of for path, of in placed.items() if of != first}
        else:
            path = os.path.normpath(folder / rest[1])
            if path in outputs:
                placed[path] = first
                seen = outputs[path] & lost
                if seen:
                    out.append(f"{path} is placed before {len(seen)} of its parts are on the disk")
    return out + [f"{path} has its name before the name is on the disk" for path in placed]


def run(byoc, injector, command, options):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "out").mkdir()
        environment = {**os.environ, "LD_PRELOAD": str(injector), "BYOC_FAULT_CHANGES": str(folder / "changes")}
        subprocess.run([byoc, *command, *options], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        outputs = {}
        for path in (folder / "out").iterdir():
            inside = [path, *(path.rglob("*") if path.is_dir() else ())]
            outputs[str(path)] = {str(p.stat().st_ino) for p in inside}
        return outputs, findings((folder / "changes").read_text(), folder, outputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoc", type=Path, default=ROOT / "build" / "bin" / "byoc")
    parser.add_argument("--injector", type=Path, default=ROOT / "build" / "tests" / "faults" / "injector.so")
    arguments = parser.parse_args()
    wrong = 0
    for command in COMMANDS:
        what = f"{command[0]} {Path(command[command.index('-o') + 1]).name}"
        outputs, found = run(arguments.byoc.resolve(), arguments.injector.resolve(), command, ["--fsync"])
        # Without --fsync the same look has to find something, or it does not look.
        _, without = run(arguments.byoc.resolve(), arguments.injector.resolve(), command, [])
        print(f"{what}: {len(outputs)} outputs, {len(found)} findings; without --fsync {len(without)}")
        for text in found:
            print(f"  {text}")
        wrong += bool(found) or not outputs or len(without) < len(outputs)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
