"""The Markdown of the tree as pages of a site: where each file goes, and links that lead there."""

import posixpath
import re
from pathlib import Path

LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^ *(`{3,}|~{3,})")
MOVED = {"CHANGELOG.md": "contribute/changelog.md", "CONTRIBUTING.md": "contribute/contributing.md",
         "SECURITY.md": "contribute/security.md", "README.md": "index.md"}
LANGUAGES = {".py": "python", ".cpp": "cpp", ".hpp": "cpp", ".h": "c", ".c": "c", ".json": "json", ".sh": "sh", ".cmake": "cmake"}


class Site:
    """Pages by their path on the site. Files that pages link to become pages that show them."""

    def __init__(self, source):
        self.source = Path(source)
        self.pages = {}  # path on the site: Markdown
        self.files = {}  # path on the site: the file that is copied there
        self.places = {}  # path in the tree: path on the site

    def place(self, path):
        """Where a Markdown file of the tree goes."""
        if path in MOVED:
            return MOVED[path]
        return path.removeprefix("docs/").replace("/README.md", "/index.md")

    def add_tree(self):
        found = [*self.source.glob("docs/**/*.md"), *self.source.glob("examples/**/*.md"),
                 *(self.source / name for name in MOVED if name != "README.md")]
        for file in sorted(found):
            path = file.relative_to(self.source).as_posix()
            self.places[path] = self.place(path)
        self.places["README.md"] = "index.md"
        for path, place in list(self.places.items()):
            if path != "README.md":
                self.pages[place] = self.converted((self.source / path).read_text(), path)
        for file in (self.source / "docs" / "images").iterdir():
            self.files[f"images/{file.name}"] = file

    def target(self, path):
        """The page on the site for a path of the tree; what has none is made."""
        if path in self.places:
            return self.places[path]
        file = self.source / path
        if path.startswith("docs/images/"):
            return path.removeprefix("docs/")
        if file.is_dir():
            for name in ("README.md", "index.md"):
                if f"{path}/{name}" in self.places:
                    return self.places[f"{path}/{name}"]
        place = f"source/{path}.md"
        self.places[path] = place
        if file.is_dir():
            self.pages[place] = self.listing(path, place)
        else:
            language = LANGUAGES.get(file.suffix, "text")
            self.pages[place] = f"# {path}\n\n~~~~~~{language}\n{file.read_text().rstrip()}\n~~~~~~\n"
        return place

    def listing(self, path, place):
        names = sorted(child.name for child in (self.source / path).iterdir() if not child.name.startswith(("_", ".")))
        lines = [f"# {path}", ""]
        for name in names:
            child = self.source / path / name
            readable = child.suffix in {*LANGUAGES, ".md", ".txt", ".ld", ".S"}
            inner = posixpath.relpath(self.target(f"{path}/{name}"), posixpath.dirname(place)) if readable and child.is_file() else ""
            lines.append(f"- [{name}]({inner})" if inner else f"- `{name}`")
        return "\n".join(lines) + "\n"

    def link(self, target, path):
        """A link of the tree's file `path` as the page of that file has it."""
        file, hash_, heading = target.partition("#")
        if re.match(r"[a-z]+:", target) or not file:
            return target
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
        if not (self.source / wanted).exists():
            return target  # a page that is generated, or a mistake that the check of links names
        return posixpath.relpath(self.target(wanted), posixpath.dirname(self.place(path)) or ".") + hash_ + heading

    def converted(self, text, path):
        """GitHub's Markdown as Python-Markdown reads it."""
        out, fence = [], None
        for line in text.splitlines():
            match = FENCE.match(line)
            if match and (fence is None or match.group(1).startswith(fence)):
                fence = None if fence else match.group(1)
            if not fence and not match:
                line = LINK.sub(lambda m: m.group(1) + self.link(m.group(2), path) + m.group(3), line)
                if line.startswith("|"):
                    line = re.sub(r"`[^`]*`", lambda m: m.group(0).replace("\\|", "|"), line)
            in_list = re.match(r" *(?:[-*]|\d+\.) ", line)
            if not fence and not match and in_list and out and out[-1].strip() and not out[-1].startswith(" ") and \
                    not re.match(r" *(?:[-*]|\d+\.) ", out[-1]):
                before = next((l for l in reversed(out) if not l.strip() or re.match(r" *(?:[-*]|\d+\.) ", l)), "")
                if not before.strip():
                    out.append("")
            out.append(line)
        return "\n".join(out) + "\n"
