"""The charts of README.md and the tables of docs/comparison.md: byoc beside other tools, from figures.json and peers.json.

    bench.py --charts            writes docs/images/costs-*.svg and the tables
    charts.py --check            fails if they are not what would be written

Every tool is counted in one way; docs/comparison.md has the definitions. A value that nobody measured is not drawn."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "comparison.md"
BEGIN, END = "<!-- written by ./dev bench --charts -->\n", "<!-- end -->\n"

MODELS = ("kws", "resnet", "ad")
# The tools: the name in peers.json, the name on the chart.
PEERS = {"TFLite Micro": "TFLite Micro", "TVM": "TVM", "onnx2c": "onnx2c", "emx": "emx-onnx-cgen"}
# byoc with the defaults of `byoc export`.
DEFAULTS = "clang balanced"
# Inputs and outputs are so small a share of a RAM figure that it may hold them or not.
NEGLIGIBLE = 0.01


@dataclass
class Panel:
    title: str
    remark: str
    unit: str
    rows: dict  # {tool: [value or None, by model]}, byoc first


def load():
    figures = json.loads((HERE / "figures.json").read_text())["figures"]
    return figures, json.loads((HERE / "peers.json").read_text())


def of_byoc(figures, model, cpu):
    return figures[f"{model}_int8 {cpu} {DEFAULTS}"]


def code_kib(figure):
    """Flash without the weights and biases of the model; tables that byoc makes of them are code."""
    return (figure["flash"] - figure["weights"]) / 1024


def ram_kib(figure):
    """Working memory, static data, inputs and outputs; no stack."""
    return (figure["ram"] - figure["stack"] + figure["io"]) / 1024


def peer_ram_kib(peers, tool, model, io_bytes):
    """A peer's RAM with inputs and outputs, or None if the measurement does not tell."""
    measured = peers["ram_kib"]["cortex-m4f"][f"{model}_int8"].get(tool)
    holds = peers["ram_input_output"].get(tool)
    io = io_bytes / 1024
    if measured is None or holds == "within":
        return measured
    if holds == "without":
        return measured + io
    return measured if io < NEGLIGIBLE * measured else None


def instructions_panel(figures, peers, cpu, title):
    rows = {"byoc": [of_byoc(figures, model, cpu)["instructions"] for model in MODELS]}
    for tool, name in PEERS.items():
        rows[name] = [peers["instructions"][cpu][f"{model}_int8"].get(tool) for model in MODELS]
    return Panel(f"Instructions, {title}", "of one inference", "", rows)


def code_panel(figures, peers):
    theirs = peers["flash_without_weights_kib"]["cortex-m4f"]
    rows = {"byoc": [code_kib(of_byoc(figures, model, "cortex-m4f")) for model in MODELS]}
    rows |= {name: [theirs[f"{model}_int8"].get(tool) for model in MODELS] for tool, name in PEERS.items()}
    return Panel("Code, Cortex-M4", "KiB of flash, without weights", "KiB", rows)


def ram_panel(figures, peers):
    own = [of_byoc(figures, model, "cortex-m4f") for model in MODELS]
    rows = {"byoc": [ram_kib(figure) for figure in own]}
    for tool, name in PEERS.items():
        rows[name] = [peer_ram_kib(peers, tool, model, figure["io"]) for model, figure in zip(MODELS, own)]
    return Panel("RAM, Cortex-M4", "KiB with inputs and outputs, without stack", "KiB", rows)


def panels():
    figures, peers = load()
    found = [instructions_panel(figures, peers, "cortex-m4f", "Cortex-M4"), code_panel(figures, peers),
             ram_panel(figures, peers), instructions_panel(figures, peers, "cortex-m55", "Cortex-M55")]
    for panel in found:
        panel.rows = {tool: values for tool, values in panel.rows.items() if any(v is not None for v in values)}
    return found


def label(panel, value):
    """Three digits; most of the peers' figures have no more."""
    if panel.unit:
        return f"{value:.3g}"
    return f"{value / 1e6:.3g}M" if value >= 1e6 else f"{value / 1e3:.3g}k"


