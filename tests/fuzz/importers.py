#!/usr/bin/env python3
"""Runs the importers and the reader of import trees under libFuzzer with ASan and UBSan (the preset "fuzz" builds
build/fuzz/bin/fuzz_import and fuzz_import_tree).

The corpus starts from the official ONNX cases, the models and trees that the tests write, and random graphs as text; it
is kept in build/fuzz/corpus and grows from run to run. What crashes is left in build/fuzz/crashes.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OFFICIAL = Path("/usr/share/libonnx-testdata/data")
LARGEST = 20_000  # bytes: what is small is mutated thousands of times a second
WRITERS = {"tflite": ("unit_import_tflite", "e2e_layers"), "tree": ("unit_module",)}  # tests that write such files
PROGRAMS = {"onnx": "fuzz_import", "tflite": "fuzz_import", "text": "fuzz_import", "tree": "fuzz_import_tree"}
RANDOM_GRAPHS = 200


def seed(corpus, bin_folder):
    onnx, tflite, text, tree = (corpus / name for name in PROGRAMS)
    for folder in (onnx, tflite, text, tree):
        folder.mkdir(parents=True, exist_ok=True)
    for folder, found in ((onnx, [*OFFICIAL.glob("*/*/model.onnx"), *(ROOT / "examples").rglob("*.onnx")]),
                          (text, (ROOT / "tests").rglob("*.byoc"))):
        for path in found:
            if path.stat().st_size <= LARGEST:
                shutil.copyfile(path, folder / f"seed-{path.parent.name}-{path.name}")
    for folder in (tflite, tree):
        if any(folder.iterdir()):
            continue
        for writer in WRITERS[folder.name]:
            if (bin_folder / writer).exists():
                subprocess.run([bin_folder / writer], env=dict(os.environ, BYOC_KEEP_MODELS=str(folder)),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for path in folder.iterdir():
            if path.stat().st_size > LARGEST:
                path.unlink()
    for number in range(RANDOM_GRAPHS if (bin_folder / "fuzz_graphs").exists() else 0):
        printed = subprocess.run([bin_folder / "fuzz_graphs", "--print", "--seed", str(number)], check=True,
                                 capture_output=True).stdout
        if len(printed) <= LARGEST:
            (text / f"seed-random-{number}").write_bytes(printed)
    return onnx, tflite, text, tree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="in total (default: %(default)s)")
    parser.add_argument("--format", choices=tuple(PROGRAMS), action="append", help="these alone")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--tests", type=Path, default=ROOT / "build" / "bin", help="where the tests' programs are")
    arguments = parser.parse_args()
    crashes = arguments.build / "crashes"
    crashes.mkdir(parents=True, exist_ok=True)
    before = set(crashes.iterdir())
    # The formats take turns and share the time.
    folders = [f for f in seed(arguments.build / "corpus", arguments.tests)
               if not arguments.format or f.name in arguments.format]
    # libFuzzer starts its program again and again: a copy, so that a build meanwhile does no harm.
    programs = {name: Path(shutil.copy2(arguments.build / "bin" / name, arguments.build / f"{name}_running"))
                for name in {PROGRAMS[f.name] for f in folders}}
    for folder in folders:
        print(f"{folder.name}: {len(list(folder.iterdir()))} files to start from", flush=True)
        command = [programs[PROGRAMS[folder.name]], "-timeout=30", "-rss_limit_mb=4096", "-malloc_limit_mb=3000",
                   "-max_len=40000", "-print_final_stats=1", "-verbosity=1", f"-artifact_prefix={crashes}/", "-fork=1",
                   "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1",
                   f"-max_total_time={int(arguments.minutes * 60 / len(folders))}", folder]
        environment = dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1", ASAN_OPTIONS="allocator_may_return_null=0")
        if subprocess.run(command, env=environment, check=False).returncode != 0:
            print(f"{folder.name}: stopped at an error")
    found = sorted(set(crashes.iterdir()) - before)
    for path in found:
        print(path)
    print(f"{len(found)} inputs crash, take too long or too much memory")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
