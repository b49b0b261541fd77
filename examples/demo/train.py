#!/usr/bin/env python3
"""Trains the demo's vibration classifier and writes everything beside it that is committed:

    vibration_float.onnx   the network as trained
    vibration_int8.onnx    the same after post-training quantisation, as QuantizeLinear/DequantizeLinear pairs
    signals/NN.npy         signals that neither training nor calibration has seen; signals/signals.json says what they are
    CARD.md                what the models are and how well they do

Needs python3 and numpy; takes about a minute; the same numpy gives the same files.
"""

import json
import os
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy: sums in one order, so that every run gives the same files

import numpy as np  # noqa: E402

import network as net  # noqa: E402
import vibration  # noqa: E402
from onnx_file import Graph  # noqa: E402

HERE = Path(__file__).resolve().parent
TRAIN_SEED, CALIBRATION_SEED, TEST_SEED, DEMO_SEED = 11, 22, 33, 44
TRAIN_COUNT, CALIBRATION_COUNT, TEST_COUNT, DEMO_COUNT = 8000, 400, 4000, 8
EPOCHS = 16


class Quantisation:
    """real = scale * (q - zero_point), q in -128..127."""

    def __init__(self, low, high):
        low, high = min(float(low), 0.0), max(float(high), 0.0)
        self.scale = np.float32((high - low) / 255.0)
        self.zero_point = np.int8(np.clip(np.rint(-128.0 - low / float(self.scale)), -128, 127))

    def there_and_back(self, x):
        q = np.clip(np.rint(x / self.scale) + int(self.zero_point), -128, 127)
        return ((q - int(self.zero_point)) * self.scale).astype(np.float32)


def quantise_weights(weight):
    """Symmetric, one scale for each output channel."""
    scale = (np.abs(weight).reshape(len(weight), -1).max(axis=1) / 127.0).astype(np.float32)
    shape = (-1,) + (1,) * (weight.ndim - 1)
    return np.clip(np.rint(weight / scale.reshape(shape)), -127, 127).astype(np.int8), scale


def calibrate(layers, signals):
    """The Quantisation of the input and of what every layer gives, from the ranges seen on `signals`."""
    # A few readings beyond the range may saturate; the resolution of all others is worth more.
    found = [Quantisation(np.percentile(signals, 0.02), np.percentile(signals, 99.98))]
    x = signals
    for layer in layers:
        x = layer.forward(x)
        found.append(found[-1] if isinstance(layer, net.MaxPool) else Quantisation(x.min(), x.max()))
    return found


def run_quantised(layers, quantisations, x):
    """What the int8 model computes: every tensor rounded to its grid."""
    x = quantisations[0].there_and_back(x)
    for layer, before, after in zip(layers, quantisations, quantisations[1:]):
        kept = layer.parameters()
        if kept:
            weight, scale = quantise_weights(layer.weight)
            step = scale * before.scale
            shape = (-1,) + (1,) * (weight.ndim - 1)
            bias = np.rint(layer.bias / step) * step
            layer.weight, layer.bias = weight * scale.reshape(shape), bias.astype(np.float32)
        x = after.there_and_back(layer.forward(x))
        if kept:
            layer.weight, layer.bias = kept
    return x


class Writer:
    """The network as an ONNX graph; with `quantisations`, in QDQ form."""

    def __init__(self, name, quantisations=None):
        self.graph = Graph(name)
        self.quantisations = quantisations

    def grid(self, value, index):
        """`value` through QuantizeLinear and DequantizeLinear of quantisation `index`."""
        if self.quantisations is None:
            return value
        q = self.quantisations[index]
        pair = [self.graph.constant(f"{value}_scale", q.scale), self.graph.constant(f"{value}_zero_point", q.zero_point)]
        self.graph.node("QuantizeLinear", [value, *pair], f"{value}_q")
        return self.graph.node("DequantizeLinear", [f"{value}_q", *pair], f"{value}_dq")

    def weights(self, name, layer, index, dims):
        """Names of weight and bias of `layer`, whose input has quantisation `index`."""
        if self.quantisations is None:
            return [self.graph.constant(f"{name}_weight", layer.weight.reshape(dims)),
                    self.graph.constant(f"{name}_bias", layer.bias)]
        weight, scale = quantise_weights(layer.weight)
        step = (scale * self.quantisations[index].scale).astype(np.float32)
        bias = np.rint(layer.bias / step).astype(np.int32)
        names = []
        for part, data, scales in (("weight", weight.reshape(dims), scale), ("bias", bias, step)):
            inputs = [self.graph.constant(f"{name}_{part}_q", data), self.graph.constant(f"{name}_{part}_scale", scales),
                      self.graph.constant(f"{name}_{part}_zero_point", np.zeros(len(scales), data.dtype))]
            names.append(self.graph.node("DequantizeLinear", inputs, f"{name}_{part}", axis=0))
        return names

    def write(self, layers, path):
        value = self.grid("signal", 0)
        for index, layer in enumerate(layers):
            name = f"{type(layer).__name__.lower()}{index + 1}"
            value = self.layer(name, layer, index, value)
        self.graph.node("Softmax", [value], "probability", axis=1)
        self.graph.write(path, {"signal": (1, 3, 1, vibration.SAMPLES)}, {"probability": (1, len(vibration.CLASSES))})

    def layer(self, name, layer, index, value):
        if isinstance(layer, net.Conv):
            filters, channels, taps = layer.weight.shape
            inputs = [value, *self.weights(name, layer, index, (filters, channels, 1, taps))]
            self.graph.node("Conv", inputs, f"{name}_sum", kernel_shape=[1, taps], strides=[1, layer.stride],
                            pads=[0, layer.pad, 0, layer.pad])
            self.graph.node("Relu", [f"{name}_sum"], name)
        elif isinstance(layer, net.MaxPool):
            self.graph.node("MaxPool", [value], name, kernel_shape=[1, 2], strides=[1, 2])
        elif isinstance(layer, net.AveragePool):
            self.graph.node("GlobalAveragePool", [value], f"{name}_mean")
            value = self.grid(f"{name}_mean", index + 1)
            self.graph.node("Flatten", [value], name, axis=1)
        else:
            inputs = [value, *self.weights(name, layer, index, layer.weight.shape)]
            self.graph.node("Gemm", inputs, name, transB=1)
        return self.grid(name, index + 1)


