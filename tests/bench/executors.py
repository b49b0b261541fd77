"""What an executor that interprets costs: the time of an inference on this machine, each as a part of aot's."""

import re
import subprocess

EXECUTORS = ("aot", "graph", "vm")
MODELS = ("kws_int8", "ad_int8", "resnet_int8")
LIMITS = {("graph", "kws_int8"): 1.05, ("vm", "kws_int8"): 1.10}
ROUNDS = 5  # of all executors in turn; the fastest of each counts


def nanoseconds(byoc, model, values, executor):
    said = subprocess.run([byoc, "run", model, "--target", "host", "--executor", executor, "--input", values, "-q",
                           "--repeat", "30", "--print-time"], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"shortest ([0-9.]+)", said).group(1)) * 1000


def bench(byoc, shared, only=None):
    records = []
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
