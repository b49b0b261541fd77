#!/usr/bin/env python3
"""Looks at the inline assembly of the C kernels.

- An operand that is read and written ("+r") may share its register with an input of the same value, and compilers find
  more equal values the more they inline. With several instructions and inputs it has to be marked as early: "+&r".
- No statement writes sp. The compiler does not know of it, and neither do -fstack-usage and unwinders. A naked function
  is a statement with a prologue of its own: it may, and describes its frame by .cfi directives.
- A statement of more than six instructions is in the table LONG, whose figures only fall, and has a comment right in
  front with the words of WORDS.

usage: inline_assembly.py [FILE]...   without a file: every kernel of the C backend
"""

import re
import sys
from pathlib import Path

KERNELS = Path(__file__).resolve().parents[2] / "backends/c/kernels"
OVERLAPS = {frozenset(pair) for pair in (("r", "l"), ("r", "h"), ("r", "Te"), ("l", "Te"))}
MOST = 6  # instructions of a statement that needs no comment
WORDS = ("Inputs:", "Outputs:", "Clobbers:", "Holds:")

# Statements of more than MOST instructions in each file.
LONG = {
    "arithmetic/byoc_dot_s8.h": 4,
    "arithmetic/byoc_mve.h": 1,
    "arithmetic/byoc_packed_dsp.h": 1,
    "arithmetic/byoc_packed_mve.h": 1,
    "arithmetic/byoc_units_mve.h": 2,
    "conv/byoc_block_f32_mve.h": 1,
    "conv/byoc_block_f32_thumb.h": 1,
    "conv/byoc_patch_dsp.h": 1,
    "conv/byoc_patch_mve.h": 4,
    "conv/conv_s8_dsp.c": 1,
    "conv/conv_s8_dsp_twin.c": 2,
    "conv/conv_s8_small.c": 1,
    "conv/depthwise_f32_mve.c": 1,
    "conv/depthwise_s16_mve.c": 1,
    "conv/depthwise_s16_mve_planes.c": 3,
    "conv/depthwise_s8_dsp.c": 2,
    "conv/depthwise_s8_dsp_taps.c": 1,
    "conv/depthwise_s8_mve.c": 3,
    "conv/depthwise_s8_mve_taps.c": 1,
    "dense/fully_connected_f32.c": 1,
    "dense/fully_connected_f32_mve.c": 1,
    "dense/fully_connected_s8_dsp.c": 2,
    "dense/fully_connected_s8_mve.c": 4,
    "elementwise/add_s8_mve.c": 1,
    "pool/average_pool_s8.c": 1,
}

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
WRITES_SP = re.compile(r"(push|pop|vpush|vpop)\b|(add|sub|adds|subs|mov|ldr|and|bic)(\.w)?\s+(sp|r13)\b"
                       r"|(ld|st|vld|vst)m\w*(\.\w+)?\s+(sp|r13)!|\w+(\.\w+)?\s.*\[(sp|r13)(, [^\]]*\]!|\],)|msr\s+[mp]sp")


def sections(statement):
    """The text of outputs, inputs and clobbers: what is between the colons that are not in strings."""
    code = STRING.sub(lambda string: string[0].replace(":", " "), statement)
    found, start = [], 0
    for colon in re.finditer(":", code):
        found.append(statement[start:colon.start()])
        start = colon.end()
    return [*found, statement[start:]]


def late_operands(text):
    """(line, constraint) of each in/out operand of several instructions that is not early, though there is an input
    that may have its register."""
    found = []
    for start, statement in statements(text):
        parts = sections(statement)
        if "\\n" not in parts[0] or len(parts) < 3:
            continue  # one instruction reads all before it writes; without inputs all registers differ
        inputs = set(re.findall(r'"([A-Za-z]+)"\s*\(', parts[2]))
        for operand in re.finditer(r'"\+(?!&)([A-Za-z]+)"', statement):
            if any(operand[1] == other or frozenset((operand[1], other)) in OVERLAPS for other in inputs):
                found.append((text.count("\n", 0, start + operand.start()) + 1, operand[0]))
    return found


def end_of_parentheses(text, start):
    """Where the parentheses end that begin at `start`; those in strings do not count."""
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[()]', text[start:]):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return start + token.end()
    raise ValueError("parentheses that do not end")


def statements(text):
    """(start, text between the parentheses) of each statement; operands of register variables are none."""
    for start in re.finditer(r"\b__asm__\b(?:\s+volatile)?\s*\(", text):
        yield start.end(), text[start.end():end_of_parentheses(text, start.end() - 1) - 1]


