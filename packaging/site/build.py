#!/usr/bin/env python3
"""Builds the site of the documents: `./dev docs`. The pages are those of docs/ and of the examples; pages of the command line,
the messages and the headers are made from the program and the source. No network is used, neither here nor by readers."""

import argparse
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import headers  # noqa: E402
import messages  # noqa: E402
import pages  # noqa: E402

ROOT = HERE.parents[1]
API = ("byoc.hpp", "options.hpp", "run.hpp", "vm.hpp", "runtime.hpp", "pack.hpp", "inspect.hpp", "remote.hpp", "diagnostics.hpp",
       "result.hpp", "types.hpp", "target.hpp", "sizes.hpp", "threads.hpp", "interface.hpp", "graph_executor.hpp")
FIRST_WORD = re.compile(r"^  ([a-z][a-z-]*) {2,}\S", re.M)


def sections(config):
    """{section: [(title, page)]} of the nav in mkdocs.yml, read without a YAML library."""
    found = {}
    for line in config[config.index("\nnav:"):].splitlines():
        section = re.fullmatch(r"  - (\S.*):", line)
        entry = re.fullmatch(r"      - (.*): (\S+\.md)", line)
        if section:
            found[section.group(1)] = []
        elif entry:
            found[list(found)[-1]].append(entry.groups())
    return found


def help_of(byoc, *arguments):
    """All of a command's help; an empty text if there is no such command."""
    for option in ("--help-all", "--help"):
        done = subprocess.run([str(byoc), *arguments, option], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode == 0 and done.stdout:
            return done.stdout
    return ""


def command_line(byoc):
    """The page of the command line: what each command says of itself."""
    top = help_of(byoc)
    out = ["# Command line", "", "This page is what the commands print with `--help`.", "", "## byoc", "", "```text", top.rstrip(), "```", ""]
    for name in dict.fromkeys(FIRST_WORD.findall(top)):
        text = help_of(byoc, name)
        if not text or text == top:
            continue
        out += [f"## byoc {name}", "", "```text", text.rstrip(), "```", ""]
        inner = text.split("Subcommands:")[1] if "Subcommands:" in text else ""
        for part in dict.fromkeys(FIRST_WORD.findall(inner.split("\n\n")[0])):
            out += [f"### byoc {name} {part}", "", "```text", help_of(byoc, name, part).rstrip(), "```", ""]
    return "\n".join(out)


def add_headers(site, folder, title, intro, files):
    rows = []
    for file in files:
        text = file.read_text()
        path = file.relative_to(ROOT / "include").as_posix()
        name = path.removeprefix("byoc/").replace("/", "-") + ".md"
        site.pages[f"{folder}/{name}"] = headers.page(path, text)
        rows.append(f"| [{path}]({name}) | {headers.escaped(headers.summary(text))} |")
    site.pages[f"{folder}/index.md"] = "\n".join([f"# {title}", "", intro, "", "| header | contents |", "|---|---|", *rows]) + "\n"


def add_made_pages(site, byoc):
    include = ROOT / "include" / "byoc"
    add_headers(site, "api", "C++ and C API", "Programs link `byoc::byoc` and include these headers. Firmware includes those of `byoc/rt`. "
                "The text is that of the headers.", [*(include / name for name in API), *sorted((include / "rt").glob("*.h"))])
    add_headers(site, "abi", "Headers of the ABI", "Plug-ins include these headers. [Plug-in ABI](../plugin-abi.md) has the rules. "
                "`byoc/plugin.hpp` and `byoc/codegen.hpp` are the C++ view of the same tables.",
                [include / "plugin.hpp", include / "codegen.hpp", *sorted((include / "abi").rglob("*.h")),
                 *sorted((include / "nodes").glob("*.hpp"))])
    sources = sorted(path for folder in ("sdk", "backends") for path in (ROOT / folder).rglob("*.[ch]pp"))
    site.pages["messages.md"] = messages.page(path.read_text() for path in sources)
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    rows = [f"- [{path.read_text().splitlines()[0].lstrip('# ')}]({path.name})" for path in decisions]
    site.pages["decisions/index.md"] = "# Decisions\n\nWhy things are as they are, with measurements.\n\n" + "\n".join(rows) + "\n"
    if byoc:
        site.pages["command-line.md"] = command_line(byoc)


def llms_text(site, nav):
    """The list of pages that coding agents read first, as https://llmstxt.org describes it."""
    out = ["# byoc", "", "> byoc turns a trained neural network (ONNX or TFLite) into a small C library for one chip.", "",
           "Export: `byoc export model.tflite --target cortex-m4f -o model.a`. It writes the library, its header and an example program.",
           "Check: `byoc partition MODEL --target T` and `byoc run MODEL --target T --compare`. All links are Markdown of the same pages.", ""]
    for section, entries in nav.items():
        out += [f"## {section}", ""]
        for title, page in entries:
            text = site.pages.get(page, "")
            prose = re.sub(r"```.*?```", "", text, flags=re.S)
            first = next((line for line in prose.splitlines() if line.strip() and line[0] not in "#|-!<~"), "")
            first = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.split(r"(?<=[.:])\s", first)[0])
            out.append(f"- [{title}]({page})" + (f": {first}" if first else ""))
        out.append("")
    return "\n".join(out)


