#!/usr/bin/env python3
"""Models rebuilt from public bug reports, below ../shared/bugs: each is right by every executor, or refused as its row in
outcomes.txt says.

  bugs_test.py --byoc build/bin/byoc --bugs ../shared/bugs

A row of outcomes.txt is a model, an executor or '*', and a part of the message that refuses it, or that ends its run. A
model without a row is right.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SKIPPED = 77
EXECUTORS = ("aot", "vm", "interpreted")
# Of real arithmetic, rounded: upstream's kernels differ from each other.
WITHIN_1 = ("b08_fc_int16_bias32", "b47_bmm_int16_perchannel_rhs")
TOLERANCE = {"float16": 2e-3, "float32": 2e-4, "float64": 1e-6}


def expectations(path):
    """{(model, executor): part of a message}; an executor may be '*'."""
    out = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            model, executor, message = (part.strip() for part in line.split("|", 2))
            out[model, executor] = message
    return out


def models(root):
    """{name: (model, inputs by name or in order, expected outputs)}"""
    for model in sorted(root.glob("*/**/model.*")):
        folder = model.parent
        meta = folder / "meta.json"
        if meta.exists():
            inputs = [f"{i['name']}={folder / i['npy']}" for i in json.loads(meta.read_text())["inputs"]]
            expected = sorted(folder.glob("expect_*.npy"))
        else:
            inputs = [str(path) for path in sorted(folder.glob("in*.npy"))]
            expected = sorted(folder.glob("expected_[0-9].npy"))
        yield folder.name, model, inputs, expected


def run(byoc, model, executor, inputs, out):
    """What went wrong; '' if the outputs are there."""
    command = [byoc, "run", model, "--executor", executor, "--output-dir", out, "--output-form", "npy"]
    if executor != "interpreted":
        command += ["--target", "host"]
    for value in inputs:
        command += ["--input", value]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    return "" if done.returncode == 0 else done.stderr.strip() or f"status {done.returncode}"


def difference(expected, out):
    for index, path in enumerate(expected):
        want, found = np.load(path), np.load(out / f"output_{index}.npy")
        if want.shape != found.shape:
            return f"output {index} is {list(found.shape)}, not {list(want.shape)}"
        limit = TOLERANCE.get(str(want.dtype), 0)
        off = 1 if path.parent.name in WITHIN_1 or limit == 0 and want.dtype.kind in "iu" and "within_1" in path.stem else 0
        if not np.allclose(want.astype(np.float64), found.astype(np.float64), rtol=limit, atol=max(limit, off), equal_nan=True):
            return f"output {index} is {found.ravel()[:6]}, not {want.ravel()[:6]}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoc", required=True)
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--all", action="store_true", help="print what each model gives")
    arguments = parser.parse_args()
    if not arguments.bugs.is_dir():
        print(f"{arguments.bugs} is not there")
        return SKIPPED
    rows = expectations(Path(__file__).with_name("outcomes.txt"))
    wrong = right = 0
    for name, model, inputs, expected in models(arguments.bugs):
        for executor in EXECUTORS:
            with tempfile.TemporaryDirectory() as folder:
                said = run(arguments.byoc, model, executor, inputs, folder)
                problem = said or difference(expected, Path(folder))
            message = rows.get((name, executor), rows.get((name, "*")))
            as_expected = problem == "" if message is None else bool(said) and message in said
            right, wrong = right + as_expected, wrong + (not as_expected)
            if arguments.all or not as_expected:
                print(f"{name} | {executor} | {problem.splitlines()[0][:300] if problem else 'right'}")
    print(f"{right} as expected, {wrong} not")
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
