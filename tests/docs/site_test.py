#!/usr/bin/env python3
"""The parts of the site's builder: links, lists, headers, messages, and the checks on what was built."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "docs"), str(ROOT / "packaging" / "site")]
import archive_pages_test  # noqa: E402
import build  # noqa: E402
import headers  # noqa: E402
import messages  # noqa: E402
import pages  # noqa: E402
import pages_test  # noqa: E402


class Pages(unittest.TestCase):
    def setUp(self):
        self.site = pages.Site(ROOT)
        self.site.places = {"docs/guide.md": "guide.md", "examples/npu/README.md": "examples/npu/index.md"}

    def test_links(self):
        self.assertEqual(self.site.link("../examples/npu/README.md#a", "docs/guide.md"), "examples/npu/index.md#a")
        self.assertEqual(self.site.link("../../docs/guide.md", "examples/npu/README.md"), "../../guide.md")
        self.assertEqual(self.site.link("https://example.org", "docs/guide.md"), "https://example.org")
        self.assertEqual(self.site.link("#a", "docs/guide.md"), "#a")

    def test_sources_become_pages(self):
        self.assertEqual(self.site.link("../dev", "docs/guide.md"), "source/dev.md")
        self.assertIn("./dev --help lists the commands", self.site.pages["source/dev.md"])
        self.assertEqual(self.site.link("../examples/firmware", "docs/guide.md"), "source/examples/firmware.md")
        self.assertIn("- [main.c](firmware/main.c.md)", self.site.pages["source/examples/firmware.md"])

    def test_markdown(self):
        self.assertEqual(self.site.converted("a:\n- b\n- c\n", "docs/x.md"), "a:\n\n- b\n- c\n")
        self.assertEqual(self.site.converted("- b\ntext\n- c\n", "docs/x.md"), "- b\ntext\n- c\n")
        self.assertEqual(self.site.converted("| `a \\| b` |\n", "docs/x.md"), "| `a | b` |\n")
        self.assertEqual(self.site.converted("```\na:\n- b\n```\n", "docs/x.md"), "```\na:\n- b\n```\n")


class Headers(unittest.TestCase):
    TEXT = "// Head. More.\n#pragma once\n\nnamespace a {\n\n// Adds *two*.\nint add(int x);\n\nstruct S {\n  int a;  // in\n\n  int b;\n};\n\n}  // namespace a\n"

    def test_page(self):
        page = headers.page("byoc/a.hpp", self.TEXT)
        self.assertIn("## add\n\nAdds \\*two\\*.\n\n```cpp\nint add(int x);\n```", page)
        self.assertIn("## S\n\n```cpp\nstruct S {\n  int a;  // in\n\n  int b;\n};\n```", page)
        self.assertNotIn("namespace", page)
        self.assertEqual(headers.summary(self.TEXT), "Head.")

    def test_every_public_function_is_there(self):
        page = headers.page("byoc/byoc.hpp", (ROOT / "include/byoc/byoc.hpp").read_text())
        for name in ("version", "find_target", "Model", "Codegens", "export_model"):
            self.assertIn(f"## {name}\n", page)


class Messages(unittest.TestCase):
    def test_told(self):
        source = ('diags.error(file, {}, "has no manifest" , {}, "one; see x");\ncall.error("bad rank of " + name, f(a, ","), "rank 4");\n'
                  '// diags.error(a, b, "not a message");\ndiags_.warning(file, node, "takes " + n + " bytes");\nx.error(handle);\n')
        self.assertEqual(list(messages.told(source)), [("has no manifest", "one; see x"), ("bad rank of ...", "rank 4"),
                                                       ("takes ... bytes", "")])

    def test_page(self):
        page = messages.page(['call.error("no weights; add some");', 'call.error("no weights", x, "one");'])
        self.assertIn("## N\n\n| message | expected, or what helps |\n|---|---|\n| no weights | add some; one |\n", page)


class Checks(unittest.TestCase):
    def broken(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                Path(folder, f"{name}.html").write_text(text)
            return list(build.broken(Path(folder)))

    def test_links(self):
        self.assertEqual(self.broken(a='<a href="b.html#c">', b='<h1 id="c">'), [])
        self.assertEqual(self.broken(a='<a href="b.html">'), ["a.html: links to b.html, which does not exist"])
        self.assertEqual(self.broken(a='<a href="#d">'), ["a.html: links to #d, but there is no such heading"])

    def test_network(self):
        self.assertEqual(self.broken(a='<script src="https://example.org/x.js">'),
                         ["a.html: loads https://example.org/x.js from the network"])
        self.assertEqual(self.broken(a='<a href="https://example.org/">'), [])

    def test_nav(self):
        nav = build.sections("x\nnav:\n  - Start:\n      - A b: a.md\n")
        self.assertEqual(nav, {"Start": [("A b", "a.md")]})
        self.assertEqual(list(pages_test.check_nav(nav, {"a.md"})), [])
        self.assertIn("'A b' of Start is a.md, which does not exist", next(pages_test.check_nav(nav, set())))

    def test_sentences(self):
        self.assertIn("Start: found 15.0 words a sentence", next(pages_test.check_section("Start", {"a": "a " * 15 + ".\n"})))
        self.assertEqual(list(pages_test.check_section("Start", {"a": "a " * 14 + ".\n"})), [])
        self.assertEqual(list(pages_test.check_section("Reference", {"a": "a " * 30 + ".\n"})), [])

    def test_packages_of_the_archive(self):
        page = "# A\n\n## An archive\n\n`a`\n\n| task | needs | package |\n|---|---|---|\n| `b` | c | `g++`, `x-y` |\n\n## B\n\n| `z` |\n"
        self.assertEqual(archive_pages_test.named_packages(page), ["g++", "x-y"])

    def test_llms(self):
        site = pages.Site(ROOT)
        site.pages = {"a.md": "# A\n\nFirst [words](b.md). More.\n"}
        self.assertIn("- [T](a.md): First words.\n", build.llms_text(site, {"Start": [("T", "a.md")]}))


if __name__ == "__main__":
    unittest.main()