# The drawing. Widths fit a phone: 480 units are shown on 400 pixels or more.
COLOURS = {
    "light": {"text": "#1f2328", "muted": "#59636e", "byoc": "#0969da", "peer": "#afb8c1", "paper": "#ffffff"},
    "dark": {"text": "#f0f6fc", "muted": "#9198a1", "byoc": "#4493f8", "peer": "#656c76", "paper": "#0d1117"},
}
WIDTH, MARGIN, NAMES, COLUMN, LABEL = 480, 8, 114, 121, 49
ROW, BAR, TITLE, HEAD, GAP = 17, 11, 20, 17, 14


def text(x, y, content, colour, **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}"{more}>{content}</text>'


def draw_panel(panel, top, colours):
    """(elements, the height that they take)"""
    out = [text(MARGIN, top + 14, panel.title, colours["text"], font_weight="600", font_size="14"),
           text(WIDTH - MARGIN, top + 14, panel.remark, colours["muted"], text_anchor="end", font_size="12")]
    for column, model in enumerate(MODELS):
        out.append(text(NAMES + column * COLUMN, top + TITLE + 13, model, colours["muted"]))
    y = top + TITLE + HEAD
    for tool, values in panel.rows.items():
        own = tool == "byoc"
        weight = {"font_weight": "600"} if own else {}
        out.append(text(MARGIN, y + 12, tool, colours["text"], **weight))
        for column, value in enumerate(values):
            if value is None:
                continue
            largest = max(row[column] or 0 for row in panel.rows.values())
            width = max(1.0, value / largest * (COLUMN - LABEL))
            x = NAMES + column * COLUMN
            out.append(f'<rect x="{x}" y="{y + 2}" width="{width:.1f}" height="{BAR}" rx="1.5" '
                       f'fill="{colours["byoc" if own else "peer"]}"/>')
            out.append(text(round(x + width + 4, 1), y + 12, label(panel, value), colours["text"], **weight))
        y += ROW
    return out, y - top + GAP


def svg(scheme):
    colours, body, y = COLOURS[scheme], [], MARGIN
    for panel in panels():
        elements, height = draw_panel(panel, y, colours)
        body += elements
        y += height
    y -= GAP - MARGIN
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" role="img" '
            'font-family="-apple-system, \'Segoe UI\', \'Noto Sans\', Helvetica, Arial, sans-serif" font-size="12.5">')
    title = "<title>byoc beside other tools: instructions, code and RAM of three networks. Shorter bars are better.</title>"
    paper = f'<rect width="{WIDTH}" height="{y}" fill="{colours["paper"]}"/>'
    return "\n".join([head, title, paper, *body, "</svg>"]) + "\n"


def markdown():
    out = []
    for panel in panels():
        out += ["", f"| {panel.title}, {panel.remark} | {' | '.join(MODELS)} |", "|---|---:|---:|---:|"]
        for tool, values in panel.rows.items():
            cells = ["" if value is None else label(panel, value) for value in values]
            out.append(f"| {tool} | {' | '.join(cells)} |")
    return "\n".join(out) + "\n\n"


def page():
    """docs/comparison.md with its tables brought up to date."""
    before, rest = PAGE.read_text().split(BEGIN)
    return before + BEGIN + markdown() + END + rest.split(END)[1]


def files():
    """{file: what is to be in it}"""
    images = ROOT / "docs" / "images"
    return {**{images / f"costs-{scheme}.svg": svg(scheme) for scheme in COLOURS}, PAGE: page()}


def write():
    for path, content in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        print(path.relative_to(ROOT))


def check():
    """The files that are not what write() would make of the figures."""
    return [path for path, content in files().items() if not path.exists() or path.read_text() != content]


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    stale = check()
    for found in stale:
        print(f"{found.relative_to(ROOT)}: differs from what the figures say; run ./dev bench --charts")
    sys.exit(1 if stale else 0)
