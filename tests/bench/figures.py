"""What every network costs, by CPU, compiler and objective: cycles, instructions, flash and RAM, beside the records, and
against the figures of the last release in figures.json, so that a review sees what became worse.

    bench.py --all [--cpu CPU] [--model MODEL] [--write]

QEMU counts and the estimate are the same on every machine. --write puts what was measured into figures.json."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tables

FILE = Path(__file__).resolve().parent / "figures.json"
OBJECTIVES = ("speed", "balanced")
COLUMNS = ("cycles", "instructions", "flash", "ram")  # bytes: flash with weights; RAM without inputs and outputs
# Keys are "<model> <cpu> <toolchain> <objective>". A figure that is so much larger than before is worse. Compilers of another patch level differ by less.
WORSE = 1.005
# What `balanced` may take of the time of `speed`.
BALANCED = 1.25


def figures_of(stats):
    """COLUMNS, and what charts.py counts byoc and other tools in one way by: bytes of the stack (part of `ram`), of inputs
    and outputs (not part of it), and of the constants in the model's file."""
    return {"cycles": stats["cycles"], "instructions": stats["instructions"], "flash": stats["flash"]["total"],
            "ram": stats["ram"]["total"], "stack": stats["ram"]["stack"], "io": stats["io"],
            "weights": stats["model_weights"]}


def changes(before, now):
    """[(key, column, before, now)] of what differs by more than WORSE, the worst first."""
    found = []
    for key in now:
        for column in COLUMNS:
            old, new = before.get(key, {}).get(column), now[key][column]
            if old and new and not 1 / WORSE <= new / old <= WORSE:
                found.append((key, column, old, new))
    return sorted(found, key=lambda change: change[2] / change[3])


def slow_balances(now):
    """[(key, ratio)] where `balanced` takes more of the time of `speed` than it may."""
    found = []
    for key, figures in now.items():
        *rest, objective = key.split()
        speed = now.get(" ".join([*rest, "speed"]))
        if objective == "balanced" and speed:
            ratio = time_of(figures) / time_of(speed)
            if ratio > BALANCED:
                found.append((key, ratio))
    return found


def time_of(figures):
    return figures["cycles"] or figures["instructions"]


def ratio_of(now, before):
    """Of cycles, where both have them: estimates of a CPU may be new."""
    column = "cycles" if now["cycles"] and before["cycles"] else "instructions"
    return now[column] / before[column]


def print_figures(now, before, records):
    rows = [["", *COLUMNS, "record", "of it", "before"]]
    for key, figures in now.items():
        model, cpu, _, _ = key.split()
        record = min(records.get(cpu, {}).get(model, {}).values(), default=None)
        old = before.get(key)
        rows.append([key, *(f"{figures[c]:,}" if figures[c] else "-" for c in COLUMNS), tables.millions(record),
                     f"{figures['cycles'] / record:.2f}" if record and figures["cycles"] else "-",
                     f"{ratio_of(figures, old):.3f}" if old else "new"])
    tables.print_rows("Estimated cycles without wait states, instructions, bytes of flash and RAM; the record, on a board with "
                      "wait states; time divided by that of the last release", rows)


def bench(measure, jobs, records, write):
    """jobs: (model, cpu, toolchain); measure(model, cpu, toolchain, objective) gives statistics or a line that says why
    not. True if nothing failed and nothing is worse."""
    before = json.loads(FILE.read_text())["figures"] if FILE.exists() else {}
    now, failed = {}, []
    wanted = [(*job, objective) for job in jobs for objective in OBJECTIVES]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (model, *rest), stats in zip(wanted, pool.map(lambda job: measure(*job), wanted)):
            key = " ".join([model.name, *rest])
            if isinstance(stats, str):
                failed.append(f"{key}: {stats}")
            else:
                now[key] = figures_of(stats)
    print_figures(now, before, records)
    found = changes(before, now)
    for key, column, old, new in found:
        print(f"{'worse' if new > old else 'better'}: {key}: {column} {old:,} -> {new:,} ({new / old:.3f})")
    for key, ratio in slow_balances(now):
        print(f"slow: {key}: {ratio:.2f} of speed, where {BALANCED} is the most")
    for line in failed:
        print(f"failed: {line}")
    if write:
        note = "Written by `./dev bench --all --write`: of one inference, bytes of flash and RAM."
        lines = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in sorted((before | now).items())]
        FILE.write_text(f'{{\n  "note": {json.dumps(note)},\n  "figures": {{\n' + ",\n".join(lines) + "\n  }\n}\n")
    return not failed and all(new <= old for _, _, old, new in found)
