#!/usr/bin/env python3
"""Figures of the structure that may only fall: each has the number of today, and a change that lowers it lowers the
number here, too. What nothing holds comes back.

Prints one line for each figure that differs from its number, and exits with 1 if there was any.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STRUCT = r"^struct {} (?:: \w+ )?\{{\n(.*?)^}};"  # a struct at the margin and what is in it


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def sources(root, *folders):
    """The C++ files below these folders."""
    return [path for folder in folders for path in sorted(Path(root, folder).rglob("*")) if path.suffix in (".cpp", ".hpp")]


def lines(root, file):
    return len(Path(root, file).read_text().splitlines())


def matches(root, pattern, *folders, but=()):
    """How often `pattern` is in the code below `folders`, comments aside, and not below the folders of `but`."""
    left_out = [Path(root, folder) for folder in but]
    return sum(len(re.findall(pattern, without_comments(path.read_text()))) for path in sources(root, *folders)
               if not any(path == folder or folder in path.parents for folder in left_out))


def files_with(root, pattern, *folders):
    return sum(1 for path in sources(root, *folders) if re.search(pattern, path.read_text()))


def members(root, file, struct):
    """Data members of a struct, one a line; what has parameters outside of angle brackets is a function."""
    found = re.search(STRUCT.format(struct), Path(root, file).read_text(), re.MULTILINE | re.DOTALL)
    declarations = re.findall(r"^  (\w[^\n]*;)\s*$", without_comments(found[1]), re.MULTILINE)
    plain = [re.sub(r"<.*>", "", line) for line in declarations if not line.startswith(("using ", "static ", "friend "))]
    return sum(1 for line in plain if "(" not in line)


FIGURES = (  # what it is, the number of today, how it is counted
    ("lines of the pipeline's list of stages", 113, lambda root: lines(root, "sdk/export/export.cpp")),
    ("mentions of compile_model() in the pipeline: its declaration and its definition", 2,
     lambda root: matches(root, r"\bcompile_model\b", "sdk/export")),
    ("comparisons with an executor's name", 9,
     lambda root: matches(root, r'executor(?:\(\))? [=!]= "', "sdk", but=("sdk/program/executor",))),
    ("fields of ExportRequest", 21, lambda root: members(root, "include/byoc/options.hpp", "ExportRequest")),
    ("fields of Job", 16, lambda root: members(root, "sdk/export/export.hpp", "Job")),
    ("ranks that the ONNX importer guesses", 0,
     lambda root: matches(root, r"\brank\([^;]*\)\.value_or\(", "sdk/model/import/onnx")),
    ("places that put a codegen in front of a message", 1,
     lambda root: matches(root, r"\"codegen '\" \+ [^;\n]*\"': ", "sdk", "include")),
    ("places that look for a codegen in a text", 0, lambda root: matches(root, r"find\(\"[^\"]*codegen '", "sdk")),
    ("calls of fork(), beside those of workers, which have just been started, for a supervisor and a namespace", 0,
     lambda root: matches(root, r"\bfork\(\)", "sdk", "include",
                          but=("sdk/base/support/supervise.cpp", "sdk/run/remote/confine.cpp"))),
    ("places of export and pack that read an object's facts", 7,
     lambda root: matches(root, r"\bread_object_facts\(", "sdk/export", "sdk/library/pack")),
    ("files that include nlohmann/json", 32, lambda root: files_with(root, r"#include <nlohmann/", "sdk", "include")),
    ("implementations of SHA-256", 1, lambda root: files_with(root, r"0x428a2f98", "sdk")),
    ("tables of CRCs, of whatever polynomial", 1,
     lambda root: files_with(root, r"(?i)0xedb88320|0x82f63b78|0x04c11db7|0x1edc6f41|\bcrc32_z\b", "sdk")),
    ("measures of a graph that say whether a pass of prepare changed it", 0,
     lambda root: matches(root, r"\bmeasure\(", "sdk/model/prepare")),
    ("members of a package by their position", 0,
     lambda root: matches(root, r"\bmembers(?:\[0\]|(?:\.|->)(?:back|front)\(\))", "sdk/export", "sdk/library", "sdk/app")),
    ("casts of the ONNX importer to a type by its number", 0,
     lambda root: matches(root, r"\"to\", std::int64_t\{\d", "sdk/model/import/onnx")),
    ("lists of the command line of options that a kind of run refuses", 0,
     lambda root: matches(root, r"\bvoid refuse_\w+\(const CLI::App", "sdk/app/cli")),
    ("structs called ConstantArtifact", 1, lambda root: matches(root, r"struct ConstantArtifact \{", "sdk")),
    ("places that write a frame's head", 1, lambda root: matches(root, r"struct RawHead \{", "sdk")),
    ("headers of binary files that are no frames: weights, results of a run, cached objects", 3,
     lambda root: matches(root, r"constexpr [\w:]+ kMagic(?:\{| = )(?:\"BYOC|\"byoc object|0x31544c5543594f42)", "sdk")),
    ("places that call a packed function or <model>_run by its address", 2,
     lambda root: matches(root, r"BYOC_PACKED_ARG_TENSOR\)|using Any = std::int32_t\(", "sdk/run", "sdk/app/api")),
    ("functions that fill in templates", 1, lambda root: matches(root, r"find\('@', at \+ 1\)", "sdk")),
)


def problems(root, figures=FIGURES):
    for what, most, count in figures:
        found = count(root)
        if found > most:
            yield f"{what}: {found}, which were {most}"
        elif found < most:
            yield f"{what}: {found}; tests/lint/structure.py still has {most}: lower it"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT)
    found = list(problems(parser.parse_args().root))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
