#!/usr/bin/env python3
"""The action for GitHub: its metadata against a schema, its table, and its steps as a runner would run them, in a shallow clone,
with a `gh` that writes down what it is asked. Nothing is installed or fetched from elsewhere."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / "packaging/action"
sys.path[:0] = [str(ROOT / "tests"), str(ACTION)]
import costs  # noqa: E402
from commands import expect, run  # noqa: E402

SKIPPED = 77
MODELS = "models/kws.onnx cortex-m4f\nmodels/new.onnx cortex-m4f\nmodels/gone.onnx cortex-m4f\nmodels/kws.onnx no-such-core\n"
GH = """#!/usr/bin/env bash
# Answers a list with $GH_EARLIER, and writes down everything else; $GH_CODE is its exit code.
case "$*" in *--paginate*) echo "${GH_EARLIER:-}"; exit "${GH_CODE:-0}" ;; esac
printf '%s\\n' "$@" >>"$GH_LOG"
"""


def load():
    import yaml
    return yaml.safe_load((ACTION / "action.yml").read_text())


def check_schema(action):
    import jsonschema
    schema = json.loads((ROOT / "tests/package/composite_action_schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(action, schema)
    without_shell = {"name": "a", "description": "b", "runs": {"using": "composite", "steps": [{"run": "true"}]}}
    expect(list(jsonschema.Draft7Validator(schema).iter_errors(without_shell)), "the schema refuses a command without a shell")


def check_steps(action):
    """What others wrote (names of branches, inputs) reaches a shell by its environment alone; scripts are there."""
    for step in action["runs"]["steps"]:
        expect("${{" not in step["run"], f"no expression is put into the text of a shell: {step['run']}")
        for script in re.findall(r"\$GITHUB_ACTION_PATH/([\w.]+)", step["run"]):
            run("bash", "-n", ACTION / script)
    if shutil.which("shellcheck"):
        run("shellcheck", *sorted(ACTION.glob("*.sh")))


def check_table():
    old = {"model": "a|b.tflite", "target": "m4", "flash": 1000, "ram": 0, "instructions": 5, "cycles": None}
    new = old | {"flash": 1100, "ram": 8, "cycles": 7}
    text = costs.table([old], [new, {"model": "c", "target": "m4", "error": "x `y`\n| z"}, {"model": "d", "target": "m4", "missing": True}])
    lines = text.splitlines()
    expect(lines[0] == costs.MARK and lines[1].startswith("#"), f"the mark comes first: {lines}")
    expect(lines[5] == "| `a/b.tflite` | `m4` | 1,100 (+100, +10.0 %) | 8 (+8) | 5 (=) | 7 |", lines[5])
    expect(lines[6] == "| `c` | `m4` | `x 'y' / z` |  |  |  |" and lines[7] == "| `d` | `m4` | no such file |  |  |  |", lines[6:8])
    expect(costs.wanted("a b.tflite m4\n\n x m0 \n") == [("a b.tflite", "m4"), ("x", "m0")], "lines of models")
    for text in ("kws.tflite\n", "\n"):
        try:
            costs.wanted(text)
        except SystemExit as error:
            expect("expected a path and a target" in str(error), f"{error}")
        else:
            raise AssertionError(f"'{text}' was taken")


def commit(folder, **models):
    for name, file in models.items():
        place = folder / f"models/{name}.onnx"
        place.parent.mkdir(exist_ok=True)
        if file is None:
            place.unlink()
        else:
            shutil.copy(ROOT / "examples/demo" / file, place)
    run("git", "-C", folder, "add", "-A")
    run("git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "commit", "-qm", "models")
    return run("git", "-C", folder, "rev-parse", "HEAD").strip()


class Runner:
    """Runs the steps of a composite action: expressions in `env`, files for outputs and the PATH."""

    def __init__(self, scratch, values, **environment):
        self.scratch, self.values = scratch, values
        self.outputs = {}
        programs = scratch / "programs"
        programs.mkdir()
        (programs / "gh").write_text(GH)
        (programs / "gh").chmod(0o755)
        self.environment = os.environ | {
            "GITHUB_ACTION_PATH": str(ACTION), "GITHUB_REPOSITORY": "a/b", "RUNNER_TEMP": str(scratch / "temp"),
            "GH_LOG": str(scratch / "gh.log"), "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"} | environment
        for name in ("OUTPUT", "PATH", "STEP_SUMMARY"):
            self.environment[f"GITHUB_{name}"] = str(scratch / name)
            (scratch / name).touch()
        (scratch / "temp").mkdir()

    def value(self, text):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: {**self.values, **self.outputs}[match.group(1)], text)

    def step(self, step, folder):
        environment = self.environment | {name: self.value(text) for name, text in step.get("env", {}).items()}
        said = run("bash", "-e", "-o", "pipefail", "-c", step["run"], cwd=folder, env=environment)
        if "id" in step:
            for line in (self.scratch / "OUTPUT").read_text().splitlines():
                name, _, text = line.partition("=")
                self.outputs[f"steps.{step['id']}.outputs.{name}"] = text
        added = (self.scratch / "PATH").read_text().splitlines()
        self.environment["PATH"] = ":".join([*added, self.environment["PATH"]])
        (self.scratch / "PATH").write_text("")
        return said


def small_archive(scratch, byoc):
    """As a release archive, with a link to the build's program."""
    (scratch / "byoc-1/bin").mkdir(parents=True)
    (scratch / "byoc-1/bin/byoc").symlink_to(byoc)
    run("tar", "-czf", scratch / "byoc.tar.gz", "-C", scratch, "byoc-1")
    return scratch / "byoc.tar.gz"


