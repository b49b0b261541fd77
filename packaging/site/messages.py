"""The page of messages, from the calls in the source that tell them: what is said, what was expected and what helps."""

import re

CALL = re.compile(r"\b(?:(?P<by>\w+)\s*(?:\.|->)\s*)?(?P<how>error|warning)\(")
LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')
LEAST_WORDS = 2


def arguments(text, start):
    """The arguments of a call whose "(" ends at `start`, split at the commas outside of brackets and strings."""
    depth, at, begin, found = 0, start, start, []
    while at < len(text):
        letter = text[at]
        if letter in "\"'":
            end = at + 1
            while end < len(text) and text[end] != letter:
                end += 2 if text[end] == "\\" else 1
            at = end
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            if depth == 0:
                return [*found, text[begin:at].strip()]
            depth -= 1
        elif letter == "," and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
        at += 1
    return []


def shown(expression):
    """An expression of C++ as its text; "..." is what only a run knows."""
    expression = expression.strip()
    if expression in ("", "{}"):
        return ""
    parts, end = [], 0
    for match in LITERAL.finditer(expression):
        between = expression[end:match.start()].strip()
        if between:
            parts.append("...")
        parts.append(match.group(1).replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\"))
        end = match.end()
    if expression[end:].strip():
        parts.append("...")
    return re.sub(r"(?:\.\.\.)(?:\.\.\.)+", "...", "".join(parts)).strip()


def told(source):
    """(message, expected) of every call of error() or warning() in a source file."""
    source = re.sub(r"^\s*//.*$", "", source, flags=re.M)
    for call in CALL.finditer(source):
        given = arguments(source, call.end())
        by = call.group("by") or ""
        # Diagnostics take file, node, message, found, expected; a call of an operator knows the first two.
        at = 2 if len(given) >= 3 and (by.startswith("diag") or not LITERAL.search(given[0])) else 0
        if len(given) <= at:
            continue
        message = shown(given[at])
        if len(re.findall(r"[a-z]{2,}", message.replace("...", " "))) >= LEAST_WORDS:
            yield message, shown(given[at + 2]) if len(given) > at + 2 else ""


def sort_key(message):
    return re.sub(r"^[^a-z]+", "", message.replace("...", "").lower())


def cell(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def page(sources):
    """Markdown of all messages; sources are texts of files."""
    found = {}
    for source in sources:
        for message, expected in told(source):
            message, _, helps = message.partition("; ")
            found.setdefault(message, set()).update(part for part in (expected, helps) if part and part != "...")
    out = ["# Messages A to Z", "",
           "This page lists the errors and warnings of byoc. It is made from the source. `...` stands for a name or a number.",
           "The second column is what byoc expected, or what helps. See [troubleshooting](troubleshooting.md) for the common ones.", ""]
    letter = ""
    for message in sorted(found, key=lambda text: (sort_key(text), text)):
        first = (sort_key(message)[:1] or "-").upper()
        if first != letter:
            letter = first
            out += ["", f"## {letter}", "", "| message | expected, or what helps |", "|---|---|"]
        out.append(f"| {cell(message)} | {cell('; '.join(sorted(found[message])))} |")
    return "\n".join(out) + "\n"
