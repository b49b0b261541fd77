"""What an executor that interprets costs: the time of an inference on this machine, each as a part of aot's."""

import re
import subprocess
import tempfile
from pathlib import Path

EXECUTORS = ("aot", "graph", "vm")
MODELS = ("kws_int8", "ad_int8", "resnet_int8")
LIMITS = {("graph", "kws_int8"): 1.05, ("vm", "kws_int8"): 1.10}
ROUNDS = 5  # of all executors in turn; the fastest of each counts


def nanoseconds(byoc, model, values, executor, *more):
    target = ["--target", "host"] if executor != "interpreted" else []
    said = subprocess.run([byoc, "run", model, *target, "--executor", executor, "--input", values, "-q",
                           "--repeat", "30", "--print-time", *more],
                          check=True, capture_output=True, text=True).stdout
    return float(re.search(r"shortest ([0-9.]+)", said).group(1)) * 1000


def attention(depth):
    """A block of attention over N rows, and a dense layer, as graph text."""
    row = " ".join(f"{(i * 37 % 101) / 1000 - 0.05}," for i in range(depth * depth)).rstrip(",")
    lines = ['graph "attention" requant=onnx symbols=[N] {', f'  input %0 "x" : f32[N,{depth}]']
    for i, name in enumerate(("query", "key", "value", "out")):
        lines.append(f'  const %{i + 1} "{name}" : f32[{depth},{depth}] = [{row}]')
    lines += [f'  const %5 "scale" : f32[{depth}] = [{", ".join(["1"] * depth)}]',
              f"  %6 : f32[N,{depth}] = MatMul.13(%0, %1)", f"  %7 : f32[N,{depth}] = MatMul.13(%0, %2)",
              f"  %8 : f32[N,{depth}] = MatMul.13(%0, %3)", f"  %9 : f32[{depth},N] = Transpose.13(%7) {{perm=[1,0]}}",
              "  %10 : f32[N,N] = MatMul.13(%6, %9)", "  %11 : f32[N,N] = Softmax.13(%10)",
              f"  %12 : f32[N,{depth}] = MatMul.13(%11, %8)", f"  %13 : f32[N,{depth}] = Add.14(%12, %0)",
              f"  %14 : f32[N,{depth}] = LayerNormalization.17(%13, %5)",
              f"  %15 : f32[N,{depth}] = MatMul.13(%14, %4)", f"  %16 : f32[N,{depth}] = Relu.14(%15)",
              "  output %16", "}"]
    return "\n".join(lines)


def open_lengths(byoc):
    """The same network of N rows: compiled for this N, compiled for any, evaluated."""
    print("\nTime of an inference on this machine where only a run knows how many rows of 64 there are\n")
    records = []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "attention.byoc"
        model.write_text(attention(64))
        for rows in (1, 16, 128):
            values = Path(folder) / "x.npy"
            head = str({"descr": "<f4", "fortran_order": False, "shape": (rows, 64)}).encode()
            values.write_bytes(b"\x93NUMPY\1\0" + len(head).to_bytes(2, "little") + head + bytes(rows * 64 * 4))
            ways = {"known": ("aot", "--prefer", "c", "--dim", f"N={rows}"), "open": ("vm", "--prefer", "c"),
                    "evaluated": ("interpreted",)}
            times = {way: min(nanoseconds(byoc, model, values, *how) for _ in range(ROUNDS))
                     for way, how in ways.items()}
            for way, time in times.items():
                print(f"{rows:4} rows  {way:10} {time / 1000:10.1f} us  {time / times['known']:.2f}")
                records.append({"rows": rows, "way": way, "nanoseconds": time, "to_known": time / times["known"]})
    return records


def bench(byoc, shared, only=None):
    records = open_lengths(byoc) if not only else []
    if shared is None:
        print("\nno models of ../shared: what executors cost is not measured")
        return records
    print("\nTime of an inference on this machine by executor, and as a part of aot's\n")
    for name in MODELS:
        model, values = shared / f"{name}.tflite", shared / f"golden/{name}/input_0.raw"
        if (only and name not in only) or not model.exists():
            continue
        times = {e: [] for e in EXECUTORS}
        for _ in range(ROUNDS):
            for executor in EXECUTORS:
                times[executor].append(nanoseconds(byoc, model, values, executor))
        best = {e: min(all_) for e, all_ in times.items()}
        for executor in EXECUTORS:
            ratio = best[executor] / best["aot"]
            limit = LIMITS.get((executor, name))
            print(f"{name:12} {executor:6} {best[executor] / 1000:10.1f} us  {ratio:.3f}"
                  + (f" (to be at most {limit})" if limit else ""))
            records.append({"model": name, "executor": executor, "nanoseconds": best[executor], "to_aot": ratio})
    return records
