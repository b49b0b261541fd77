#!/usr/bin/env python3
"""Lets the calls that byoc makes to the system fail one after the other and looks at what becomes of the command.

Each run has one call fail: the nth malloc, open, read, write, fsync, rename, mkdir, fork, mmap, dlopen or pipe, in byoc
or a child of it (injector.c). It must end with a message and exit code 1, everything as it was before, or with 0 and
the results of an undisturbed run; never by a signal, without an end, or leaving a temporary file behind. Of calls that
are more than --each, that many are taken, spread evenly, the first of them all.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
BEFORE = b"what stood here before\n"


class Scenario:
    """A command, run in a folder of its own with `in` (read only by agreement) beside `out`, `cache` and `tmp`."""

    def __init__(self, name, arguments, prepare=None):
        self.name = name
        self.arguments = arguments
        self.prepare = prepare  # a command that makes what it reads, run once in its folder


def scenarios(model, plugin):
    # --force, for there are files that are nobody's (BEFORE).
    export = ["export", str(model), "--target", "cortex-m4f", "--force", "-o", "out/m.a"]
    return [
        Scenario("export", [*export, "--cache", "cache", "--report", "out/r.json", "--fsync"]),
        Scenario("plugin", [*export, "--plugin", str(plugin), "--isolate"]),
        Scenario("pack", ["pack", "in/tree", "-o", "out/p.tar"],
                 ["export", str(model), "--target", "cortex-m4f", "-o", "in/tree/"]),
        Scenario("run", ["run", str(model), "--target", "host", "--input", "in/x.raw", "--output-dir", "out"]),
    ]


def contents(folder):
    """{relative path: bytes} of the files in it."""
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


class Bench:
    def __init__(self, byoc, injector, scenario, inputs):
        self.byoc, self.injector, self.scenario = byoc, injector, scenario
        self.base = Path(tempfile.mkdtemp(prefix="faults-"))
        (self.base / "in").mkdir()
        for name, data in inputs.items():
            (self.base / "in" / name).write_bytes(data)
        if scenario.prepare:
            subprocess.run([byoc, *scenario.prepare], cwd=self.base, check=True, stdout=subprocess.DEVNULL)
        result, self.results, _ = self.attempt({"BYOC_FAULT_LOG": "log"}, old=False)
        if result.returncode != 0:
            sys.exit(f"{scenario.name}: fails undisturbed: {result.stderr}")

    def close(self):
        shutil.rmtree(self.base)

    def counts(self):
        return self.calls

    def attempt(self, environment, old):
        """Runs it in a new folder; returns the process, what is in `out`, and what else is wrong with the folder."""
        folder = Path(tempfile.mkdtemp(dir=self.base))
        try:
            for name in ("out", "cache", "tmp"):
                (folder / name).mkdir()
            (folder / "in").symlink_to(self.base / "in")
            if old:
                for name in self.results:
                    (folder / "out" / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / "out" / name).write_bytes(BEFORE)
            result = self.call(folder, environment)
            if (folder / "log").is_file():
                lines = (folder / "log").read_text().split("\n")
                self.calls = {kind: int(n) for kind, n in (line.split() for line in lines if line)}
                (folder / "log").unlink()
            left = sorted(p.name for p in [*(folder / "tmp").iterdir(), *folder.iterdir()]
                          if p.name not in ("out", "cache", "tmp", "in"))
            return result, contents(folder / "out"), f"leaves {', '.join(left)}" if left else ""
        finally:
            shutil.rmtree(folder)

    def call(self, folder, environment):
        settings = {**os.environ, **environment, "LD_PRELOAD": str(self.injector), "TMPDIR": str(folder / "tmp")}
        process = subprocess.Popen([self.byoc, *self.scenario.arguments], cwd=folder, env=settings, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace",
                                   start_new_session=True)
        try:
            out, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, errors = process.communicate()
            return subprocess.CompletedProcess([], "no end", out, errors)
        return subprocess.CompletedProcess([], process.returncode, out, errors)

    def judge(self, kind, n):
        """("error" | "success", "") or ("wrong", what)."""
        result, found, problem = self.attempt({"BYOC_FAULT": f"{kind}:{n}"}, old=True)
        said = result.stderr.strip().split("\n")[-1][:300]
        if result.returncode == 0:
            if found != self.results:
                names = [name for name in {*found, *self.results} if found.get(name) != self.results.get(name)]
                problem = problem or f"succeeds with other results in {', '.join(sorted(names))}"
            return ("wrong", problem) if problem else ("success", "")
        if result.returncode != 1:
            problem = f"ends with {result.returncode}: {said}"
        elif "error" not in result.stderr:
            problem = problem or f"fails without a message: {said}"
        elif "internal error" in result.stderr:
            problem = problem or said
        elif found != {name: BEFORE for name in self.results}:
            names = [name for name in {*found, *self.results} if found.get(name) != BEFORE]
            problem = problem or f"fails and changes {', '.join(sorted(names))}: {said}"
        return ("wrong", problem) if problem else ("error", "")


def chosen(count, most):
    """Which of `count` calls fail: all, or the first half of `most` and then some of the others, evenly."""
    if count <= most:
        return list(range(1, count + 1))
    first = most // 2
    step = (count - first) / (most - first)
    return sorted({*range(1, first + 1), *(first + 1 + int(i * step) for i in range(most - first))})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoc", type=Path, default=ROOT / "build" / "bin" / "byoc")
    parser.add_argument("--injector", type=Path, default=ROOT / "build" / "tests" / "faults" / "injector.so")
    parser.add_argument("--plugin", type=Path, default=ROOT / "build" / "tests" / "abi" / "c_backend_plugin.so")
    parser.add_argument("--model", type=Path, default=ROOT / "examples" / "demo" / "vibration_int8.onnx")
    parser.add_argument("--input-bytes", type=int, default=6144, help="of the model's input, for the scenario 'run'")
    parser.add_argument("--each", type=int, default=400, help="most calls of a kind that fail (default: %(default)s)")
    parser.add_argument("--scenario", action="append", help="only these")
    parser.add_argument("--kind", action="append", help="only these kinds of calls")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    inputs = {"x.raw": bytes(i % 251 for i in range(arguments.input_bytes))}
    wrong = 0
    print(f"{'command':10}{'call':10}{'calls':>10}{'failed':>10}{'error':>10}{'success':>10}{'wrong':>10}")
    for scenario in scenarios(arguments.model.resolve(), arguments.plugin.resolve()):
        if arguments.scenario and scenario.name not in arguments.scenario:
            continue
        bench = Bench(arguments.byoc.resolve(), arguments.injector.resolve(), scenario, inputs)
        try:
            for kind, count in bench.counts().items():
                if count == 0 or (arguments.kind and kind not in arguments.kind):
                    continue
                points = chosen(count, arguments.each)
                with ThreadPoolExecutor(arguments.jobs) as pool:
                    outcomes = list(pool.map(lambda n: bench.judge(kind, n), points))
                tally = {o: sum(1 for outcome, _ in outcomes if outcome == o) for o in ("error", "success", "wrong")}
                print(f"{scenario.name:10}{kind:10}{count:10}{len(points):10}{tally['error']:10}{tally['success']:10}"
                      f"{tally['wrong']:10}", flush=True)
                for n, (outcome, problem) in zip(points, outcomes):
                    if outcome == "wrong":
                        print(f"  {kind}:{n}: {problem}", flush=True)
                wrong += tally["wrong"]
        finally:
            bench.close()
    print(f"{wrong} wrong outcomes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
