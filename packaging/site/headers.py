"""Pages of the public headers: each comment as prose, and the declarations below it as code."""

import re

NAMES = (
    re.compile(r"^#define (\w+)", re.M),
    re.compile(r"^typedef (?:struct|union) \w+\s*\{.*?^\} (\w+);", re.M | re.S),
    re.compile(r"\b(?:class|struct|union|enum class|enum)(?: \[\[\w+\]\])?(?: [A-Z]+_API)? (\w+)(?: : [\w:]+)?(?: \{|;|$)", re.M),
    re.compile(r"^(?:using|concept) (\w+)", re.M),
    re.compile(r"\(\*(\w+)\)\("),
    re.compile(r"(~?\w+(?:::\w+)?|operator\S+)\s*\([^;{]*[;{]"),
    re.compile(r"(\w+)(?:\[[^]]*\])?(?: = [^;]*|\{[^;]*)?;"),
)
NOISE = re.compile(r"^(?:#pragma|#include|#ifdef|#ifndef|#endif|#else|#if |#define \w+_H_?$|extern \"C\"|namespace |}  // namespace|}$)")


def comment_text(lines):
    """The text of the lines of one comment, without what marks it as one."""
    out = []
    for line in lines:
        line = line.strip()
        line = re.sub(r"^(?://|/\*|\*/|\*(?!/))", "", line)
        out.append(re.sub(r"\*/$", "", line).strip())
    return "\n".join(out).strip()


def split_comment(lines):
    """(comment, code): the comment that a chunk begins with."""
    end, block = 0, False
    while end < len(lines):
        line = lines[end].strip()
        if not block and not line.startswith(("//", "/*")):
            break
        block = (block or line.startswith("/*")) and "*/" not in line
        end += 1
    return lines[:end], lines[end:]


def chunks(text):
    """The parts of a header that blank lines separate outside of braces, without what only a compiler reads."""
    found, chunk, depth = [], [], 0
    for line in text.splitlines():
        if depth == 0 and NOISE.match(line):
            continue
        code = re.sub(r"//.*|/\*.*?\*/|\"(?:\\.|[^\"])*\"|'(?:\\.|[^'])'", "", line)
        depth = max(0, depth + code.count("{") - code.count("}"))
        if line.strip() or depth:
            chunk.append(line)
        elif chunk:
            found.append(chunk)
            chunk = []
    return [*found, chunk] if chunk else found


def name_of(code):
    text = re.sub(r"//[^\n]*|/\*.*?\*/|\[\[\w+\]\]", "", "\n".join(code), flags=re.S).strip()
    for pattern in NAMES:
        match = pattern.search(text)
        if match:
            return match.group(1)
    return None


def escaped(text):
    """Prose of a comment as Markdown: nothing in it is markup."""
    return re.sub(r"([<>*_#|\[\]])", r"\\\1", text)


def heading(name):
    """A name as a heading. Underscores inside of words are no markup, and the table of contents shows escapes of them."""
    if name.startswith("_"):
        return "## " + escaped(name)
    return "## " + re.sub(r"([<>*|])", r"\\\1", name)


def page(path, text):
    """Markdown of one header; path is what a program includes."""
    parts = chunks(text)
    out = [f"# {path}", "", f"```c\n#include \"{path}\"\n```", ""]
    for chunk in parts:
        comment, code = split_comment(chunk)
        if code:
            name = name_of(code)
            out += [heading(name), ""] if name else []
        prose = comment_text(comment)
        if prose:
            out += [escaped(prose), ""]
        if code:
            out += ["```cpp", *code, "```", ""]
    return "\n".join(out)


def summary(text):
    """The first sentence of the comment at the head of a header."""
    parts = chunks(text)
    head = " ".join(comment_text(split_comment(parts[0])[0]).split()) if parts else ""
    return re.split(r"(?<=[.:;])\s", head)[0].rstrip(":;")
