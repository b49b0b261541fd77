"""What hosts gain by options of the export: --lto where a vendor's LLVM module calls its C for every element
(examples/bitcode-plugin), and threads on a large network. Both sides take turns; medians count, for other programs disturb."""

import os
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

import host

PLUGIN = "org.example.bitcode"
ELEMENTS = 1 << 16
ROUNDS = 7  # turns of each side
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


def median(byoc, model, *options, repeat=30):
    said = host.quiet(byoc, "run", model, "--fill", "random:3", "-q", "--no-profile", "--repeat", repeat, "--print-time", *options)
    found = re.search(r"median ([0-9.]+).* (ns|us|ms|s)$", said.strip())
    if found is None:
        raise RuntimeError(f"no times: {said}")
    return float(found.group(1)) * MICROSECONDS[found.group(2)]


def in_turn(byoc, sides, repeat):
    times = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, (model, options) in sides.items():
            times[name].append(median(byoc, model, *options, repeat=repeat))
    return {name: statistics.median(all_) for name, all_ in times.items()}


def show(title, times, records):
    first = next(iter(times.values()))
    for name, us in times.items():
        print(f"{title:24} {name:16} {us:12.1f} us  {first / us:.2f} times as fast as the first")
        records.append({"model": title, "side": name, "microseconds": us, "gain": first / us})


def build_plugin(build):
    prefix, folder = build / "bench/prefix", build / "bench/bitcode"
    host.quiet("cmake", "--install", build, "--prefix", prefix)
    host.quiet("cmake", "-G", "Ninja", "-S", host.ROOT / "examples/bitcode-plugin", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
               "-DCMAKE_BUILD_TYPE=Release")
    host.quiet("cmake", "--build", folder)
    return folder / "bitcode.so"


def bench(byoc, build, shared):
    records = []
    load = os.getloadavg()[0]
    print(f"\nMedians of {ROUNDS} turns; the load of this machine was {load:.1f} when it began\n")
    with tempfile.TemporaryDirectory() as temporary:
        model = Path(temporary) / "soft.byoc"
        model.write_text(f'graph "soft" requant=onnx {{\n  input %x : f32[{ELEMENTS}]\n  %y : f32[{ELEMENTS}] = Softsign.1(%x)\n'
                         "  output %y\n}\n")
        plugin = ("--plugin", build_plugin(build))
        sides = {}
        for name, options in (("calls C", ()), ("--lto", ("--lto",))):
            library = Path(temporary) / f"{name.strip('-').replace(' ', '_')}.so"
            host.quiet(byoc, "export", model, "--target", host.TARGET, "--optimize", "speed", *plugin, *options, "-q", "-o", library)
            sides[name] = (library, ())
        show(f"Softsign of {ELEMENTS}", in_turn(byoc, sides, 200), records)
        large = shared and shared / "onnx_light/light_resnet50.onnx"
        if not large or not large.exists():
            print("no models of ../shared: threads are not measured")
            return records
        library = Path(temporary) / "resnet50.so"
        host.quiet(byoc, "export", large, "--target", host.TARGET, "--threads", "-q", "-o", library)
        counts = [1] + [n for n in (2, 4) if n <= (os.cpu_count() or 1)]
        show("light_resnet50", in_turn(byoc, {f"{n} threads": (library, ("--threads", n)) for n in counts}, 10), records)
    return records
