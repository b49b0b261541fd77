#!/usr/bin/env python3
"""Models exported for this machine in every form, loaded by another process and run: the same bits from every form, and
what the reference outputs say where there are some.

--models: a folder with golden/ and golden_onnx/ beside the models (see ../shared/models); --all takes every model of it.
"""

import argparse
import hashlib
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from commands import run  # noqa: E402

FORMS = ("so", "a", "o", "tar", "folder")
FEW = ("kws_int8.tflite", "ad_float.onnx")


def golden_of(model, models):
    """Input and reference output of a model, or nothing."""
    stem, family = model.stem, model.stem.split("_")[0]
    kind = "int8" if "int8" in stem else "float"
    given = models / "golden" / f"{family}_{kind}" / "input_0.raw"
    if model.suffix == ".tflite":
        return given, models / "golden" / stem / "output_0.raw"
    return given, models / "golden_onnx" / f"{stem}_output_0.raw"


def agree(found, expected, is_float):
    if not is_float:
        return found == expected
    if len(found) != len(expected):
        return False
    a, b = (struct.unpack(f"<{len(x) // 4}f", x) for x in (found, expected))
    most = max(map(abs, b), default=0)
    return all(abs(x - y) <= 1e-5 * max(most, 1e-30) for x, y in zip(a, b))


def light_input(scratch, count):
    path = scratch / "arange.raw"
    path.write_bytes(struct.pack(f"<{count}f", *[i / count for i in range(count)]))
    return path


def light_golden(path):
    """The raw_data (field 9) or float_data of a TensorProto: the last 4 * 1000 bytes of these."""
    return path.read_bytes()[-4000:]


def check(byoc, model, given, expected, scratch):
    answers = {}
    for form in FORMS:
        out = scratch / model.stem / ("out/" if form == "folder" else f"out.{form}")
        out.parent.mkdir(exist_ok=True)
        run(byoc, "export", model, "--target", "host", "-q", "--name", "m", "--force", "-o",
            f"{out}/" if form == "folder" else out)
        arguments = ["--input", given] if given else ["--fill", "random:1"]
        run(byoc, "run", out, *arguments, "-q", "--output-dir", scratch / "answer")
        answers[form] = (scratch / "answer/output_0.raw").read_bytes()
    if len(set(answers.values())) != 1:
        sys.exit(f"{model.name}: forms differ: { {f: hashlib.md5(a).hexdigest() for f, a in answers.items()} }")
    if expected is not None and not agree(answers["so"], expected, "float" in model.stem or "light" in model.stem):
        sys.exit(f"{model.name}: the answer is not the reference's")
    print(f"{model.name}: {', '.join(FORMS)} agree" + ("" if expected is None else " and equal the reference"), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoc", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        check(arguments.byoc, arguments.source / "examples/demo/vibration_int8.onnx", None, None, scratch)
        if arguments.models is None:
            return 0
        models = sorted(p for p in arguments.models.iterdir() if p.suffix in (".onnx", ".tflite"))
        for model in models:
            if not arguments.all and model.name not in FEW:
                continue
            given, expected = golden_of(model, arguments.models)
            check(arguments.byoc, model, given, expected.read_bytes(), scratch)
        if arguments.all:
            for model in sorted((arguments.models / "onnx_light").glob("*.onnx")):
                golden = model.with_name(f"{model.stem}_output_0.pb")
                check(arguments.byoc, model, light_input(scratch, 3 * 224 * 224), light_golden(golden), scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
