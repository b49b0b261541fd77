#!/usr/bin/env python3
"""Damages models in many ways, their structure kept or not, and lets `byoc inspect --prepared` read them; or what the
options say instead.

Whatever the bytes, byoc must end with 0, or with 1 and a diagnostic; never by a signal, with an internal error, or
without an end. A damaged model that fails is kept in the folder that --keep names. The same seed gives the same cases.
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutate import mutate

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
MEMORY = 4 << 30  # address space; a small model has no business with more
FUZZERS = ("fuzz_import", "fuzz_import_tree", "fuzz_bytecode", "fuzz_readers", "fuzz_remote", "fuzz_server")  # what readers.py runs
LARGEST = 400_000  # bytes of a model worth damaging


def corpus():
    """The demo's models, the networks that the build wrote and, where they are, those of ../shared."""
    found = sorted((ROOT / "examples" / "demo").glob("*.onnx"))
    networks = ROOT / "build" / "networks"
    found += sorted([*networks.glob("*.tflite"), *networks.glob("*_int8_*.onnx")])
    for shared in (os.environ.get("BYOC_SHARED"), ROOT.parent / "shared", ROOT.parent.parent / "shared"):
        if shared and (Path(shared) / "models").is_dir():
            models = Path(shared) / "models"
            found += sorted([*models.glob("*.tflite"), *models.glob("*_int8_*.onnx")])
            break
    return [path for path in found if path.stat().st_size <= LARGEST]


