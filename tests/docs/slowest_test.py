#!/usr/bin/env python3
"""tests/slowest.py on what ctest writes, and the page that it writes into."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import slowest  # noqa: E402

COSTS = "unit.a 3 0.25\ne2e.b 1 12.6\nforms.c 2 40.4\ngone 1 99\nnever 0 0\n---\ne2e.b\n"


def test(name, *labels, **properties):
    properties = {"LABELS": list(labels), **properties}
    return {"name": name, "properties": [{"name": key, "value": value} for key, value in properties.items()]}


LISTING = {"tests": [test("unit.a", "unit,fast"), test("e2e.b", "e2e"), test("forms.c", "e2e", "all"),
                     test("never"), test("off", DISABLED=True)]}


class Slowest(unittest.TestCase):
    def test_costs(self):
        self.assertEqual(slowest.costs_of(COSTS), {"unit.a": 0.25, "e2e.b": 12.6, "forms.c": 40.4, "gone": 99})

    def test_labels(self):
        self.assertEqual(slowest.labels_of(LISTING), {"unit.a": ["unit,fast"], "e2e.b": ["e2e"], "forms.c": ["e2e", "all"],
                                                      "never": []})

    def test_tables(self):
        lines = slowest.tables(slowest.costs_of(COSTS), slowest.labels_of(LISTING))
        self.assertEqual(lines[2:5], ["| `--fast` | 1 | 0 |", "| core | 2 | 13 |", "| `--all` | 3 | 53 |"])
        self.assertEqual(lines[8:], ["| forms.c | all | 40 |", "| e2e.b | core | 13 |", "| unit.a | fast | 0 |"])

    def test_page(self):
        page = f"a\n{slowest.BEGIN}\nold\n{slowest.END}\nb\n"
        new = slowest.inserted(page, ["new"])
        self.assertEqual(new, f"a\n{slowest.BEGIN}\nnew\n{slowest.END}\nb\n")
        self.assertEqual(slowest.inserted(new, ["new"]), new)
        slowest.inserted(slowest.PAGE.read_text(), [])

    def test_page_without_markers(self):
        for page in ("text", slowest.BEGIN, slowest.END + slowest.BEGIN):
            with self.assertRaisesRegex(SystemExit, "put both where the tables belong"):
                slowest.inserted(page, [])


if __name__ == "__main__":
    unittest.main()
