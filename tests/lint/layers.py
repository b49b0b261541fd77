#!/usr/bin/env python3
"""Holds the layering of the tree: who may include and link whom, and where foreign headers may appear.

Prints one line for each violation, "file:line: what is wrong", and exits with 1 if there was any.
docs/architecture.md has the picture.
"""

import argparse
import re
import sys
from pathlib import Path

import source_tree

# The wings of sdk/, in order: an include never goes up. Between the rooms of a wing it follows what their CMakeLists.txt
# declare, without cycles.
WINGS = ("base", "target", "model", "codegen", "program", "library", "export", "run", "app")
# How everybody outside backends/ knows the reference backends, and the room of sdk/ that hands them to the export.
BACKENDS_HEADER = "backends/reference.hpp"
DEMO = "sdk/app/cli/demo/"  # stands in for what the demo's program is linked without
REGISTERS_BACKENDS = "sdk/app/api"
# A backend's own unit tests.
BACKEND_TESTS = "tests/unit/backend_"
# What backends share: for them and for nobody else.
SHARED_BY_BACKENDS = "layers"
LLVM_PLACES = ("sdk/library/compile/", "sdk/library/object/", "backends/llvm/", "examples/bitcode-plugin/")
LLVM_HEADER = re.compile(r"^(llvm|llvm-c|clang|clang-c|lld)/")
BANNED_NAME = re.compile(r"(^|_)(utils?|commons?|misc|helpers?)$")
# Folders that exist only on the machine of the person who wrote the line.
MACHINE_PATH = re.compile(r"(?<![\w.}/$)-])/(?:work|home|root|Users)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MAX_LINES = 800

STANDARD_HEADERS = set(
    """
    algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
    clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint
    cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format forward_list fstream
    functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
    memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
    semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view
    syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray
    variant vector version
    assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h
    stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h tgmath.h
    time.h uchar.h wchar.h wctype.h
    """.split()
)


class Library:
    """One byoc_library() call: the folder it stands in and what it declares to use."""

    def __init__(self, name, folder, line, depends):
        self.name = name
        self.folder = folder
        self.line = line
        self.depends = depends

    @property
    def wing(self):
        """Its name; None outside sdk/."""
        return wing_of(Path(self.folder, "CMakeLists.txt"))


def wing_of(path):
    """The wing of sdk/ that a file is in; None outside."""
    return path.parts[1] if path.parts[0] == "sdk" and len(path.parts) > 2 else None


def goes_up(source, target):
    """Whether the wing `target` comes after `source`. One that is unknown is reported for itself."""
    return source in WINGS and target in WINGS and WINGS.index(target) > WINGS.index(source)


def parse_libraries(root):
    """{library name: Library} of every byoc_library() in sdk/ and backends/."""
    libraries = {}
    for path in source_tree.files(root):
        if path.name != "CMakeLists.txt" or path.parts[0] not in ("sdk", "backends"):
            continue
        for line, name, arguments in source_tree.cmake_calls((Path(root) / path).read_text(), "byoc_library"):
            depends = arguments.get("DEPENDS", [])
            # A library that the demo's program is linked without stands in a generator expression.
            depends += re.findall(r":byoc_(\w+)>", " ".join(arguments.get("LINK", [])))
            libraries[name] = Library(name, path.parent.as_posix(), line, depends)
    return libraries


class Lint:
    def __init__(self, root):
        self.root = Path(root)
        self.violations = []
        self.libraries = parse_libraries(root)
        self.by_folder = {library.folder: library for library in self.libraries.values()}

    def report(self, path, line, text):
        self.violations.append(f"{path}:{line}: {text}")

    def run(self):
        self.check_links()
        for path in source_tree.files(self.root):
            self.check_name(path)
        for path in source_tree.files(self.root, source_tree.TEXT):
            self.check_text(path)
        for path in source_tree.files(self.root, source_tree.CPP):
            self.check_includes(path)
        return sorted(self.violations)

    # What the CMake files declare.

    def check_links(self):
        for library in self.libraries.values():
            where = f"{library.folder}/CMakeLists.txt"
            for name in library.depends:
                other = self.libraries.get(name)
                if other is None:
                    self.report(where, library.line, f"{library.name} depends on {name}, which is no library of ours")
                elif library.wing is None and other.wing is not None:
                    self.report(where, library.line, f"{library.name} is a backend and depends on sdk/ ({name})")
                elif library.wing is not None and other.wing is None:
                    if name == SHARED_BY_BACKENDS:
                        self.report(where, library.line, f"{library.name} depends on {name}, which is the backends' own")
                    elif library.folder != REGISTERS_BACKENDS:
                        self.report(where, library.line, f"{library.name} depends on the backend {name}")
                elif goes_up(library.wing, other.wing):
                    self.report(where, library.line, f"{library.name} depends upwards on {name}")
            if library.wing is not None and library.wing not in WINGS:
                self.report(where, library.line, f"sdk/{library.wing} is no wing of tests/lint/layers.py")
            if library.name in self.reachable(library.name):
                self.report(where, library.line, f"{library.name} depends on itself, by way of others")

    def reachable(self, name):
        """The libraries that `name` uses, directly or not; holds `name` itself only if there is a cycle."""
        seen, open_names = set(), list(self.libraries[name].depends) if name in self.libraries else []
        while open_names:
            current = open_names.pop()
            if current in seen:
                continue
            seen.add(current)
            if current in self.libraries:
                open_names += self.libraries[current].depends
        return seen

    def owner(self, path):
        """The Library that compiles `path`: that of the nearest folder above that has one."""
        for folder in path.parents:
            library = self.by_folder.get(folder.as_posix())
            if library is not None:
                return library
        return None

    # What the sources include.

    def check_includes(self, path):
        for number, line in enumerate((self.root / path).read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if match is None:
                continue
            quoted, header = match.group(1) == '"', match.group(2)
            if LLVM_HEADER.match(header):
                self.check_llvm(path, number, header)
            place = path.parts[0]
            target = self.resolve(path, header)
            if place == "include":
                self.check_public(path, number, quoted, header, target)
            elif place in ("backends", "examples") and target is not None and target.parts[0] == "sdk":
                self.report(path, number, f"{place}/ includes {header}; only include/byoc is open to it")
            elif place == "backends" and target is not None and target.parts[0] == "backends":
                lists_all = len(path.parts) == 2
                if len(target.parts) > 2 and target.parts[1] not in (path.parts[1], SHARED_BY_BACKENDS) and not lists_all:
                    self.report(path, number, f"a backend includes another backend's {header}")
            elif place == "tests" and target is not None and target.parts[0] == "backends":
                is_open = target.as_posix() == BACKENDS_HEADER or target.parts[1] == SHARED_BY_BACKENDS
                if not is_open and not path.as_posix().startswith(BACKEND_TESTS):
                    self.report(path, number, f"a test includes {header} of a backend; {BACKENDS_HEADER} is open to it")
            elif place == "sdk" and target is not None:
                self.check_layers(path, number, header, target)

    def resolve(self, path, header):
        """The file of ours that an include names, relative to the root; None for a foreign header."""
        for base in (path.parent, Path("."), Path("include")):
            joined = (self.root / base / header).resolve()
            if joined.is_file() and joined.is_relative_to(self.root.resolve()):
                return joined.relative_to(self.root.resolve())
        first = header.split("/")[0]
        return Path(header) if first in ("sdk", "backends") else None

    def check_llvm(self, path, number, header):
        if path.suffix != ".cpp" or not path.as_posix().startswith(LLVM_PLACES):
            self.report(path, number, f"{header}: LLVM and Clang headers belong in .cpp files of " + ", ".join(LLVM_PLACES))

    def check_public(self, path, number, quoted, header, target):
        own = header.startswith("byoc/") or (quoted and target is not None and target.parts[:2] == ("include", "byoc"))
        if not own and header not in STANDARD_HEADERS:
            self.report(path, number, f"a public header includes {header}; only standard headers and byoc/ may be")

    def check_layers(self, path, number, header, target):
        owner = self.owner(path)
        if target.parts[0] == "backends":
            folder = path.parent.as_posix()
            if target.parts[1] == SHARED_BY_BACKENDS:
                self.report(path, number, f"{folder} includes {header}, which is the backends' own")
            elif not path.as_posix().startswith(DEMO) and (folder != REGISTERS_BACKENDS or
                                                           target.as_posix() != BACKENDS_HEADER):
                self.report(path, number, f"{folder} includes {header} of a backend")
            return
        if target.parts[0] != "sdk":
            return
        for wing in (wing_of(path), wing_of(target)):
            if wing not in WINGS:
                self.report(path, number, f"sdk/{wing} is no wing of tests/lint/layers.py")
                return
        if goes_up(wing_of(path), wing_of(target)):
            self.report(path, number, f"sdk/{wing_of(path)} includes upwards: {header}")
            return
        other = self.owner(target)
        if owner is None or other is None or owner is other or owner.folder.startswith(other.folder + "/"):
            # A folder inside a library's folder (import/onnx in import) may read the declarations it implements.
            return
        if other.name not in self.reachable(owner.name):
            self.report(path, number, f"{owner.name} includes {header} without {other.name} in its DEPENDS")

    # What holds for every file.

    def check_name(self, path):
        for part in path.parts[:-1] + (path.name.split(".")[0],):
            if BANNED_NAME.search(part.lower()):
                self.report(path, 1, f"'{part}' says nothing: name it after what it holds")
                return

    def check_text(self, path):
        lines = (self.root / path).read_text(errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            if MACHINE_PATH.search(line):
                self.report(path, number, "a path of one machine")
        if path.suffix in source_tree.CODE and len(lines) > MAX_LINES:
            self.report(path, len(lines), f"{len(lines)} lines; at most {MAX_LINES}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=Path(__file__).resolve().parents[2], type=Path)
    violations = Lint(parser.parse_args().root).run()
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