def macros_of(text):
    """{name: [(parameters or None, body)]} of all definitions."""
    found = {}
    joined = re.sub(r"\s*\\\n\s*", " ", text)
    for macro in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^)]*)\))?[ \t]*(.*)$", joined, re.M):
        parameters = None if macro[2] is None else [name.strip() for name in macro[2].split(",")]
        found.setdefault(macro[1], []).append((parameters, macro[3]))
    return found


def arguments_of(text):
    """Text between commas that are in no string and in no further parentheses."""
    found, depth, last = [], 0, 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[(),]', text):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if token[0] == "," and depth == 0:
            found.append(text[last:token.start()])
            last = token.end()
    return [*found, text[last:]]


def expand(text, macros):
    """With the longest definition of each macro in its place."""
    out, at = "", 0
    for name in re.finditer(r'"(?:[^"\\]|\\.)*"|\b[A-Za-z_]\w*', text):
        if name.start() < at or name[0] not in macros:
            continue
        longest, end_of_longest = "", name.end()
        for parameters, body in macros[name[0]]:
            end, values = name.end(), {}
            if parameters is not None:
                if not text[end:].startswith("("):
                    continue
                end = end_of_parentheses(text, end)
                values = dict(zip(parameters, arguments_of(text[name.end() + 1:end - 1])))
            body = re.sub(r'"(?:[^"\\]|\\.)*"|\w+', lambda word: values.get(word[0], word[0]), body)
            body = expand(body, {other: found for other, found in macros.items() if other != name[0]})
            if len(body) >= len(longest):
                longest, end_of_longest = body, end
        out += text[at:name.start()] + longest
        at = end_of_longest
    return out + text[at:]


def instructions(statement, macros):
    """The lines of a statement that are neither labels nor directives; of a loop that the assembler repeats, once."""
    template = sections(expand(statement, macros))[0]
    lines = re.split(r"\\n|;", "".join(STRING.findall(template)).replace("\\t", " "))
    return [line.strip() for line in lines if line.strip() and not re.match(r"\s*(\.|\w+:\s*$)", line)]


def is_naked(text, start):
    """Whether the statement at `start` is the body of a naked function."""
    return re.search(r"\b(BYOC_NAKED|naked)\b[^;{}]*\{\s*(/\*((?!\*/)[\s\S])*\*/)?\s*__asm__(\s+volatile)?\s*\($", text[:start]) is not None


def stack_moves(text, macros):
    """(line, instruction) of what writes sp in each statement of a compiler's function; (line, None) of a naked
    function that writes it and has no .cfi directive."""
    found = []
    for start, statement in statements(text):
        line = text.count("\n", 0, start) + 1
        moves = [i for i in instructions(statement, macros) if WRITES_SP.match(i)]
        if not moves:
            continue
        if not is_naked(text, start):
            found += [(line, move) for move in moves]
        elif ".cfi_" not in statement:
            found.append((line, None))
    return found


def long_statements(text, macros):
    """(line, words that its comment lacks) of each statement of more than MOST instructions."""
    found = []
    for start, statement in statements(text):
        if len(instructions(statement, macros)) <= MOST:
            continue
        front = re.sub(r"__asm__(\s+volatile)?\s*\($", "", text[:start]).rstrip()
        front = re.sub(r"(\*/\n\s*#define [^\n]*|\*/\s*)\\$", "*/", front)
        comment = front[front.rindex("/*"):] if front.endswith("*/") else ""
        found.append((text.count("\n", 0, start) + 1, [word for word in WORDS if word not in comment]))
    return found


def problems(files, long):
    """What is wrong in files {name: text}, `long` being the table."""
    macros = macros_of("\n".join(files.values()))
    found = []
    for name, text in files.items():
        own = {**macros, **macros_of(text)}
        found += [f"{name}:{line}: {operand} in several instructions, expected \"+&\""
                  for line, operand in late_operands(text)]
        found += [f"{name}:{line}: writes sp: {move}" if move else f"{name}:{line}: a naked function without .cfi"
                  for line, move in stack_moves(text, own)]
        statements_ = long_statements(text, own)
        found += [f"{name}:{line}: more than {MOST} instructions, and the comment in front lacks {', '.join(lacking)}"
                  for line, lacking in statements_ if lacking]
        if len(statements_) > long.get(name, 0):
            found.append(f"{name}: {len(statements_)} statements of more than {MOST} instructions, expected at most "
                         f"{long.get(name, 0)}: write C or intrinsics")
        if len(statements_) < long.get(name, 0):
            found.append(f"{name}: {len(statements_)} statements of more than {MOST} instructions: lower the figure in "
                         f"{Path(__file__).name}")
    return found


def main():
    files = [Path(a) for a in sys.argv[1:]] or sorted(KERNELS.rglob("*.[ch]"))
    found = problems({str(file.resolve().relative_to(KERNELS)): file.read_text() for file in files}, LONG)
    print("\n".join(found) or f"{len(files)} files")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
