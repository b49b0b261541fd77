"""The files of this project, found without git so that it also works in an export of the tree."""

import os
from pathlib import Path

CPP = {".cpp", ".hpp", ".h", ".c"}
CODE = CPP | {".py", ".cmake", ".sh", ".s", ".S", ".ld"}
TEXT = CODE | {".md", ".txt", ".json", ".fbs", ".test", ".graph", ".html"}
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
