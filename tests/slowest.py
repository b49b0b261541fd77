#!/usr/bin/env python3
"""Prints how long the sets of tests take, and which tests are the slowest, from what ctest remembers of its runs in a
build folder: ./dev test --slowest.

--write puts it into docs/testing.md, between the markers there.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "testing.md"
BEGIN, END = "<!-- slowest: written by ./dev test --slowest -->", "<!-- slowest: end -->"
COUNT = 10


def costs_of(text):
    """{test: seconds}: a line has a name, how often the test ran, and the mean of its times; after "---" come names of
    tests that failed."""
    costs = {}
    for line in text.split("---")[0].splitlines():
        name, runs, seconds = line.rsplit(" ", 2)
        if int(runs) > 0:
            costs[name] = float(seconds)
    return costs


def labels_of(listing):
    """{test: its labels} of what ctest --show-only=json-v1 prints."""
    labels = {}
    for test in listing["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if not properties.get("DISABLED"):
            labels[test["name"]] = properties.get("LABELS", [])
    return labels


def set_of(labels):
    words = {word for label in labels for word in label.split(",")}
    return "all" if "all" in words else "fast" if "fast" in words else "core"


def tables(costs, labels):
    """The lines of the page. Tests that ctest has not run, and that it has forgotten, are in none."""
    ran = {name: seconds for name, seconds in costs.items() if name in labels}
    out = ["| set | tests | seconds, one after the other |", "|---|---|---|"]
    for title, sets in [("`--fast`", {"fast"}), ("core", {"fast", "core"}), ("`--all`", {"fast", "core", "all"})]:
        times = [seconds for name, seconds in ran.items() if set_of(labels[name]) in sets]
        out.append(f"| {title} | {len(times)} | {sum(times):.0f} |")
    out += ["", "| slowest | set | seconds |", "|---|---|---|"]
    for name, seconds in sorted(ran.items(), key=lambda item: (-item[1], item[0]))[:COUNT]:
        out.append(f"| {name} | {set_of(labels[name])} | {seconds:.0f} |")
    return out


def inserted(page, lines):
    """The text of the page with these lines between its markers."""
    before, found, rest = page.partition(BEGIN)
    _, ends, after = rest.partition(END)
    if not found or not ends:
        raise SystemExit(f"{PAGE.name}: found no '{BEGIN}' with '{END}' behind it: put both where the tables belong")
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    data = arguments.build / "Testing" / "Temporary" / "CTestCostData.txt"
    if not data.is_file():
        raise SystemExit(f"{data}: there is no such file: run ./dev test --all first, which writes it")
    listing = subprocess.run(["ctest", "--show-only=json-v1"], cwd=arguments.build, check=True, capture_output=True, text=True)
    lines = tables(costs_of(data.read_text()), labels_of(json.loads(listing.stdout)))
    print("\n".join(lines))
    if arguments.write:
        PAGE.write_text(inserted(PAGE.read_text(), lines))


if __name__ == "__main__":
    sys.exit(main())
