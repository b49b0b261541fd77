#!/usr/bin/env python3
"""Makes the headers of an ABI one minor later than these: every struct that may grow has a member more at its end.

    next_minor.py INCLUDE OUT    writes OUT/byoc/abi/*.h; BYOC_NEXT_MINOR is defined in them
"""

import re
import sys
from pathlib import Path

# A struct that begins with struct_size, up to its closing brace.
GROWS = re.compile(r"((?:typedef )?struct (byoc_\w+) \{\n\s*uint32_t struct_size;.*?\n)(\}[^\n]*;)", re.DOTALL)
MINOR = re.compile(r"#define BYOC_ABI_MINOR (\d+)u\n")


def make(include, out):
    grown = 0
    abi = Path(include, "byoc", "abi")
    for header in sorted(abi.rglob("*.h")):
        text, count = GROWS.subn(r"\1  uint64_t next_minor;\n\3", header.read_text())
        grown += count
        text = MINOR.sub(lambda m: f"#define BYOC_ABI_MINOR {int(m[1]) + 1}u\n#define BYOC_NEXT_MINOR 1\n", text)
        path = Path(out, "byoc", "abi", header.relative_to(abi))
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    if grown < 25 or "BYOC_NEXT_MINOR" not in Path(out, "byoc", "abi", "base.h").read_text():
        sys.exit(f"the headers in {include} could not be parsed: {grown} structs that may grow")


if __name__ == "__main__":
    make(*sys.argv[1:])