def staged(byoc=None):
    """The site's pages before mkdocs reads them, and its nav."""
    site = pages.Site(ROOT)
    site.add_tree()
    add_made_pages(site, byoc)
    return site, sections((HERE / "mkdocs.yml").read_text())


def write(site, folder):
    for place, text in site.pages.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    for place, file in site.files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / place)


class References(HTMLParser):
    """What an HTML page links to, what it loads, and the names in it that links lead to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.names = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.names.update(values[key] for key in ("id", "name") if values.get(key))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        for key in ("src", "srcset"):
            if values.get(key):
                self.loads.append(values[key])
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev") and values.get("href"):
            self.loads.append(values["href"])


def broken(site):
    """Links and loads of the built pages that lead nowhere, or into the network."""
    read = {path: References(path.read_text()) for path in site.rglob("*.html")}
    for path, page in sorted(read.items()):
        for target in page.loads:
            if re.match(r"(?:[a-z]+:)?//", target):
                yield f"{path.relative_to(site)}: loads {target} from the network"
        for target in [*page.links, *page.loads]:
            if re.match(r"[a-z]+:|//", target):
                continue
            file, _, name = target.partition("#")
            found = path if not file else (site / file.lstrip("/") if file.startswith("/") else (path.parent / file)).resolve()
            if found.is_dir():
                found = found / "index.html"
            if not found.is_file():
                yield f"{path.relative_to(site)}: links to {target}, which does not exist"
            elif name and found in read and name not in read[found].names and name != "__comments":
                yield f"{path.relative_to(site)}: links to {target}, but there is no such heading"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--byoc", type=Path, help="the program whose help becomes a page")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs")
    arguments = parser.parse_args()
    out = arguments.out.absolute()
    for made in ("pages", "site"):  # nothing else in that folder is ours
        shutil.rmtree(out / made, ignore_errors=True)
    site, nav = staged(arguments.byoc and arguments.byoc.absolute())
    if not arguments.byoc:
        site.pages["command-line.md"] = "# Command line\n\nThis site was made without the program. Ask it: `byoc --help`.\n"
    write(site, out / "pages")
    shutil.copyfile(HERE / "mkdocs.yml", out / "mkdocs.yml")
    # The system's Python has mkdocs and its theme; another one may come first in PATH.
    subprocess.run(["/usr/bin/python3", "-m", "mkdocs", "build", "--quiet", "--config-file", out / "mkdocs.yml"], check=True)
    (out / "site" / "llms.txt").write_text(llms_text(site, nav))
    for place, text in site.pages.items():
        (out / "site" / place).write_text(text)
    errors = list(broken(out / "site"))
    print(*errors, sep="\n", end="\n" if errors else "")
    print(f"{out / 'site' / 'index.html'}: {len(list((out / 'site').rglob('*.html')))} pages, {len(errors)} broken links")
    print("; ".join(f"{section}: {len(entries)} pages" for section, entries in nav.items()))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
