#!/usr/bin/env python3
"""Keyword spotting from samples to a word: the features of a window are TensorFlow Lite Micro's, and every tensor is the
evaluator's; recordings of one second, window by window on one instance, are recognised."""

import argparse
import subprocess
import sys
import tempfile
import wave
from pathlib import Path

WORDS = ("silence", "unknown", "yes", "no")
WINDOW, STRIDE, WINDOWS = 480, 320, 49


def samples_of(path):
    with wave.open(str(path)) as recording:
        return recording.readframes(recording.getnframes())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("byoc")
    parser.add_argument("folder", type=Path)
    parser.add_argument("target")
    arguments = parser.parse_args()
    folder = arguments.folder

    def run(model, inputs, scratch):
        files = []
        for i, data in enumerate(inputs):
            path = scratch / f"input_{i}.raw"
            path.write_bytes(data)
            files += ["--input", path]
        done = subprocess.run([arguments.byoc, "run", folder / model, "--target", arguments.target, "--compare",
                               "--no-profile", *files, "--output-dir", scratch], capture_output=True, text=True)
        if done.returncode != 0 or "tensors agree with the evaluator" not in done.stdout:
            sys.exit(done.stdout + done.stderr)
        if len(inputs) == 1:
            return [(scratch / "output_0.raw").read_bytes()]
        return [(scratch / f"run_{i}/output_0.raw").read_bytes() for i in range(len(inputs))]

    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        if run("audio_preprocessor_int8.tflite", [samples_of(folder / "yes_30ms.wav")], scratch) != [
                (folder / "yes_30ms_features.raw").read_bytes()]:
            sys.exit("the features of yes_30ms.wav are not the reference's")
        for word in ("yes", "silence"):
            samples = samples_of(folder / f"{word}_1000ms.wav")
            windows = [samples[2 * STRIDE * i:2 * (STRIDE * i + WINDOW)] for i in range(WINDOWS)]
            features = b"".join(run("audio_preprocessor_int8.tflite", windows, scratch))
            scores = [byte - 256 if byte > 127 else byte
                      for byte in run("micro_speech_quantized.tflite", [features], scratch)[0]]
            if WORDS[scores.index(max(scores))] != word:
                sys.exit(f"{word}: found {dict(zip(WORDS, scores))}")


if __name__ == "__main__":
    main()
