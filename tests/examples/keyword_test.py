#!/usr/bin/env python3
"""Installs byoc, then builds examples/keyword in clean folders and runs it in QEMU: with its own tones, and with the models
and recordings of micro_speech where they are. Each recording must be recognised, and the features must be those that the
front end has on this machine, where every tensor is compared with the evaluator."""

import argparse
import re
import sys
import tempfile
import wave
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from commands import run  # noqa: E402

WINDOW, STRIDE, WINDOWS = 480, 320, 49


def checksum(features):
    total = 2166136261
    for byte in features:
        total = (total ^ byte) * 16777619 & 0xffffffff
    return total


def host_checksum(byoc, front_end, clip, scratch):
    """Of the features that this machine computes."""
    with wave.open(str(clip)) as recording:
        samples = recording.readframes(recording.getnframes())
    scratch.mkdir(parents=True)
    inputs = []
    for i in range(WINDOWS):
        window = scratch / f"window_{i}.raw"
        window.write_bytes(samples[2 * STRIDE * i:2 * (STRIDE * i + WINDOW)])
        inputs += ["--input", window]
    out = run(byoc, "run", front_end, "--target", "host", "--no-profile", "--compare", *inputs, "--output-dir", scratch)
    if "tensors agree with the evaluator" not in out:
        sys.exit(out)
    return checksum(b"".join((scratch / f"run_{i}/output_0.raw").read_bytes() for i in range(WINDOWS)))


def check(arguments, prefix, scratch, front_end, expected, *settings):
    """expected: clip -> word."""
    run("cmake", "-G", "Ninja", "-S", arguments.source / "examples/keyword", "-B", scratch / "build",
        f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_TOOLCHAIN_FILE={prefix}/share/byoc/toolchains/cortex-m4f.cmake",
        *settings)
    run("cmake", "--build", scratch / "build")
    said = run("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel",
               scratch / "build/keyword.elf", timeout=60)
    for clip, word in expected(scratch).items():
        match = re.search(rf"^{clip.stem}: (\w+), (\d+) %, features (\d+)\r?$", said, re.MULTILINE)
        if match is None or match[1] != word:
            sys.exit(f"{clip.stem}: expected '{word}', found:\n{said}")
        features = host_checksum(prefix / "bin/byoc", front_end(scratch), clip, scratch / clip.stem)
        if int(match[3]) != features:
            sys.exit(f"{clip.stem}: expected features {features}, found:\n{said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--build", required=True, type=Path, help="build folder of byoc")
    parser.add_argument("--speech", type=Path, help="folder of micro_speech's models and recordings")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        prefix = Path(scratch, "installed")
        run("cmake", "--install", arguments.build, "--prefix", prefix)
        tones = lambda folder: folder / "build/tones"
        check(arguments, prefix, Path(scratch, "tones"), lambda folder: tones(folder) / "front_end.byoc",
              lambda folder: {tones(folder) / f"{word}.wav": word for word in ("low", "high", "silence")})
        if arguments.speech is None:
            print("micro_speech is not there: tones alone")
            return
        speech = arguments.speech
        check(arguments, prefix, Path(scratch, "speech"), lambda _: speech / "audio_preprocessor_int8.tflite",
              lambda _: {speech / f"{word}_1000ms.wav": word for word in ("yes", "silence")}, f"-DSPEECH={speech}")


if __name__ == "__main__":
    main()
