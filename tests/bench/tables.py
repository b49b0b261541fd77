"""Tables of what bench.py measured: beside the peers, by toolchain, by layer."""

import json
import math


def millions(value):
    return "-" if value is None else f"{value / 1e6:.2f}M" if value >= 1e6 else f"{value / 1e3:.0f}k"


def kib(value):
    return "-" if value is None else f"{value:.1f}"


def print_rows(title, rows):
    """Rows of cells, the first one the headings; the first column aligned left."""
    if len(rows) < 2:
        return
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    print(f"\n{title}\n")
    for row in rows:
        cells = [cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())


def default_toolchain(folder, cpu):
    return json.loads((folder / f"{cpu}.json").read_text())["default_toolchain"]


def beside_peers(title, records, peers, cpu, of_peer, of_record, write):
    """One table: a row for each model, a column for each peer that was measured, then byoc by each toolchain."""
    ours = [record for record in records if record["cpu"] == cpu]
    models = list(dict.fromkeys(record["model"] for record in ours))
    theirs = {model: of_peer(model) for model in models}
    names = list(dict.fromkeys(name for values in theirs.values() for name in values))
    rows = [["", *names, "byoc clang", "byoc gnu"]]
    for model in models:
        mine = {record["toolchain"]: of_record(record) for record in ours if record["model"] == model}
        rows.append([model, *(write(theirs[model].get(name)) for name in names),
                     *(write(mine.get(toolchain)) for toolchain in ("clang", "gnu"))])
    print_rows(title, rows)


def print_peers(records, peers):
    for cpu in dict.fromkeys(record["cpu"] for record in records):
        macs = {record["model"]: record["macs"] for record in records}
        direct, each = peers["instructions"].get(cpu, {}), peers["instructions_per_mac"].get(cpu, {})

        def instructions(model):
            return direct.get(model, {}) | {name: value * macs[model] for name, value in each.get(model, {}).items()}

        if direct or each:
            beside_peers(f"Instructions on {cpu}", records, peers, cpu, instructions, lambda r: r["instructions"], millions)


def print_sizes(records, peers):
    for table, key, title in (("flash_without_weights_kib", "flash_kib", "Flash of the library without weights"),
                              ("ram_kib", "ram_kib", "RAM without stack, input and output")):
        for cpu, theirs in peers[table].items():
            beside_peers(f"{title} on {cpu}, KiB", records, peers, cpu, lambda model: theirs.get(model, {}),
                         lambda record: record[key], kib)
    rows = [["", "text", "rodata", "weights", "flash", "workspace", "data, bss", "stack", "RAM"]]
    for record in records:
        flash, ram = record["stats"]["flash"], record["stats"]["ram"]
        rows.append([f"{record['model']} {record['cpu']} {record['toolchain']}",
                     *(f"{value:,}" for value in (flash["text"], flash["rodata"] + flash["data"], flash["weights"],
                                                  flash["total"], ram["workspace"], ram["data"] + ram["bss"],
                                                  ram["stack"], ram["total"]))])
    print_rows("Bytes, all of them", rows)


def print_toolchains(records, folder):
    """Instructions by clang divided by those by GCC, and the same of flash. The better one has fewer instructions;
    within one percent they are equal, and either will do. (!) marks a default that the other one beats."""
    rows = [["", "models", "instructions clang/gnu", "least", "most", "flash clang/gnu", "better", "default"]]
    found = {(record["model"], record["cpu"], record["toolchain"]): record for record in records}
    for cpu in dict.fromkeys(record["cpu"] for record in records):
        pairs = [(found[model, cpu, "clang"], found[model, cpu, "gnu"]) for model, c, toolchain in found
                 if c == cpu and toolchain == "clang" and (model, cpu, "gnu") in found]
        if not pairs:
            continue
        ratios = [clang["instructions"] / gnu["instructions"] for clang, gnu in pairs]
        mean = math.prod(ratios) ** (1 / len(ratios))
        flash = math.prod(clang["flash_kib"] / gnu["flash_kib"] for clang, gnu in pairs) ** (1 / len(pairs))
        default = default_toolchain(folder, cpu)
        better = "equal" if abs(mean - 1) < 0.01 else "clang" if mean < 1 else "gnu"
        rows.append([cpu, str(len(pairs)), f"{mean:.3f}", f"{min(ratios):.2f}", f"{max(ratios):.2f}", f"{flash:.2f}",
                     better, default + ("" if better in (default, "equal") else " (!)")])
    print_rows("Which toolchain is the better one: geometric means over the models above", rows)


def print_objectives(records, objectives):
    """Instructions, flash and RAM as print_sizes has them, of each objective by the target's default toolchain."""
    found = {(record["model"], record["cpu"], record["objective"]): record for record in records if "error" not in record}
    rows = [["", *(f"{what} {objective}" for what in ("instructions", "flash", "RAM") for objective in objectives)]]
    for model, cpu in dict.fromkeys(key[:2] for key in found):
        ours = [found.get((model, cpu, objective), {}) for objective in objectives]
        rows.append([f"{model} {cpu}", *(millions(r.get("instructions")) for r in ours),
                     *(kib(r.get(key)) for key in ("flash_kib", "ram_kib") for r in ours)])
    print_rows("By objective: instructions, flash of the library without weights, RAM, KiB", rows)


def print_layers(records, cpus, folder):
    """By the target's default toolchain."""
    for record in records:
        steps = record["stats"]["steps"]
        if record["cpu"] not in cpus or record["toolchain"] != default_toolchain(folder, record["cpu"]) or not steps:
            continue
        rows = [["kernel", "MACs", "instructions", "/MAC", "cycles", "/MAC", "constants", "live"]]
        for step in steps:
            macs = step["macs"]

            def each(count):
                return f"{count / macs:.2f}" if count and macs else ""

            rows.append([step["kernel"], f"{macs:,}" if macs else "", f"{step['instructions'] or 0:,}",
                         each(step["instructions"]), f"{step['cycles']:,}" if step["cycles"] else "-",
                         each(step["cycles"]), f"{step['constant_bytes']:,}", f"{step['live_bytes']:,}"])
        print_rows(f"Layers of {record['model']} on {record['cpu']}, {record['toolchain']}", rows)