def verdict(byoc, path, memory):
    """None if byoc behaved, else what it did."""
    def limits():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        result = subprocess.run([str(byoc), "inspect", "--prepared", str(path)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} s"
    text = result.stderr.decode(errors="replace")
    if result.returncode not in (0, 1):
        return f"exit code {result.returncode}: {text[:200]}"
    if result.returncode == 1 and not text.strip():
        return "failed without a diagnostic"
    return f"internal error: {text[:200]}" if "internal error" in text else None


def damaged(models, seed, index):
    """(path of the original, bytes) of one case."""
    choose = random.Random(f"{seed}/{index}")
    origin = choose.choice(list(models))
    return origin, mutate(models[origin], origin.suffix, choose)


def inspect_damaged(arguments):
    models = {path: path.read_bytes() for path in corpus()}
    memory = None if arguments.sanitized else MEMORY
    for path in models:
        if problem := verdict(arguments.byoc, path, memory):
            sys.exit(f"{path} undamaged: {problem}")

    def case(index):
        origin, data = damaged(models, arguments.seed, index)
        with tempfile.NamedTemporaryFile(suffix=origin.suffix) as file:
            file.write(data)
            file.flush()
            problem = verdict(arguments.byoc, Path(file.name), memory)
        if problem:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            kept = arguments.keep / f"{arguments.seed}-{index}{origin.suffix}"
            kept.write_bytes(data)
            return f"{kept} (from {origin.name}): {problem}"
        return None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [problem for problem in pool.map(case, range(arguments.count)) if problem]
    for problem in problems:
        print(problem)
    print(f"{arguments.count} damaged models, {len(problems)} problems")
    return 1 if problems else 0


def run_damaged(arguments):
    """Damaged models through fuzz_models; those that fail are kept."""
    models = {path: path.read_bytes() for path in corpus()}
    arguments.keep.mkdir(parents=True, exist_ok=True)
    paths = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for index, (origin, data) in enumerate(pool.map(lambda i: damaged(models, arguments.seed, i),
                                                        range(arguments.models))):
            paths.append(arguments.keep / f"{arguments.seed}-{index}{origin.suffix}")
            paths[-1].write_bytes(data)
    result = subprocess.run([arguments.byoc.parent / "fuzz_models", "--jobs", str(os.cpu_count()), *paths],
                            stdout=subprocess.PIPE, text=True, check=False)
    print(result.stdout, end="")
    for path in paths:
        if str(path) not in result.stdout:
            path.unlink()
    return result.returncode


def sanitizer_environment():
    """Errors have an exit code that nothing else has; want of memory is the program's to handle."""
    return os.environ | {"ASAN_OPTIONS": "exitcode=99:detect_leaks=0:allocator_may_return_null=1:allow_user_poisoning=0",
                         "UBSAN_OPTIONS": "exitcode=99:print_stacktrace=1"}


def run_all(minutes):
    """Everything that finds by itself what is wrong, sanitized, in shares of the time; a line of CPU hours for each."""
    for preset, targets in (("sanitize", ("byoc", "fuzz_models", "fuzz_graphs")),
                            ("fuzz", FUZZERS)):
        subprocess.run(["cmake", "--preset", preset], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", ROOT / "build" / preset, *targets], check=True)
    script = [sys.executable, Path(__file__).resolve(), "--byoc", ROOT / "build" / "sanitize" / "bin" / "byoc"]
    first = int(time.time())  # seeds that no run before had
    kinds = {
        "readers": (0.4, lambda left, seed: [*script, "--readers", f"{left / 60}"]),
        "models": (0.3, lambda left, seed: [*script, "--models", "100", "--seed", str(seed)]),
        "graphs": (0.15, lambda left, seed: [*script, "--graphs", "100", "--seed", str(seed * 100)]),
        "commands": (0.15, lambda left, seed: [*script, "--commands", "100", "--seed", str(seed), "--sanitized"]),
    }
    failed, log = False, []
    for kind, (share, command) in kinds.items():
        end, before, rounds = time.time() + minutes * 60 * share, os.times(), 0
        while (left := end - time.time()) > 0:
            environment = os.environ if kind == "readers" else sanitizer_environment()
            words = command(left, first + rounds)
            if subprocess.run(words, env=environment, check=False).returncode != 0:
                failed = True
                print("fails:", *words, flush=True)
            rounds += 1
        after = os.times()
        hours = (after.children_user + after.children_system - before.children_user - before.children_system) / 3600
        log.append(f"{time.strftime('%Y-%m-%d')} {kind}: {hours:.2f} CPU hours, seeds from {first}")
    with open(ROOT / "build" / "fuzz" / "hours.txt", "a", encoding="utf-8") as file:
        file.write("\n".join(log) + "\n")
    print(*log, sep="\n")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoc", default=ROOT / "build" / "bin" / "byoc", type=Path)
    parser.add_argument("--count", default=2000, type=int, help="cases (default: %(default)s)")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--keep", default=ROOT / "build" / "fuzz" / "damaged", type=Path)
    parser.add_argument("--sanitized", action="store_true", help="the tool is; it may take any memory")
    parser.add_argument("--models", type=int, metavar="N",
                        help="instead: N damaged models compiled, run and compared with the evaluator")
    parser.add_argument("--graphs", type=int, metavar="N",
                        help="instead: N random graphs through generated C against the evaluator")
    parser.add_argument("--open-dims", type=int, metavar="N",
                        help="instead: N random graphs of which only a run knows the dims of inputs, against the "
                             "evaluator")
    parser.add_argument("--no-sanitize", dest="sanitize", action="store_false", help="graphs without ASan and UBSan")
    parser.add_argument("--target", help="graphs on the simulated board of this target instead of this machine")
    parser.add_argument("--toolchain", help="of --target: clang or gnu (default: the target's)")
    parser.add_argument("--readers", type=float, metavar="MINUTES",
                        help="instead: the importers and whatever else is read under libFuzzer with ASan and UBSan; what "
                             "follows goes to readers.py (--format, --jobs)")
    parser.add_argument("--layers", type=int, metavar="N",
                        help="instead: N random layers of each family on each kind of CPU against the evaluator; what "
                             "follows goes to layers.py (--family, --platform ...)")
    parser.add_argument("--onnxruntime", type=int, metavar="N",
                        help="instead: N random models of one operator of each family against ONNX Runtime; what follows "
                             "goes to onnxruntime/compare.py (--family, --compile ...)")
    parser.add_argument("--commands", type=int, metavar="N",
                        help="instead: N cases of every command with inputs that are damaged, or well-formed and wrong; "
                             "what follows goes to commands.py")
    parser.add_argument("--faults", type=int, metavar="N",
                        help="instead: up to N calls to the system of each kind fail, one a run; what follows goes to "
                             "tests/faults/faults.py (--scenario, --kind ...)")
    parser.add_argument("--all", type=float, metavar="MINUTES",
                        help="instead: readers, models, graphs and commands, all sanitized, and the CPU hours they had")
    arguments, rest = parser.parse_known_args()
    here = Path(__file__).resolve().parent
    seed = ["--seed", str(arguments.seed)]

    def script(path, *words):
        return subprocess.run([sys.executable, path, *words, *rest], check=False).returncode

    if arguments.commands is not None:
        sanitized = ["--sanitized"] if arguments.sanitized else []
        return script(here / "commands.py", "--byoc", arguments.byoc, *seed, "--count", str(arguments.commands),
                      *sanitized)
    if arguments.open_dims is not None:
        return script(here / "open_dims.py", "--byoc", arguments.byoc, *seed, "--graphs", str(arguments.open_dims))
    if arguments.faults is not None:
        return script(here.parent / "faults" / "faults.py", "--byoc", arguments.byoc, "--each", str(arguments.faults))
    if arguments.layers is not None:
        return script(here / "layers.py", "--layers", str(arguments.layers), *seed, "--binary",
                      arguments.byoc.parent / "e2e_layers")
    if arguments.onnxruntime is not None:
        return script(here / "onnxruntime" / "compare.py", "--each", str(arguments.onnxruntime), *seed)
    if arguments.readers is not None:
        subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", ROOT / "build" / "fuzz", *FUZZERS], check=True)
        return script(here / "readers.py", "--minutes", str(arguments.readers))
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if arguments.all is not None:
        return run_all(arguments.all)
    if arguments.models is not None:
        return run_damaged(arguments)
    if arguments.graphs is not None:
        where = ["--target", arguments.target] if arguments.target else ["--sanitize"] if arguments.sanitize else []
        where += ["--toolchain", arguments.toolchain] if arguments.toolchain else []
        return subprocess.run([arguments.byoc.parent / "fuzz_graphs", "--graphs", str(arguments.graphs), *seed, "--jobs",
                               str(os.cpu_count()), "--keep", ROOT / "build" / "fuzz" / "graphs", *where],
                              check=False).returncode
    return inspect_damaged(arguments)


if __name__ == "__main__":
    sys.exit(main())