def check_run(action, byoc, scratch):
    origin = scratch / "origin"
    run("git", "init", "-q", origin)
    base = commit(origin, kws="vibration_int8.onnx", gone="vibration_int8.onnx")
    commit(origin, kws="vibration_float.onnx", new="vibration_int8.onnx", gone=None)
    clone = scratch / "clone"
    run("git", "clone", "-q", "--depth=1", f"file://{origin}", clone)
    values = {"inputs.archive": str(small_archive(scratch, byoc)), "inputs.models": MODELS, "inputs.token": "t",
              "github.event.pull_request.base.sha": base, "github.event.pull_request.number": "7"}
    runner = Runner(scratch, values)
    for step in action["runs"]["steps"]:
        runner.step(step, clone)
    table = Path(runner.outputs["steps.costs.outputs.table"]).read_text()
    print(table)
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    expect(re.match(r"\| `models/kws.onnx` \| `cortex-m4f` \| [\d,]+ \(\+[\d,]+, \+[\d.]+ %\) \|", rows[0]), rows[0])
    expect(re.match(r"\| `models/new.onnx` \| `cortex-m4f` \| [\d,]+ \| [\d,]+ \| [\d,]+ \| [\d,]+ \|", rows[1]), rows[1])
    expect(rows[2].endswith("| removed |  |  |  |") and "no-such-core" in rows[3] and "error" in rows[3], rows[2:])
    expect((scratch / "STEP_SUMMARY").read_text() == table, "the job's summary has the table")
    expect((scratch / "gh.log").read_text().splitlines() == ["api", "--method", "POST", "repos/a/b/issues/7/comments", "--field",
                                                             f"body=@{runner.outputs['steps.costs.outputs.table']}"], "gh is asked")
    check_comments(action["runs"]["steps"][-1], runner, clone)


def check_comments(step, runner, clone):
    """A second run replaces the comment; a token that may not is a warning."""
    log = runner.scratch / "gh.log"
    log.unlink()
    runner.environment["GH_EARLIER"] = "42"
    runner.step(step, clone)
    expect("PATCH\nrepos/a/b/issues/comments/42\n" in log.read_text(), "the earlier comment is written anew")
    runner.environment["GH_CODE"] = "1"
    expect("::warning::" in runner.step(step, clone), "a list that cannot be read is a warning")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=Path)
    arguments = parser.parse_args()
    check_table()
    try:
        action = load()
        check_schema(action)
    except ImportError as error:
        print(f"skipped: {error}; the packages python3-yaml and python3-jsonschema have them")
        return SKIPPED
    check_steps(action)
    if any(shutil.which(program) is None for program in ("git", "qemu-system-arm", "arm-none-eabi-gcc")):
        print("not run: that needs git, qemu-system-arm and gcc-arm-none-eabi")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        check_run(action, arguments.build.resolve() / "bin/byoc", Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
