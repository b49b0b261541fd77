#!/usr/bin/env python3
"""Each rule of the lint against a small tree that breaks it and nothing else, and one that breaks none."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import comments  # noqa: E402
import inline_assembly  # noqa: E402
import layers  # noqa: E402
import structure  # noqa: E402
import tidy  # noqa: E402
import together  # noqa: E402

SOUND = {
    "include/byoc/types.hpp": "#include <vector>\n#include \"byoc/other.hpp\"\n",
    "include/byoc/other.hpp": "#include <stdint.h>\n",
    "sdk/base/support/CMakeLists.txt": "byoc_library(support LINK Threads::Threads)\n",
    "sdk/base/support/text.hpp": "",
    "sdk/model/ir/CMakeLists.txt": "byoc_library(ir DEPENDS support)\n",
    "sdk/model/ir/graph.hpp": '#include "sdk/base/support/text.hpp"\n#include "byoc/types.hpp"\n',
    "sdk/model/import/CMakeLists.txt": "byoc_library(import DEPENDS import_onnx)\n",
    "sdk/model/import/import.hpp": '#include "sdk/model/ir/graph.hpp"\n',
    "sdk/model/import/onnx/CMakeLists.txt": "byoc_library(import_onnx DEPENDS ir LINK_PRIVATE onnx)\n",
    "sdk/model/import/onnx/onnx.cpp": '#include "sdk/model/import/import.hpp"\n#include "onnx/onnx-ml.pb.h"\n',
    "sdk/library/compile/CMakeLists.txt": "byoc_library(compile DEPENDS ir object LINK LLVM)\n",
    "sdk/library/compile/clang.cpp": '#include "clang/Basic/Version.h"\n#include "sdk/library/object/elf.hpp"\n',
    "sdk/library/object/CMakeLists.txt": "byoc_library(object DEPENDS support)\n",
    "sdk/library/object/elf.hpp": "",
    "sdk/export/CMakeLists.txt": "byoc_library(export DEPENDS compile)\n",
    "sdk/export/export.cpp": '#include "sdk/model/ir/graph.hpp"\n',
    "sdk/app/api/CMakeLists.txt": "byoc_library(api DEPENDS export reference)\n",
    "sdk/app/api/codegens.cpp": '#include "backends/reference.hpp"\n',
    "sdk/app/cli/main.cpp": '#include "sdk/export/export.hpp"\n',
    "backends/layers/CMakeLists.txt": "byoc_library(layers UNITS 2)\n",
    "backends/layers/in_place.hpp": '#include "byoc/types.hpp"\n',
    "backends/c/CMakeLists.txt": "byoc_library(backend_c UNITS 4 DEPENDS layers)\n",
    "backends/c/backend.hpp": '#include "backends/layers/in_place.hpp"\n#include "byoc/types.hpp"\n',
    "backends/CMakeLists.txt": "byoc_library(reference DEPENDS backend_c)\n",
    "backends/reference.hpp": '#include "byoc/types.hpp"\n',
    "backends/reference.cpp": '#include "backends/c/backend.hpp"\n#include "backends/reference.hpp"\n',
    "tests/unit/backend_c/layout_test.cpp": '#include "backends/c/backend.hpp"\n',
    "tests/unit/layers/in_place_test.cpp": '#include "backends/layers/in_place.hpp"\n#include "backends/reference.hpp"\n',
    "backends/llvm/module.cpp": "#include <llvm/IR/Module.h>\n",
    "examples/hello/hello.c": '#include "byoc/types.hpp"\n',
    "docs/page.md": "see build/work/x and https://example.org/home/\n",
}


class InlineAssemblyTest(unittest.TestCase):
    def test_operands_that_change_early(self):
        loop = 'void f(void) {\n  __asm__ volatile("1:\\n\\tsubs %0, %1\\n\\tbne 1b" : "+?r"(n) : "r"(step) : "cc");\n}\n'
        self.assertEqual(inline_assembly.late_operands(loop.replace("?", "")), [(2, '"+r"')])
        self.assertEqual(inline_assembly.late_operands(loop.replace("?", "&")), [])
        one = '__asm__("smlal %0, %1, %2, %3" : "+r"(low), "+r"(high) : "r"(x), "r"(y));'
        self.assertEqual(inline_assembly.late_operands(one), [])
        no_input = '__asm__("vcvtr.s32.f32 %0, %0\\n\\tvmov %1, %0" : "+t"(x), "=r"(y));'
        self.assertEqual(inline_assembly.late_operands(no_input), [])

    @staticmethod
    def lint(text, allowed=0):
        return inline_assembly.problems({"a.c": text}, {"a.c": allowed})

    def test_stack_moves(self):
        for move in ("push {r4, lr}", "sub sp, #8", "add.w sp, sp, #8", "mov sp, r4", "ldmia sp!, {r4}", "stmdb sp!, {r4}",
                     "str r0, [sp, #-4]!", "ldr r0, [sp], #4", "vpush {d8}"):
            text = f'void f(void) {{\n  __asm__ volatile("nop\\n\\t{move}\\n\\t" ::: "memory");\n}}\n'
            self.assertEqual(self.lint(text), [f"a.c:2: writes sp: {move}"])
        for other in ("ldr r0, [sp, #4]", "add r0, sp, #4", "stmia sp, {r0, r1}", "sub r0, r0, r1"):
            self.assertEqual(self.lint(f'__asm__("{other}" ::: "r0");'), [], other)

    def test_stack_moves_in_macros(self):
        text = '#define KEEP(list) \\\n  "push {" list \\\n  "}\\n\\t"\n__asm__(KEEP("r4, r5") "nop" ::: "memory");\n'
        self.assertEqual(self.lint(text), ["a.c:4: writes sp: push {r4, r5}"])

    def test_naked_functions(self):
        text = 'static BYOC_NAKED void f(void) {\n  /* A prologue. */\n  __asm__("push {r4, lr}\\n\\t" FRAME "pop {r4, pc}");\n}\n'
        self.assertEqual(self.lint(text), ["a.c:3: a naked function without .cfi"])
        self.assertEqual(self.lint(text.replace("FRAME", '".cfi_def_cfa_offset 8\\n\\t"')), [])

    def test_long_statements(self):
        comment = "/* Inputs: a.\n   Outputs: b.\n   Clobbers: c.\n   Holds: d. */\n"
        six = '__asm__("1:\\n\\t" ".balign 4\\n\\t" "nop\\n\\tnop\\n\\t" TWO "nop\\n\\tbne 1b");\n#define TWO "nop\\n\\tnop\\n\\t"\n'
        seven = six.replace("TWO", "THREE").replace('THREE "nop', 'THREE "nop\\n\\tnop')
        self.assertEqual(self.lint(six), [])
        self.assertEqual(self.lint(comment + seven, 1), [])
        self.assertIn("lower the figure", self.lint(comment + six, 1)[0])
        self.assertIn("expected at most 0", self.lint(comment + seven)[0])
        for text in (seven, comment + "int x;\n" + seven):
            self.assertIn("lacks Inputs:, Outputs:, Clobbers:, Holds:", self.lint(text, 1)[0])
        self.assertIn("lacks Holds:", self.lint(comment.replace("Holds", "Keeps") + seven, 1)[0])
        for front in ("#define F(x) \\\n  ", "#define F(x) \\\n  " + comment[:-1].replace("\n", " \\\n") + " \\\n"):
            self.assertEqual(self.lint((comment if "Holds" not in front else "") + front + seven, 1), [])


class CommentsTest(unittest.TestCase):
    SAMPLE = """// What a target is.
