"""Parts of a Markdown page: its code blocks, the commands in them, and the sentences of its prose."""

import re
from dataclasses import dataclass, field


@dataclass
class Block:
    language: str
    lines: list = field(default_factory=list)


@dataclass
class Command:
    text: str
    output: list = field(default_factory=list)


def code_blocks(text):
    blocks, block = [], None
    for line in text.splitlines():
        if not line.startswith("```"):
            if block is not None:
                block.lines.append(line)
        elif block is None:
            block = Block(line[3:].strip())
        else:
            blocks.append(block)
            block = None
    return blocks


def commands(block):
    """Of a `console` block: lines that begin with "$ " are commands, the lines below are what they print. In every other
    block of commands each line is one. A backslash at the end goes on in the next line."""
    found, continued = [], False
    for line in block.lines:
        if continued:
            found[-1].text += " " + line.strip()
        elif block.language == "console" and not line.startswith("$ "):
            found[-1].output.append(line)
            continue
        elif line.strip():
            found.append(Command(line.removeprefix("$ ")))
        else:
            continue
        continued = found[-1].text.endswith("\\")
        found[-1].text = found[-1].text.removesuffix("\\").rstrip()
    return found


def anchors(text):
    """The names by which links reach the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def prose(text):
    """Paragraphs and list items without code blocks, tables, headings, pictures and comments."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    paragraphs, paragraph = [], []
    for line in [*text.splitlines(), ""]:
        line = line.strip()
        if line.startswith(("|", "#", "<", "![")) or not line or line.startswith(("- ", "* ")):
            paragraphs.append(" ".join(paragraph))
            paragraph = []
        if line.startswith(("- ", "* ")):
            line = line[2:]
        if line and not line.startswith(("|", "#", "<", "![")):
            paragraph.append(line)
    return [p for p in paragraphs if p]


def sentences(text):
    """The sentences of the prose, each a list of words. A piece of code is one word, a link is its text."""
    found = []
    for paragraph in prose(text):
        paragraph = re.sub(r"`[^`]*`", "code", paragraph)
        paragraph = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
        for sentence in re.split(r"(?<=[.!?:])\s+", paragraph.replace("*", "")):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if words:
                found.append(words)
    return found
