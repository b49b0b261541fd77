#!/usr/bin/env python3
"""Runs everything that reads what others wrote under libFuzzer with ASan and UBSan (the preset "fuzz" builds
build/fuzz/bin/fuzz_import, fuzz_import_tree, fuzz_bytecode, fuzz_remote and fuzz_readers): models, import trees, bytecode, and what
the command line reads beside them.

The corpus starts from the official ONNX cases, the models and trees that the tests write, random graphs as text,
files that byoc writes, and files in tests/fuzz/readers/seeds; it is kept in build/fuzz/corpus and grows from run to run. What crashes is left in
build/fuzz/crashes.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from commands import make_inputs

ROOT = Path(__file__).resolve().parents[2]
OFFICIAL = Path("/usr/share/libonnx-testdata/data")
LARGEST = 20_000  # bytes: what is small is mutated thousands of times a second
RANDOM_GRAPHS = 200
WORDS = 2000  # of a dictionary
TARGET = "cortex-m4f"

# Which program reads each format; of fuzz_readers, which of its readers, and what a working command has of that format.
MODELS = {"onnx": "fuzz_import", "tflite": "fuzz_import", "text": "fuzz_import", "import-tree": "fuzz_import_tree",
          "bytecode": "fuzz_bytecode", "remote": "fuzz_remote"}
FILES = {
    "target": ["target.json"],
    "toolchain": ["toolchain.json"],
    "manifest": ["m.json", "i.json"],
    "plugin-manifest": ["acme.byoc.json"],
    "folder": ["tree/tree.json"],
    "npy": ["x.npy"],
    "pb": [],
    "tar": ["mlf.tar"],
    "so": ["lib.so"],
    "npz": ["x.npz"],
    "static-library": ["i.a", "lib.a"],
    "loaded-tar": ["i.tar", "mlf.tar"],
    "object": ["h.o", "g.o"],
    "result": [],
    "graph-json": [],
    "params": [],
    "device-blob": [],
    "record": [],
    "weights": ["w.bin", "other_w.bin"],
    "intel-hex": ["w.hex"],
    "delta": ["w.delta"],
    "program": ["logo.elf"],
}
SEEDS = Path(__file__).resolve().parent / "readers" / "seeds"  # by format: files of others' formats, by hand
# Tests that write such files.
WRITERS = {"tflite": (("unit_import_tflite",), ("e2e_layers", "--gtest_filter=*_evaluator")),  # nothing is compiled
           "import-tree": (("unit_module",),), "bytecode": (("unit_vm",),), "remote": (("unit_remote",),),
           "record": (("unit_plugin",),)}


def seed_models(corpus, bin_folder):
    onnx, text = corpus / "onnx", corpus / "text"
    for folder, found in ((onnx, [*OFFICIAL.glob("*/*/model.onnx"), *(ROOT / "examples").rglob("*.onnx")]),
                          (text, (ROOT / "tests").rglob("*.byoc"))):
        for path in found:
            if path.stat().st_size <= LARGEST:
                shutil.copyfile(path, folder / f"seed-{path.parent.name}-{path.name}")
    for folder in (corpus / name for name in WRITERS):
        if any(folder.iterdir()):
            continue
        for writer, *words in WRITERS[folder.name]:
            if (bin_folder / writer).exists():
                subprocess.run([bin_folder / writer, *words], env=dict(os.environ, BYOC_KEEP_MODELS=str(folder)),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for path in folder.iterdir():
            if path.stat().st_size > LARGEST:
                path.unlink()
    for number in range(RANDOM_GRAPHS if (bin_folder / "fuzz_graphs").exists() else 0):
        printed = subprocess.run([bin_folder / "fuzz_graphs", "--print", "--seed", str(number)], check=True,
                                 capture_output=True).stdout
        if len(printed) <= LARGEST:
            (text / f"seed-random-{number}").write_bytes(printed)


def seed_files(corpus, bin_folder):
    with tempfile.TemporaryDirectory() as name:
        made = Path(name) / "in"
        make_inputs(bin_folder / "byoc", made, TARGET)
        for format_, files in FILES.items():
            for file in files:
                path = made / file
                if path.is_file():
                    shutil.copyfile(path, corpus / format_ / f"seed-{path.name}")
    for path in SEEDS.glob("*/*"):
        shutil.copyfile(path, corpus / path.parent.name / f"seed-{path.name}")
    for description in (ROOT / "toolchains").glob("*.json"):
        shutil.copyfile(description, corpus / "target" / f"seed-{description.name}")
    for path in OFFICIAL.glob("node/test_a*/test_data_set_0/input_0.pb"):
        shutil.copyfile(path, corpus / "pb" / f"seed-{path.parent.parent.name}.pb")


def write_dictionary(corpus, path):
    """The names in the seeds, for libFuzzer to put where it likes."""
    words = set()
    for seed in corpus.glob("seed-*"):
        words.update(re.findall(rb"[\w.:/-]{2,40}", seed.read_bytes()[:LARGEST]))
    lines = sorted(f'"{word.decode("ascii")}"' for word in words if word.isascii())
    path.write_text("\n".join(lines[:WORDS]) + "\n", encoding="ascii")


def run_fuzzer(command, environment):
    """(CPU hours, the last line that tells of coverage) of one format's turn."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    state = ""
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, errors="replace") as fuzzer:
        for line in fuzzer.stderr:
            print(line, end="", flush=True)
            if re.match(r"#\d+: cov:", line):
                state = line.split(" exec/s")[0]
    if fuzzer.returncode != 0:
        print("stopped at an error")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 3600, state


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="in total (default: %(default)s)")
    parser.add_argument("--format", choices=(*MODELS, *FILES), action="append", help="these alone")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--tests", type=Path, default=ROOT / "build" / "bin", help="where byoc and the tests' programs are")
    arguments = parser.parse_args()
    crashes = arguments.build / "crashes"
    crashes.mkdir(parents=True, exist_ok=True)
    before = set(crashes.iterdir())
    corpus = arguments.build / "corpus"
    for name in (*MODELS, *FILES):
        (corpus / name).mkdir(parents=True, exist_ok=True)
    seed_models(corpus, arguments.tests)
    seed_files(corpus, arguments.tests)
    # libFuzzer starts its program again and again: a copy, so that a build meanwhile does no harm.
    running = {name: Path(shutil.copy2(arguments.build / "bin" / name, arguments.build / f"{name}_running"))
               for name in {*MODELS.values(), "fuzz_readers"}}
    # The formats take turns and share the time.
    formats = arguments.format or [*MODELS, *FILES]
    dictionary = arguments.build / "words.dict"
    for name in formats:
        folder = corpus / name
        write_dictionary(folder, dictionary)
        print(f"{name}: {len(list(folder.iterdir()))} files to start from", flush=True)
        command = [running[MODELS.get(name, "fuzz_readers")], "-timeout=30", "-rss_limit_mb=4096", "-malloc_limit_mb=3000",
                   "-max_len=40000", "-print_funcs=0", "-verbosity=1", f"-artifact_prefix={crashes}/{name}-",
                   f"-dict={dictionary}", f"-fork={arguments.jobs}", "-ignore_crashes=1", "-ignore_timeouts=1",
                   "-ignore_ooms=1", f"-max_total_time={max(1, int(arguments.minutes * 60 / len(formats)))}", folder]
        environment = dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1", ASAN_OPTIONS="allocator_may_return_null=0",
                           BYOC_FUZZ_READER=name)
        hours, state = run_fuzzer(command, environment)
        with open(arguments.build / "hours.txt", "a", encoding="utf-8") as log:
            log.write(f"{time.strftime('%Y-%m-%d')} readers, {name}: {hours:.3f} CPU hours, {state}\n")
    found = sorted(set(crashes.iterdir()) - before)
    for path in found:
        print(path)
    print(f"{len(found)} inputs crash, take too long or too much memory")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