#pragma once
// A block of two lines.
// Of these only the first counts.
int a;  // Those that have a name.

  // The same.
int b = 1'000; /* Of integers. */
/*
 * What a file begins with.
 */
/** Those in the middle. The same. */
const char* c = "// What a string has";
const char* d = R"x(
// The same
)x";
char e = '"';  // Whatever, Often: other words
// The samefold of an image.
"""

    def test_openings(self):
        self.assertEqual(comments.openings(self.SAMPLE),
                         [(1, "What"), (5, "Those"), (7, "The same"), (8, "Of"), (9, "What"), (12, "Those")])

    def test_a_folder_has_its_number(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("backends/c/kernels/a.c", "include/byoc/a.hpp", "sdk/model/ir/a.hpp"):
                path = Path(folder, name)
                path.parent.mkdir(parents=True)
                path.write_text("// Of a graph.\nint a;  // What it is.\n")
            at_most = {"backends/c": 2, "include": 2, "sdk/model": 2}
            self.assertEqual(comments.check(Path(folder), at_most), [])
            self.assertEqual(comments.check(Path(folder), {**at_most, "include": 3, "sdk/program": 1}),
                             ["include: 2 such comments, fewer than ALLOWED says (3): lower it",
                              "sdk/program: 0 such comments, fewer than ALLOWED says (1): lower it"])
            del at_most["sdk/model"]
            found = comments.check(Path(folder), at_most)
            self.assertEqual(found[:2], ['sdk/model/ir/a.hpp:1: a comment begins with "Of"',
                                         'sdk/model/ir/a.hpp:2: a comment begins with "What"'])
            self.assertIn("sdk/model: 2 such comments, expected at most 0", found[2])


class LayersTest(unittest.TestCase):
    def lint(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**SOUND, **changes}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return layers.Lint(folder).run()

    def expect(self, changes, *fragments):
        violations = self.lint(changes)
        self.assertEqual(len(violations), len(fragments), violations)
        for fragment, violation in zip(fragments, violations):
            self.assertIn(fragment, violation)

    def test_sound_tree(self):
        self.assertEqual(self.lint({}), [])

    def test_include_upwards(self):
        self.expect({"sdk/model/ir/bad.cpp": '#include "sdk/library/object/elf.hpp"\n'},
                    "sdk/model/ir/bad.cpp:1: sdk/model includes upwards: sdk/library/object/elf.hpp")

    def test_include_upwards_by_relative_path(self):
        self.expect({"sdk/model/ir/bad.cpp": '\n#include "../../library/object/elf.hpp"\n'},
                    "sdk/model/ir/bad.cpp:2: sdk/model includes upwards")

    def test_same_wing_needs_declaration(self):
        self.expect({"sdk/library/object/bad.cpp": '#include "sdk/library/compile/a.hpp"\n', "sdk/library/compile/a.hpp": ""},
                    "object includes sdk/library/compile/a.hpp without compile in its DEPENDS")

    def test_lower_wing_needs_declaration(self):
        self.expect({"sdk/library/object/bad.cpp": '#include "sdk/model/ir/graph.hpp"\n'},
                    "object includes sdk/model/ir/graph.hpp without ir in its DEPENDS")

    def test_declared_upwards(self):
        self.expect({"sdk/base/support/CMakeLists.txt": "byoc_library(support DEPENDS object)\n",
                     "sdk/library/object/CMakeLists.txt": "byoc_library(object)\n"},
                    "support depends upwards on object")

    def test_cycle(self):
        self.expect({"sdk/library/object/CMakeLists.txt": "byoc_library(object DEPENDS support compile)\n"},
                    "compile depends on itself", "object depends on itself")

    def test_unknown_library(self):
        self.expect({"sdk/model/ir/CMakeLists.txt": "byoc_library(ir DEPENDS support nobody)\n"},
                    "ir depends on nobody, which is no library of ours")

    def test_unknown_wing(self):
        self.expect({"sdk/extra/room/CMakeLists.txt": "byoc_library(room DEPENDS support)\n"},
                    "sdk/extra is no wing")

    def test_public_header_includes_foreign(self):
        self.expect({"include/byoc/types.hpp": "#include <nlohmann/json.hpp>\n"}, "a public header includes nlohmann/json.hpp")

    def test_public_header_includes_sdk(self):
        self.expect({"include/byoc/types.hpp": '#include "sdk/model/ir/graph.hpp"\n'}, "a public header includes sdk/model/ir/graph.hpp")

    def test_backend_includes_sdk(self):
        self.expect({"backends/c/bad.cpp": '#include "sdk/model/ir/graph.hpp"\n'}, "backends/ includes sdk/model/ir/graph.hpp")

    def test_backend_includes_other_backend(self):
        self.expect({"backends/llvm/bad.cpp": '#include "backends/c/backend.hpp"\n'}, "another backend's")

    def test_shared_by_backends_includes_backend(self):
        self.expect({"backends/layers/bad.cpp": '#include "backends/c/backend.hpp"\n'}, "another backend's")

    def test_shared_by_backends_is_nobody_elses(self):
        self.expect({"sdk/app/api/CMakeLists.txt": "byoc_library(api DEPENDS export backend_c layers)\n",
                     "sdk/app/api/bad.cpp": '#include "backends/layers/in_place.hpp"\n'},
                    "api depends on layers, which is the backends' own",
                    "sdk/app/api includes backends/layers/in_place.hpp, which is the backends' own")

    def test_backend_links_sdk(self):
        self.expect({"backends/c/CMakeLists.txt": "byoc_library(backend_c DEPENDS ir)\n"}, "is a backend and depends on sdk/")

    def test_sdk_links_and_includes_backend(self):
        self.expect({"sdk/library/compile/CMakeLists.txt": "byoc_library(compile DEPENDS ir object backend_c)\n",
                     "sdk/library/compile/bad.cpp": '#include "backends/c/backend.hpp"\n'},
                    "compile depends on the backend backend_c", "sdk/library/compile includes backends/c/backend.hpp")

    def test_backend_is_known_by_the_list_of_all_alone(self):
        self.expect({"sdk/app/api/bad.cpp": '#include "backends/c/backend.hpp"\n',
                     "tests/e2e/bad_test.cpp": '#include "backends/c/backend.hpp"\n'},
                    "sdk/app/api includes backends/c/backend.hpp of a backend",
                    "a test includes backends/c/backend.hpp of a backend; backends/reference.hpp is open to it")

    def test_example_includes_sdk(self):
        self.expect({"examples/hello/hello.c": '#include "../../sdk/model/ir/graph.hpp"\n'}, "examples/ includes")

    def test_llvm_header_outside(self):
        self.expect({"sdk/model/ir/bad.cpp": "#include <llvm/IR/Module.h>\n"}, "LLVM and Clang headers belong")

    def test_llvm_in_header(self):
        self.expect({"sdk/library/compile/bad.hpp": '#include "clang/Basic/Version.h"\n'}, "LLVM and Clang headers belong")

    def test_banned_folder_and_file(self):
        self.expect({"sdk/model/ir/utils/a.hpp": "", "sdk/model/ir/string_helpers.hpp": ""}, "'string_helpers'", "'utils'")

    def test_machine_path(self):
        self.expect({"docs/page.md": "in /ho" + "me/me/byoc\n"}, "docs/page.md:1: a path of one machine")

    def test_long_file(self):
        self.expect({"sdk/model/ir/long.cpp": "\n" * 801}, "801 lines; at most 800")

    def test_exit_code(self):
        with tempfile.TemporaryDirectory() as folder:
            run = [sys.executable, str(HERE / "layers.py"), "--root", folder]
            self.assertEqual(subprocess.run(run).returncode, 0)
            Path(folder, "misc").mkdir()
            Path(folder, "misc", "a.txt").write_text("")
            self.assertEqual(subprocess.run(run, capture_output=True).returncode, 1)


class TogetherTest(unittest.TestCase):
    def clashes(self, a, b, cmake="byoc_library(ir UNITS 2 DEPENDS support)\n", name="sdk/model/ir/CMakeLists.txt", more=()):
        with tempfile.TemporaryDirectory() as folder:
            for file, text in [(Path(name).name, cmake), ("a.cpp", a), ("operators/b.cpp", b), *more]:
                path = Path(folder, name).parent / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return together.clashes(folder)

    @staticmethod
    def source(declaration, namespace="byoc::ir"):
        return f"namespace {namespace} {{\nnamespace {{\n\n{declaration}\n}}  // namespace\n\nint open;\n\n}}  // namespace {namespace}\n"

    def test_clashes(self):
        for declaration, name in [("struct Shape {\n  int open;\n};", "Shape"), ("constexpr int kAxis[] = {1};", "kAxis"),
                                  ("std::vector<int> read(const Call& call) {\n  return {};\n}", "read"),
                                  ("constexpr void (*kVariants[])(Model&) = {};", "kVariants"),
                                  ("template <class T>\nResult<std::map<int, T>> sum_of(\n    T x) {\n}", "sum_of")]:
            found = self.clashes(self.source(declaration), self.source(declaration))
            self.assertEqual(found, [f"sdk/model/ir/operators/b.cpp: byoc::ir has another '{name}' in sdk/model/ir/a.cpp, and they are "
                                     "compiled together"])

    def test_aliases(self):
        alias = self.source("using List = std::vector<int>;")
        self.assertEqual(self.clashes(alias, alias), [])
        for other in ("using List = std::vector<char>;", "class List {};"):
            self.assertEqual(len(self.clashes(alias, self.source(other))), 1)

    def test_tests(self):
        shape = self.source("struct Shape {};")
        for name, cmake, count in [("tests/unit/ir/tests.cmake", "byoc_unit_test(ir DEPENDS ir)\n", 1),
                                   ("tests/e2e/ir/tests.cmake", "if(A)\n  byoc_test_program(e2e_ir)\nendif()\n", 1),
                                   ("tests/CMakeLists.txt", "byoc_test_library(ir tests/a.cpp tests/operators/b.cpp)\n", 1),
                                   ("tests/CMakeLists.txt", "  byoc_test_program(unit_${folder} ${ARGN})\n", 0),
                                   ("tests/fuzz/CMakeLists.txt", "add_executable(fuzz a.cpp)\n", 0)]:
            self.assertEqual(len(self.clashes(shape, shape, cmake, name)), count, cmake)

    def test_folder_with_a_library_of_its_own(self):
        shape = self.source("struct Shape {};")
        inner = ("operators/CMakeLists.txt", "byoc_library(ir_operators DEPENDS ir)\n")
        self.assertEqual(self.clashes(shape, shape, more=[inner]), [])

    def test_no_clash(self):
        shape = self.source("struct Shape {};")
        self.assertEqual(self.clashes(shape, self.source("struct OtherShape {};")), [])
        self.assertEqual(self.clashes(shape, self.source("struct Shape {};", "byoc::other")), [])
        self.assertEqual(self.clashes(shape, shape, 'byoc_library(ir APART "/operators/" DEPENDS support)\n'), [])


class StructureTest(unittest.TestCase):
    def test_counts(self):
        with tempfile.TemporaryDirectory() as root:
            Path(root, "sdk").mkdir()
            Path(root, "sdk/a.cpp").write_text(
                "// fork() in a comment\n#include <nlohmann/json.hpp>\nstruct Options : Base {\n  int one;\n"
                "  std::function<void(int)> two = {};  // called\n  static int none;\n  bool f(int) const;\n};\n"
                "int x = fork();\n")
            self.assertEqual(structure.members(root, "sdk/a.cpp", "Options"), 2)
            self.assertEqual(structure.matches(root, r"\bfork\(\)", "sdk"), 1)
            self.assertEqual(structure.matches(root, r"\bfork\(\)", "sdk", but=("sdk/a.cpp",)), 0)
            self.assertEqual(structure.files_with(root, "#include <nlohmann/", "sdk"), 1)
            self.assertEqual(structure.lines(root, "sdk/a.cpp"), 9)

    def test_a_figure_only_falls(self):
        figure = lambda most: (("forks", most, lambda root: 2),)
        self.assertEqual(list(structure.problems("", figure(2))), [])
        self.assertEqual(list(structure.problems("", figure(1))), ["forks: 2, which were 1"])
        self.assertIn("lower it", list(structure.problems("", figure(3)))[0])


class TidyTest(unittest.TestCase):
    def test_shares_are_taken_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            share = Path(folder, "ir_unit_0.cpp")
            share.write_text('#include "sdk/a.cpp"\n#include "sdk/b.cpp"\n')
            entry = {"directory": folder, "file": str(share), "command": f"g++ -o x.o -c {share}"}
            alone = {"directory": folder, "file": "c.cpp", "command": "g++ -c c.cpp"}
            self.assertEqual(tidy.taken_apart([entry, alone], Path("/tree")), [
                {"directory": folder, "file": "/tree/sdk/a.cpp", "command": "g++ -o x.o -c /tree/sdk/a.cpp"},
                {"directory": folder, "file": "/tree/sdk/b.cpp", "command": "g++ -o x.o -c /tree/sdk/b.cpp"}, alone])


class FormatTest(unittest.TestCase):
    def check(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, ".clang-format").write_text("BasedOnStyle: Google\n")
            path = Path(folder, "a.cpp")
            path.write_text(text)
            run = [sys.executable, str(HERE / "format.py"), "--root", folder, *arguments]
            result = subprocess.run(run, capture_output=True, text=True)
            return result.returncode, path.read_text()

    def test_formatted(self):
        self.assertEqual(self.check("int f();\n"), (0, "int f();\n"))

    def test_unformatted(self):
        self.assertEqual(self.check("int  f( );\n"), (1, "int  f( );\n"))

    def test_fix(self):
        self.assertEqual(self.check("int  f( );\n", "--fix"), (0, "int f();\n"))


if __name__ == "__main__":
    unittest.main()
