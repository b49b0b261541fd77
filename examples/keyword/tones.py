#!/usr/bin/env python3
"""Writes a keyword model of its own for two words that need no training, a low tone and a high one: a front end and a
classifier as graph text, and recordings of one second at 16 kHz."""

import math
import random
import struct
import sys
import wave
from pathlib import Path

RATE, WINDOW, WINDOWS, FFT, CHANNELS = 16000, 480, 49, 512, 40
BINS = FFT // 2 + 1
FIRST, LAST = 5, 241  # the bins that count: 156 Hz to 7.5 kHz
LOW, HIGH = 400, 4000


def numbers(values):
    return "[" + ", ".join(str(v) for v in values) + "]"


def constant(name, kind, values, shape=None, quantised=""):
    dims = ",".join(map(str, shape or [len(values)]))
    return f"  const %{name} : {kind}[{dims}]{quantised} = {numbers(values)}"


def mel(hertz):
    return 1127 * math.log1p(hertz / 700)


EDGES = [mel(FIRST * RATE / FFT) + (mel(LAST * RATE / FFT) - mel(FIRST * RATE / FFT)) * i / (CHANNELS + 1)
         for i in range(CHANNELS + 2)]  # of the channels: each from one edge over its middle at the next to the one after


def triangles():
    """Band b lies between edges b and b + 1: channel b - 1 falls there, channel b rises."""
    starts, places, widths, rising, falling = [], [], [], [], []
    for left, right in zip(EDGES, EDGES[1:]):
        inside = [b for b in range(FIRST, LAST) if left <= mel(b * RATE / FFT) < right]
        starts.append(inside[0] if inside else 0)
        places.append(len(rising))
        widths.append(len(inside))
        for b in inside:
            part = round(4096 * (mel(b * RATE / FFT) - left) / (right - left))
            rising.append(part)
            falling.append(4096 - part)
    return starts, places, widths, rising, falling


def front_end():
    starts, places, widths, rising, falling = triangles()
    hann = [round(4096 * (0.5 - 0.5 * math.cos(2 * math.pi * (i + 0.5) / WINDOW))) for i in range(WINDOW)]
    return "\n".join([
        'graph "front_end" requant=tflite {',
        f'  input %samples "samples" : i16[{WINDOW}]',
        f"  state %noise : u32[{CHANNELS}] -> %next",
        constant("hann", "i16", hann),
        # Weights go to the channel before, unweights to the band's own.
        constant("weights", "i16", falling), constant("unweights", "i16", rising),
        constant("starts", "i16", starts), constant("places", "i16", places), constant("widths", "i16", widths),
        "  const %middle : i32[1] = [64]", "  const %most : i32[1] = [127]", "  const %least : i32[1] = [-128]",
        "  %1 = byoc.SignalWindow.1(%samples, %hann) {shift=12}",
        "  %2, %scale = byoc.SignalFftAutoScale.1(%1)",
        f"  %3 = byoc.SignalRfft.1(%2) {{fft_length={FFT}}}",
        f"  %4 = byoc.SignalEnergy.1(%3) {{start_index={FIRST}, end_index={LAST}}}",
        "  %5 = byoc.SignalFilterBank.1(%4, %weights, %unweights, %starts, %places, %widths) "
        f"{{num_channels={CHANNELS}}}",
        "  %6 = byoc.SignalFilterBankSquareRoot.1(%5, %scale)",
        "  %7, %next = byoc.SignalFilterBankSpectralSubtraction.1(%6, %noise) {smoothing=410, "
        "one_minus_smoothing=15974, alternate_smoothing=983, alternate_one_minus_smoothing=15401, "
        "min_signal_remaining=819, clamping=0, smoothing_bits=10, spectral_subtraction_bits=14}",
        "  %8 = byoc.SignalFilterBankLog.1(%7) {input_correction_bits=3, output_scale=12}",
        "  %9 = Cast.18(%8) {to=6}", "  %10 = Sub.18(%9, %middle)", "  %11 = Min.18(%10, %most)",
        "  %12 = Max.18(%11, %least)", '  %features "features" : i8[40] = Cast.18(%12) {to=3}',
        "  output %features", "}", ""])


def classifier():
    """How far the five channels around a tone stand out from all others, and a bar for both words."""
    near, bar = 5, 25
    far = CHANNELS - near
    scale = 1 / (far * WINDOWS)

    def template(hertz):
        around = sorted(range(CHANNELS), key=lambda c: abs(EDGES[c + 1] - mel(hertz)))[:near]
        return [far // near if c in around else -1 for c in range(CHANNELS)] * WINDOWS

    size = WINDOWS * CHANNELS
    weights = [0] * size + template(LOW) + template(HIGH)
    return "\n".join([
        'graph "classifier" requant=tflite {',
        f'  input %features "features" : i8[1,{size}] q(1, 0)',
        constant("weights", "i8", weights, [3, size], f" q({scale:.9g}, 0)"),
        constant("bias", "i32", [round(bar / scale), 0, 0]),
        f"  %1 : i8[1,3] q(1, 0) = byoc.FullyConnected.1(%features, %weights, %bias)",
        '  %words "words" : i8[1,3] q(0.00390625, -128) = Softmax.18(%1) {axis=-1}',
        "  output %words", "}", ""])


def write_clip(path, frequency):
    """Bursts of a tone above a little noise; frequency 0: the noise alone."""
    noise = random.Random(path.stem)  # the same everywhere
    samples = []
    for i in range(RATE):
        tone = 8000 * math.sin(2 * math.pi * frequency * i / RATE) if frequency and i // 2000 % 2 else 0
        samples.append(round(tone) + noise.randint(-20, 20))
    with wave.open(str(path), "wb") as clip:
        clip.setnchannels(1)
        clip.setsampwidth(2)
        clip.setframerate(RATE)
        clip.writeframes(struct.pack(f"<{RATE}h", *samples))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "front_end.byoc").write_text(front_end())
    (folder / "classifier.byoc").write_text(classifier())
    for name, frequency in (("low", LOW), ("high", HIGH), ("silence", 0)):
        write_clip(folder / f"{name}.wav", frequency)


if __name__ == "__main__":
    main()
