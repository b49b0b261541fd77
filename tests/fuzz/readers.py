#!/usr/bin/env python3
"""Runs everything that reads what others wrote under libFuzzer with ASan and UBSan (the preset "fuzz" builds
build/fuzz/bin/fuzz_import, fuzz_import_tree, fuzz_bytecode, fuzz_remote, fuzz_server and fuzz_readers): models, import
trees, bytecode, both sides of remote runs, and what the command line reads beside them.

The corpus starts from the official ONNX cases, the models and trees that the tests write, random graphs as text, files
that byoc writes, files in tests/fuzz/readers/seeds, and what earlier runs found, in tests/fuzz/readers/corpus; it is
kept in build/fuzz/corpus and grows from run to run. What crashes is left in build/fuzz/crashes.

--save writes what covers all that is covered to tests/fuzz/readers/corpus; ctest reads these files in every build, with
some damage done to each (--replay).
"""

import argparse
import hashlib
import io
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from commands import make_inputs

ROOT = Path(__file__).resolve().parents[2]
OFFICIAL = Path("/usr/share/libonnx-testdata/data")
LARGEST = 20_000  # bytes: what is small is mutated thousands of times a second
RANDOM_GRAPHS = 200
MOST_MEMORY = {"bytecode": 100}  # MiB, of one allocation: a run may take 4
WORDS = 2000  # of a dictionary
TARGET = "cortex-m4f"

# Which program reads each format; of fuzz_readers, which of its readers, and what a working command has of that format.
MODELS = {"onnx": "fuzz_import", "tflite": "fuzz_import", "text": "fuzz_import", "import-tree": "fuzz_import_tree",
          "bytecode": "fuzz_bytecode", "remote": "fuzz_remote", "server": "fuzz_server"}
