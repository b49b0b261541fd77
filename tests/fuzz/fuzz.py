#!/usr/bin/env python3
"""Damages models in many ways, their structure kept or not, and lets `byoc inspect --prepared` read them.

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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutate import mutate

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
MEMORY = 4 << 30  # address space; a small model has no business with more
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


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def verdict(byoc, path):
    """None if byoc behaved, else what it did."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoc", default=ROOT / "build" / "bin" / "byoc", type=Path)
    parser.add_argument("--count", default=2000, type=int, help="cases (default: %(default)s)")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--keep", default=ROOT / "build" / "fuzz" / "damaged", type=Path)
    parser.add_argument("--graphs", type=int, metavar="N",
                        help="instead: N random graphs through generated C against the evaluator")
    parser.add_argument("--no-sanitize", dest="sanitize", action="store_false", help="graphs without ASan and UBSan")
    parser.add_argument("--target", help="graphs on the simulated board of this target instead of this machine")
    parser.add_argument("--toolchain", help="of --target: clang or gnu (default: the target's)")
    parser.add_argument("--importers", type=float, metavar="MINUTES",
                        help="instead: the importers and the reader of import trees under libFuzzer with ASan and UBSan")
    parser.add_argument("--layers", type=int, metavar="N",
                        help="instead: N random layers of each family on each kind of CPU against the evaluator; what "
                             "follows goes to layers.py (--family, --platform ...)")
    parser.add_argument("--commands", type=int, metavar="N",
                        help="instead: N cases of every command with inputs that are damaged, or well-formed and wrong")
    parser.add_argument("--faults", type=int, metavar="N",
                        help="instead: up to N calls to the system of each kind fail, one a run; what follows goes to "
                             "tests/faults/faults.py (--scenario, --kind ...)")
    arguments, rest = parser.parse_known_args()
    if arguments.commands is not None:
        return subprocess.run([sys.executable, ROOT / "tests" / "fuzz" / "commands.py", "--byoc", arguments.byoc, "--seed",
                               str(arguments.seed), "--count", str(arguments.commands), *rest], check=False).returncode
    if arguments.faults is not None:
        return subprocess.run([sys.executable, ROOT / "tests" / "faults" / "faults.py", "--byoc", arguments.byoc,
                               "--each", str(arguments.faults), *rest], check=False).returncode
    if rest and arguments.layers is None:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if arguments.layers is not None:
        return subprocess.run([sys.executable, ROOT / "tests" / "fuzz" / "layers.py", "--layers", str(arguments.layers),
                               "--seed", str(arguments.seed), "--binary", arguments.byoc.parent / "e2e_layers", *rest],
                              check=False).returncode
    if arguments.graphs is not None:
        where = ["--target", arguments.target] if arguments.target else ["--sanitize"] if arguments.sanitize else []
        where += ["--toolchain", arguments.toolchain] if arguments.toolchain else []
        return subprocess.run([arguments.byoc.parent / "fuzz_graphs", "--graphs", str(arguments.graphs), "--seed",
                               str(arguments.seed), "--jobs", str(os.cpu_count()), "--keep",
                               ROOT / "build" / "fuzz" / "graphs", *where], check=False).returncode
    if arguments.importers is not None:
        subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", ROOT / "build" / "fuzz", "fuzz_import", "fuzz_import_tree"],
                       check=True)
        return subprocess.run([sys.executable, ROOT / "tests" / "fuzz" / "importers.py", "--minutes",
                               str(arguments.importers)], check=False).returncode
    models = {path: path.read_bytes() for path in corpus()}
    for path in models:
        if problem := verdict(arguments.byoc, path):
            sys.exit(f"{path} undamaged: {problem}")

    def case(index):
        choose = random.Random(f"{arguments.seed}/{index}")
        origin = choose.choice(list(models))
        data = mutate(models[origin], origin.suffix, choose)
        with tempfile.NamedTemporaryFile(suffix=origin.suffix) as file:
            file.write(data)
            file.flush()
            problem = verdict(arguments.byoc, Path(file.name))
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


if __name__ == "__main__":
    sys.exit(main())
