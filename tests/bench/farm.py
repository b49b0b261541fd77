"""12 models for 6 targets, by all that a build farm may have: byoc batch --run, ninja with what it emits, ccache before
byoc's compiler with a redis server, two servers of distcc, and the cache of whole exports. Whoever did the work, the bytes
are the same; times are of one run on this machine, and their ratios to `byoc batch --run` tell more than they do."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e" / "farm"))
import services  # noqa: E402

TARGETS = ("cortex-m4f", "cortex-m55", "cortex-m0plus", "cortex-m33", "riscv32imc", "host")
NETWORKS = ("ds_cnn_int8", "resnet8_int8", "autoencoder_int8", "mobilenet_int8", "stream_int8", "lstm_int8", "unet_int8",
            "ds_cnn_float", "resnet8_float", "autoencoder_float")
PROGRAMS = ("ninja", "ccache", "redis-server", "distcc", "distccd")


def models(networks):
    demo = ROOT / "examples" / "demo"
    own = [networks / f"{name}.tflite" for name in NETWORKS]
    found = [path for path in own if path.exists()] + [demo / "vibration_int8.onnx", demo / "vibration_float.onnx"]
    return found[:12]


class Farm:
    def __init__(self, byoc, folder, networks):
        self.byoc, self.folder, self.models = byoc, folder, models(networks)
        self.expected, self.rows = None, []

    def matrix(self, options):
        path = self.folder / "matrix.json"
        path.write_text(json.dumps({"models": [str(m) for m in self.models], "targets": list(TARGETS),
                                    "options": list(options), "output": "out"}))
        return path

    def outputs(self):
        """Everything that was written, but for depfiles: {place: hash}"""
        out = self.folder / "out"
        return {str(p.relative_to(out)): hashlib.sha256(p.read_bytes()).hexdigest()
                for p in out.rglob("*") if p.is_file() and p.suffix != ".d"}

    def timed(self, name, command, environment, note):
        start = time.monotonic()
        done = subprocess.run([str(c) for c in command], cwd=self.folder, env=environment, capture_output=True, text=True)
        seconds = time.monotonic() - start
        if done.returncode != 0:
            sys.exit(f"{name}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        made = self.outputs()
        self.expected = self.expected or made
        same = made == self.expected
        self.rows.append({"farm": name, "seconds": round(seconds, 2), "same_bytes": same, "files": len(made)})
        ratio = seconds / self.rows[0]["seconds"]
        print(f"| {name} | {seconds:.1f} | {ratio:.2f} | {'yes' if same else 'NO'} | {note()} |", flush=True)

    def here(self, name, options=(), environment=None, note=lambda: ""):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.timed(name, [self.byoc, "batch", self.matrix(options), "--run", "-q"], environment, note)

    def ninja(self, name, options=(), environment=None, jobs=None, note=lambda: ""):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        for leftover in (".ninja_log", ".ninja_deps"):
            (self.folder / leftover).unlink(missing_ok=True)
        subprocess.run([self.byoc, "batch", self.matrix(options), "--emit", "ninja", "-o", self.folder / "build.ninja", "-q"],
                       check=True)
        self.timed(name, ["ninja", *(["-j", str(jobs)] if jobs else [])], environment, note)


def bench(byoc, networks):
    missing = [p for p in PROGRAMS if shutil.which(p) is None]
    if missing:
        print(f"the farm is left out: not installed: {', '.join(missing)}")
        return []
    with tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        folder = Path(directory)
        farm = Farm(byoc.resolve(), folder, networks)
        print(f"\n{len(farm.models)} models x {len(TARGETS)} targets on {os.cpu_count()} processors\n")
        print("| by | seconds | ratio | same bytes | |\n|---|---|---|---|---|")
        farm.here("`byoc batch --run`")
        farm.ninja("ninja")
        address = stack.enter_context(services.redis(folder))
        for name, kept in (("cold", "one"), ("warm by redis, of another machine", "two")):
            variables = services.ccache_variables(folder / kept, address)

            def counts(variables=variables):
                c = services.ccache_counts(variables)
                return f"{c['hits']} hits, {c['misses']} misses"
            farm.ninja(f"ninja, ccache {name}", ["--compiler-launcher", "ccache"], variables, note=counts)
        client, logs = stack.enter_context(services.distcc(folder / "farm", byoc.resolve()))
        farm.ninja("ninja -j 4, two servers of distcc", ["--compiler-launcher", "distcc"], {**os.environ, **client}, 4,
                   lambda: " and ".join(str(services.compiled_at(log)) for log in logs) + " compiled there")
        for name in ("cold", "warm"):
            farm.ninja(f"ninja, `--cache` {name}", ["--cache", str(folder / "cache")])
        farm.here("`byoc batch --run`, `--cache` warm", ["--cache", str(folder / "cache")])
    return [{**row, **({} if row["same_bytes"] else {"error": "other bytes"})} for row in farm.rows]
