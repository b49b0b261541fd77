#!/usr/bin/env python3
"""Measures models with `byoc run`, and makes a Markdown table of two measurements. measure.sh calls it.

MODELS in the environment has a model and its target in each line.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MARK = "<!-- costs of models, by byoc -->"  # comment.sh finds the comment of an earlier run by it
FIGURES = ("flash", "ram", "instructions", "cycles")
NONE = "-"


def wanted(text):
    """[(model, target)] of the lines; a path may have blanks in it."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        model, _, target = line.rpartition(" ")
        if not model.strip():
            sys.exit(f"models: found '{line}', expected a path and a target, as in: kws.tflite cortex-m4f")
        found.append((model.strip(), target))
    if not found:
        sys.exit("models: found no line, expected a path and a target in each")
    return found


def simulated(byoc, model, target, *options):
    """What --stats writes, and None; or None and the first line of the error."""
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder, "stats.json")
        done = subprocess.run([byoc, "run", str(model), "--target", target, "--stats", str(stats), *options], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            return None, next(iter(done.stderr.strip().splitlines()), f"ended with {done.returncode}")
        return json.loads(stats.read_text()), None


def measured(byoc, folder, model, target):
    entry = {"model": model, "target": target}
    if not (folder / model).exists():
        return entry | {"missing": True}
    stats, error = simulated(byoc, folder / model, target, "--cycles")
    if stats is None:  # cycles are estimated for some cores only
        stats, error = simulated(byoc, folder / model, target)
    if stats is None:
        return entry | {"error": error}
    return entry | {"flash": stats["flash"]["total"], "ram": stats["ram"]["total"], "instructions": stats["instructions"],
                    "cycles": stats.get("cycles")}


def figure(old, new):
    """The new figure and its change: "120 (+20, +20.0 %)"."""
    if new is None:
        return NONE
    text = f"{new:,}"
    if old is None:
        return text
    if old == new:
        return f"{text} (=)"
    share = f", {100 * (new - old) / old:+.1f} %" if old else ""
    return f"{text} ({new - old:+,}{share})"


def plain(text):
    """Names and messages in a cell: nothing in them is Markdown."""
    return "`" + text.replace("`", "'").replace("|", "/").replace("\n", " ")[:200] + "`"


def row(old, new):
    head = f"| {plain(new['model'])} | {plain(new['target'])} |"
    if new.get("missing"):
        return f"{head} {'removed' if 'flash' in old else 'no such file'} |  |  |  |"
    if "error" in new:
        return f"{head} {plain(new['error'])} |  |  |  |"
    return f"{head} {' | '.join(figure(old.get(name), new[name]) for name in FIGURES)} |"


def table(base, head):
    before = {(entry["model"], entry["target"]): entry for entry in base}
    lines = [MARK, "### Costs of the models", "", "| model | target | flash, bytes | RAM, bytes | instructions | cycles |",
             "|---|---|---:|---:|---:|---:|"]
    lines += [row(before.get((entry["model"], entry["target"]), {}), entry) for entry in head]
    return "\n".join([*lines, "", "One inference, simulated. Cycles are estimated, without wait states of the flash.", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    measure = commands.add_parser("measure")
    measure.add_argument("--folder", type=Path, required=True)
    measure.add_argument("--byoc", default="byoc")
    measure.add_argument("--out", type=Path, required=True)
    compare = commands.add_parser("table")
    compare.add_argument("base", type=Path)
    compare.add_argument("head", type=Path)
    compare.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    if arguments.command == "measure":
        entries = [measured(arguments.byoc, arguments.folder, *one) for one in wanted(os.environ.get("MODELS", ""))]
        arguments.out.write_text(json.dumps(entries, indent=2) + "\n")
    else:
        arguments.out.write_text(table(json.loads(arguments.base.read_text()), json.loads(arguments.head.read_text())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
