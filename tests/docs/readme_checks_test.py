#!/usr/bin/env python3
"""Each check of readme_test.py and demo_picture.py on what it refuses and on what it accepts."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import demo_picture  # noqa: E402
import markdown_page  # noqa: E402
import readme_test  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def run_page(text):
    with tempfile.TemporaryDirectory() as folder:
        execute = readme_test.executor(folder, Path("/bin/true"), ROOT)
        return list(readme_test.check_commands(markdown_page.code_blocks(text), execute))


class Prose(unittest.TestCase):
    def test_sentences(self):
        text = "# Title\n\nOne `x -y` here. Two [of\nthem](a/b.md).\n\n- three\n- four: five\n\n| a | table |\n\n```\ncode\n```\n"
        self.assertEqual([len(words) for words in markdown_page.sentences(text)], [3, 3, 1, 1, 1])

    def test_long_sentences(self):
        self.assertIn("found 14.0 words a sentence, expected at most 13",
                      next(readme_test.check_sentences("a " * 14 + ".\n")))
        self.assertEqual(list(readme_test.check_sentences("a " * 13 + ".\n")), [])

    def test_length(self):
        self.assertIn("found 121 lines, expected at most 120", next(readme_test.check_length("\n" * 121)))
        self.assertEqual(list(readme_test.check_length("\n" * 120)), [])

    def test_links(self):
        page = ROOT / "README.md"
        self.assertIn("README.md: links to docs/none.md, which does not exist",
                      next(readme_test.check_links("[a](docs/none.md#b)", page)))
        self.assertIn("links to #none, but there is no such heading", next(readme_test.check_links("[a](#none)", page)))
        self.assertIn("links to LICENSE#none, but", next(readme_test.check_links("[a](LICENSE#none)", page)))
        self.assertIn("links to none.svg", next(readme_test.check_links('<img src="none.svg">', page)))
        good = "[a](LICENSE) [b](https://example.org/c) [c](docs/getting-a-model.md#which-form) [d](#chips)"
        self.assertEqual(list(readme_test.check_links(good, page)), [])

    def test_figures(self):
        self.assertIn("found the figure 1.23M", next(readme_test.check_figures("It needs 1.23M instructions.")))
        self.assertIn("found the figure 9,999 bytes", next(readme_test.check_figures("It needs 9,999 bytes.")))
        # TensorFlow Lite Micro's, which no change of byoc changes.
        self.assertEqual(list(readme_test.check_figures("It needs 7.85M of them, in 70 lines.")), [])


class Commands(unittest.TestCase):
    def test_unknown_dev_command(self):
        blocks = markdown_page.code_blocks("```sh\nsudo ./dev package\n./dev pack\n```\n")
        self.assertEqual(len(list(readme_test.check_plain_commands(blocks, ROOT))), 1)

    def test_output(self):
        self.assertEqual(run_page("```console\n$ printf 'a\\nb\\n'\na\nb\n$ true\n```\n"), [])
        self.assertIn("expected 'c', found 'b'", run_page("```console\n$ printf 'a\\nb\\n'\na\nc\n```\n")[0])
        self.assertIn("expected the end, found 'b'", run_page("```console\n$ printf 'a\\nb\\n'\na\n```\n")[0])
        self.assertIn("expected 'b', found 'None'", run_page("```console\n$ echo a\na\nb\n```\n")[0])

    def test_lines_that_are_left_out(self):
        page = "```console\n$ seq 9\n1\n...\n7\n{}\n```\n"
        self.assertEqual(run_page(page.format("...")), [])
        self.assertEqual(run_page(page.format("8\n9")), [])
        self.assertIn("expected '9', found '8'", run_page(page.format("9"))[0])

    def test_continued(self):
        self.assertEqual(run_page("```console\n$ echo a \\\n    b\na b\n```\n"), [])

    def test_places(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = Path(folder)
            self.assertEqual(readme_test.places(prefix / "bin/byoc", ROOT)[2], ROOT / "cmake")
            (prefix / "lib/cmake/byoc").mkdir(parents=True)
            self.assertEqual(readme_test.places(prefix / "bin/byoc", ROOT)[0], prefix / "share/doc/byoc/examples")

    def test_failure(self):
        self.assertIn("ends with 3: echo said; exit 3\nsaid", run_page("```console\n$ echo said; exit 3\nsaid\n```\n")[0])

    def test_runs_in_one_folder_with_the_examples(self):
        self.assertEqual(run_page("```console\n$ echo a > f\n$ cat f\na\n$ ls examples/demo/demo.py\n"
                                  "examples/demo/demo.py\n```\n"), [])


class Picture(unittest.TestCase):
    def test_program_on_a_terminal(self):
        self.assertEqual(demo_picture.printed_on_terminal("sh", "-c", "test -t 1 && echo terminal"), "terminal\n")
        with self.assertRaisesRegex(SystemExit, "sh -c echo said; exit 3: ended with 3\nsaid"):
            demo_picture.printed_on_terminal("sh", "-c", "echo said; exit 3")

    def test_end_of_the_picture(self):
        self.assertEqual(demo_picture.shown_lines("\na\n\nb\n\nFrom the model to a firmware\nc\n"), ["a", "", "b"])
        with self.assertRaisesRegex(SystemExit, "found no heading 'From the model to a firmware'"):
            demo_picture.shown_lines("a\n")

    def test_pieces(self):
        Piece = demo_picture.Piece
        self.assertEqual(demo_picture.pieces("  a b   \033[32mgood\033[0m c"),
                         [Piece(2, "a b", ""), Piece(8, "good", "32"), Piece(13, "c", "")])

    def test_drawing(self):
        drawn = demo_picture.svg(["\033[1ma<b\033[0m"])
        self.assertIn('font-weight="700">a&lt;b</text>', drawn)

    def test_stale(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = Path(folder, "demo.svg")
            with self.assertRaisesRegex(SystemExit, "demo.svg: the demo prints something else"):
                demo_picture.check(picture, "new")
            picture.write_text("new")
            demo_picture.check(picture, "new")


if __name__ == "__main__":
    unittest.main()
