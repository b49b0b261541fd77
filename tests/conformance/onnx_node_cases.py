#!/usr/bin/env python3
"""Cases of others, packed in an archive that may lie beside the checkout: the official ONNX node cases of a newer
release, or with --archive those of ONNX Runtime's unit tests.

    onnx_node_cases.py --runner build/bin/conformance_c --folder build/onnx-cases -- --summary

unpacks the archive into the folder, once, and calls the runner on it with what stands behind `--`. Without an archive
there is nothing to run: exit code 77.
"""

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ARCHIVE = "onnx-cases/onnx-node-cases.tar.xz"
SOURCE = Path(__file__).resolve().parents[2]


def find_archive(name):
    named = os.environ.get("BYOC_SHARED")
    folders = [Path(named)] if named else [SOURCE.parent / "shared", SOURCE.parent.parent / "shared"]
    return next((f / name for f in folders if (f / name).is_file()), None)


def unpack(archive, folder):
    """Leaves the cases of this very archive in the folder, whole or not at all. One process at a time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = folder.with_name(f"{folder.name}.lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)  # until this returns
    status = archive.stat()
    stamp = f"{status.st_size} {status.st_mtime_ns}\n"
    mark = folder / "archive"
    if mark.is_file() and mark.read_text() == stamp:
        return
    partial = folder.with_name(f"{folder.name}.{os.getpid()}")
    with tarfile.open(archive) as tar:
        for member in tar:
            target = (partial / member.name).resolve()
            if not target.is_relative_to(partial.resolve()) or not (member.isfile() or member.isdir()):
                sys.exit(f"{archive}: '{member.name}' is no plain file below the folder")
            tar.extract(member, partial)
    (partial / "archive").write_text(stamp)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True, help="conformance_c")
    parser.add_argument("--archive", default=ARCHIVE, help="its path in the folder of shared data")
    parser.add_argument("--folder", required=True, type=Path, help="where the cases are unpacked")
    parser.add_argument("arguments", nargs="*", help="of the runner, behind --")
    options = parser.parse_args()
    archive = find_archive(options.archive)
    if archive is None:
        print(f"no {options.archive}: neither in $BYOC_SHARED nor in ../shared")
        return 77
    unpack(archive, options.folder.resolve())
    return subprocess.run([options.runner, "--cases", options.folder, *options.arguments]).returncode


if __name__ == "__main__":
    sys.exit(main())