FILES = {
    "target": ["target.json"],
    "toolchain": ["toolchain.json"],
    "manifest": ["m.json", "i.json"],
    "plugin-manifest": ["acme.byoc.json"],
    "folder": ["tree/tree.json"],
    "npy": ["x.npy"],
    "pb": [],
    "tar": [],
    "metadata": [],
    "so": [],
    "npz": ["x.npz"],
    "static-library": [],
    "loaded-tar": [],
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
# What byoc exports of a small model: the format, the executor, the file, and of an archive the entries that are read.
EXPORTS = (("bytecode", "interpreted", "m.byocm"), ("so", "aot", "m.so"), ("so", "vm", "v.so"), ("so", "graph", "g.so"),
           ("static-library", "aot", "m.a"), ("static-library", "vm", "v.a"), ("static-library", "graph", "g.a"),
           ("tar", "aot", "m.tar"), ("tar", "graph", "g.tar"), ("loaded-tar", "aot", "m.tar"),
           ("loaded-tar", "vm", "v.tar"), ("loaded-tar", "graph", "g.tar"))
READ_OF_TARS = ("metadata.json", ".o", ".params", ".graph")
MEMORY = Path("/dev/shm")
SEEDS = Path(__file__).resolve().parent / "readers" / "seeds"  # by format: files of others' formats, by hand
SAVED = SEEDS.parent / "corpus"  # by format: what earlier runs found
NOT_SAVED = ("onnx", "pb")  # much of theirs is others' data
LARGEST_SAVED = 6_000  # bytes, of what takes thousands of files
# Tests that write such files.
WRITERS = {"tflite": (("unit_import_tflite",), ("e2e_layers", "--gtest_filter=*_evaluator")),  # nothing is compiled
           "import-tree": (("unit_module",),), "bytecode": (("unit_bytecode",),),
           "remote": (("unit_remote", "--gtest_filter=Protocol.*"),),
           "server": (("unit_remote", "--gtest_filter=Client.*"),),
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


def seed_exports(corpus, byoc):
    """Of small models; files that are there are kept."""
    models = [*sorted(OFFICIAL.glob("node/*/model.onnx"))[::4],
              *sorted((ROOT / "tests" / "lit" / "run" / "Inputs").glob("*.byoc"))]
    with tempfile.TemporaryDirectory() as name:
        for number, model in enumerate(models):
            few = number % 50 == 0
            for format_, executor, file in EXPORTS if few else EXPORTS[:1]:
                seed = corpus / format_ / f"seed-{number}-{file}"
                words = [byoc, "export", model, "--target", "host", "--executor", executor, "-o", file, "--name", "m"]
                if seed.exists() or subprocess.run(words, cwd=name, capture_output=True, check=False).returncode != 0:
                    continue
                made = Path(name) / file
                if file.endswith(".tar"):
                    with tarfile.open(made) as tar:
                        entries = [(e, tar.extractfile(e).read()) for e in tar if e.name.endswith(READ_OF_TARS)]
                    with tarfile.open(made, "w", format=tarfile.USTAR_FORMAT) as tar:
                        for entry, data in entries:
                            tar.addfile(entry, io.BytesIO(data))
                    for entry, data in entries:
                        for kind, ending in (("metadata", ".json"), ("params", ".params"), ("graph-json", ".graph")):
                            if entry.name.endswith(ending):
                                (corpus / kind / f"seed-{number}-{file}{ending}").write_bytes(data)
                if made.stat().st_size <= LARGEST * 2:
                    shutil.copyfile(made, seed)


def environment(format_):
    """Readers of files get each input as one: in memory, which takes a tenth of the time."""
    memory = {"TMPDIR": str(MEMORY)} if MEMORY.is_dir() else {}
    return memory | os.environ | {"BYOC_FUZZ_READER": format_}


def unpack_saved(folder):
    """What earlier runs found of the format that the folder is named for."""
    saved = SAVED / f"{folder.name}.tar.xz"
    if saved.exists():
        with tarfile.open(saved) as tar:
            for entry in tar:
                (folder / entry.name).write_bytes(tar.extractfile(entry).read())


def save(corpus, programs):
    """For each format the fewest small files that cover what all small ones cover."""
    SAVED.mkdir(exist_ok=True)
    for format_, program in programs.items():
        if format_ in NOT_SAVED:
            continue
        with tempfile.TemporaryDirectory() as name:
            small, least = Path(name) / "small", Path(name) / "least"
            least.mkdir()
            shutil.copytree(corpus / format_, small)
            for path in small.iterdir():
                if format_ in MODELS and path.stat().st_size > LARGEST_SAVED:
                    path.unlink()
            subprocess.run([program, "-set_cover_merge=1", "-print_funcs=0", least, small], check=True,
                           env=environment(format_), stderr=subprocess.DEVNULL)
            contents = sorted(path.read_bytes() for path in least.iterdir())
        if not contents:
            continue
        with tarfile.open(SAVED / f"{format_}.tar.xz", "w:xz", format=tarfile.USTAR_FORMAT) as tar:
            for content in contents:
                entry = tarfile.TarInfo(hashlib.sha256(content).hexdigest()[:16])
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
        print(f"{format_}: {len(contents)} files, {(SAVED / f'{format_}.tar.xz').stat().st_size} bytes", flush=True)
    return 0


def replay(formats, bin_folder, variants):
    """Reads what is saved, and as many damaged variants, with the programs of an ordinary build."""
    for format_ in formats:
        program = bin_folder / MODELS.get(format_, "fuzz_readers").replace("fuzz_", "replay_")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / format_
            folder.mkdir()
            unpack_saved(folder)
            files = [*sorted(folder.iterdir()), *sorted((SEEDS / format_).glob("*"))]
            if not files:
                print(f"{format_}: nothing is saved")
                return 1
            print(f"{format_}:", end=" ", flush=True)
            if subprocess.run([program, f"--mutations={-(-variants // len(files))}", *files], check=False,
                              env=environment(format_)).returncode != 0:
                return 1
    return 0


def write_dictionary(corpus, path):
    """The names in the seeds, for libFuzzer to put where it likes."""
    words = set()
    for seed in corpus.glob("seed-*"):
        words.update(re.findall(rb"[\w.:/-]{2,40}", seed.read_bytes()[:LARGEST]))
    lines = sorted(f'"{word.decode("ascii")}"' for word in words if word.isascii())
    path.write_text("\n".join(lines[:WORDS]) + "\n", encoding="ascii")


def run_fuzzer(command, variables):
    """(CPU hours, the last line that tells of coverage) of one format's turn."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    state = ""
    with subprocess.Popen(command, env=variables, stderr=subprocess.PIPE, text=True, errors="replace") as fuzzer:
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
    parser.add_argument("--tests", type=Path, default=ROOT / "build" / "bin",
                        help="where byoc and the tests' programs are")
    parser.add_argument("--replay", type=int, metavar="N",
                        help="instead: read what is saved, and N damaged variants of it, without libFuzzer")
    parser.add_argument("--save", action="store_true", help="instead: keep the corpus in the source tree")
    arguments = parser.parse_args()
    formats = arguments.format or [*MODELS, *FILES]
    programs = {name: arguments.build / "bin" / MODELS.get(name, "fuzz_readers") for name in formats}
    if arguments.replay is not None:
        return replay(formats, arguments.tests, arguments.replay)
    if arguments.save:
        return save(arguments.build / "corpus", programs)
    crashes = arguments.build / "crashes"
    crashes.mkdir(parents=True, exist_ok=True)
    before = set(crashes.iterdir())
    corpus = arguments.build / "corpus"
    for name in (*MODELS, *FILES):
        (corpus / name).mkdir(parents=True, exist_ok=True)
        unpack_saved(corpus / name)
    seed_models(corpus, arguments.tests)
    seed_files(corpus, arguments.tests)
    seed_exports(corpus, arguments.tests / "byoc")
    # libFuzzer starts its program again and again: a copy, so that a build meanwhile does no harm.
    running = {program: Path(shutil.copy2(program, arguments.build / f"{program.name}_running"))
               for program in set(programs.values())}
    # The formats take turns and share the time.
    dictionary = arguments.build / "words.dict"
    for name in formats:
        folder = corpus / name
        write_dictionary(folder, dictionary)
        print(f"{name}: {len(list(folder.iterdir()))} files to start from", flush=True)
        command = [running[programs[name]], "-timeout=30", "-rss_limit_mb=4096",
                   f"-malloc_limit_mb={MOST_MEMORY.get(name, 300)}",
                   "-max_len=40000", "-print_funcs=0", "-verbosity=1", f"-artifact_prefix={crashes}/{name}-",
                   f"-dict={dictionary}", f"-fork={arguments.jobs}", "-ignore_crashes=1", "-ignore_timeouts=1",
                   "-ignore_ooms=1", f"-max_total_time={max(1, int(arguments.minutes * 60 / len(formats)))}", folder]
        options = {"UBSAN_OPTIONS": "print_stacktrace=1", "ASAN_OPTIONS": "allocator_may_return_null=0"}
        hours, state = run_fuzzer(command, environment(name) | options)
        with open(arguments.build / "hours.txt", "a", encoding="utf-8") as log:
            log.write(f"{time.strftime('%Y-%m-%d')} readers, {name}: {hours:.3f} CPU hours, {state}\n")
    found = sorted(set(crashes.iterdir()) - before)
    for path in found:
        print(path)
    print(f"{len(found)} inputs crash, take too long or too much memory")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
