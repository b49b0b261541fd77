"""The files of this project, found without git so that it also works in an export of the tree."""

import os
import re
from pathlib import Path

CPP = {".cpp", ".hpp", ".h", ".c"}
CODE = CPP | {".py", ".cmake", ".sh", ".s", ".S", ".ld"}
TEXT = CODE | {".md", ".txt", ".json", ".fbs", ".test", ".graph", ".html"}
CMAKE_KEYWORDS = {"APART", "DEPENDS", "FAST", "LINK", "LINK_PRIVATE", "THREADS", "UNITS"}
SKIPPED_FOLDERS = {".git", "build", "__pycache__", ".cache"}


def files(root, suffixes=None):
    """Every file under `root` with one of the suffixes (None: all of them), as sorted relative Paths."""
    root = Path(root)
    found = []
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders if name not in SKIPPED_FOLDERS)
        for name in names:
            path = Path(folder, name)
            if path.is_symlink():
                continue
            if suffixes is None or path.suffix in suffixes:
                found.append(path.relative_to(root))
    return sorted(found)


def cmake_calls(text, functions):
    """(line, first argument, {keyword: its arguments}) of each call of our `functions`, a regular expression; arguments
    before the first keyword are those of ""."""
    text = re.sub(r"^ *#.*", "", text, flags=re.MULTILINE)
    for call in re.finditer(rf'^ *(?:{functions})\s*\(((?:[^()"]|"[^"]*")*)\)', text, re.MULTILINE):
        words = [word.strip('"').replace("\\\\", "\\") for word in re.findall(r'"[^"]*"|[^\s"]+', call[1])]
        arguments, keyword = {"": []}, ""
        for word in words[1:]:
            if word in CMAKE_KEYWORDS:
                keyword = word
                arguments[keyword] = []
            else:
                arguments[keyword].append(word)
        if words:
            yield text.count("\n", 0, call.start()) + 1, words[0], arguments