def write_demo_signals(layers, quantisations):
    """The signals, what they are, and what numpy makes of them; the tests compare that with byoc's answers."""
    folder = HERE / "signals"
    folder.mkdir(exist_ok=True)
    signals, labels = vibration.make_set(DEMO_SEED, DEMO_COUNT)
    for index, signal in enumerate(signals):
        np.save(folder / f"{index:02}.npy", signal[None])
    float_answers = net.softmax(net.forward(layers, signals[:, :, 0]))
    int8_answers = net.softmax(run_quantised(layers, quantisations, signals[:, :, 0]))
    rows = [{"file": f"{index:02}.npy", "label": int(label), "float": np.round(float_answer, 6).tolist(),
             "int8": np.round(int8_answer, 6).tolist()}
            for index, (label, float_answer, int8_answer) in enumerate(
                zip(labels, float_answers.astype(np.float64), int8_answers.astype(np.float64)))]
    lines = ",\n".join("    " + json.dumps(row) for row in rows)
    text = f'{{\n  "classes": {json.dumps(vibration.CLASSES)},\n  "signals": [\n{lines}\n  ]\n}}\n'
    (folder / "signals.json").write_text(text)


CARD = """# Vibration classifier

Tells four conditions of a rotating machine apart from {samples} readings of a three-axis accelerometer
({rate:.0f} Hz, {span:.2f} s): {classes}.

| | |
|---|---|
| input | `signal`, float32 [1, 3, 1, {samples}]: horizontal, vertical, axial acceleration in g, mean taken off |
| output | `probability`, float32 [1, {count}]: {classes}, in this order |
| network | 4 convolutions with Relu, 2 max pools, global average pool, 1 fully connected layer, softmax |
| size | {parameters} parameters, {macs} multiply-accumulates |
| training | {train} signals, {epochs} epochs, by `train.py` in numpy |
| quantisation | after training, in `train.py`: int8, weights per channel, ranges from {calibration} signals |

## Accuracy

On {test} signals that were used for nothing else, each of a machine with its own speed, severity, mounting and noise:

| model | accuracy |
|---|---|
| `vibration_float.onnx` | {float_accuracy:.2%} |
| `vibration_int8.onnx` | {int8_accuracy:.2%} |

Confusion of the int8 model (rows: truth, columns: answer):

{confusion}

## What it is not

The signals are simulated (`vibration.py`); no real machine was measured. The classifier is there to show byoc at work
and must not be trusted with a machine.
"""


def confusion_table(logits, labels):
    answers = logits.argmax(axis=1)
    lines = ["| | " + " | ".join(vibration.CLASSES) + " |", "|---" * (len(vibration.CLASSES) + 1) + "|"]
    for truth, name in enumerate(vibration.CLASSES):
        counts = [str(int(((labels == truth) & (answers == answer)).sum())) for answer in range(len(vibration.CLASSES))]
        lines.append(f"| {name} | " + " | ".join(counts) + " |")
    return "\n".join(lines)


def count_macs(layers, x):
    total = 0
    for layer in layers:
        x = layer.forward(x)
        if layer.parameters():
            total += layer.weight.size * (x.shape[2] if x.ndim == 3 else 1)
    return total


def write_card(layers, quantisations):
    signals, labels = vibration.make_set(TEST_SEED, TEST_COUNT)
    signals = signals[:, :, 0]
    float_logits = net.forward(layers, signals)
    int8_logits = run_quantised(layers, quantisations, signals)
    text = CARD.format(
        samples=vibration.SAMPLES, rate=vibration.RATE, span=vibration.SAMPLES / vibration.RATE,
        classes=", ".join(vibration.CLASSES), count=len(vibration.CLASSES),
        parameters=sum(p.size for layer in layers for p in layer.parameters()), macs=count_macs(layers, signals[:1]),
        train=TRAIN_COUNT, epochs=EPOCHS, calibration=CALIBRATION_COUNT, test=TEST_COUNT,
        float_accuracy=net.accuracy(float_logits, labels), int8_accuracy=net.accuracy(int8_logits, labels),
        confusion=confusion_table(int8_logits, labels))
    (HERE / "CARD.md").write_text(text)
    print(text)


def main():
    signals, labels = vibration.make_set(TRAIN_SEED, TRAIN_COUNT)
    layers = net.make_network(TRAIN_SEED, len(vibration.CLASSES))
    net.train(layers, signals[:, :, 0], labels, EPOCHS, TRAIN_SEED)
    quantisations = calibrate(layers, vibration.make_set(CALIBRATION_SEED, CALIBRATION_COUNT)[0][:, :, 0])
    Writer("vibration").write(layers, HERE / "vibration_float.onnx")
    Writer("vibration", quantisations).write(layers, HERE / "vibration_int8.onnx")
    write_demo_signals(layers, quantisations)
    write_card(layers, quantisations)


if __name__ == "__main__":
    main()
