"""tflite_integers.py against reals and against figures worked out by hand; and that the networks use their integers."""

import math
import unittest

import numpy as np

import make
import tflite_integers as tflite
from network import Layer, Value
from zoo import NETWORKS, TFLITE_NETWORKS


def value(scale, zero, shape=(256,)):
    return Value("v", shape, np.float32(scale), zero)


ALL = np.arange(-128, 128).astype(np.int8)


class Roundings(unittest.TestCase):
    def test_factors(self):
        self.assertEqual(tflite.factor(0.5), (1 << 30, 0))
        self.assertEqual(tflite.factor(1.0), (1 << 30, 1))
        self.assertEqual(tflite.factor(1 - 2.0**-40), (1 << 30, 1))
        self.assertEqual(tflite.factor(2.0**-40), (0, 0))

    def test_halves(self):
        """The product is rounded up, then the shift away from zero."""
        halves = np.array([-5, -3, -1, 1, 3, 5])
        self.assertEqual(tflite.requantise(halves, tflite.factor(0.5)).tolist(), [-2, -1, 0, 1, 2, 3])
        self.assertEqual(tflite.requantise(halves * 2, tflite.factor(0.25)).tolist(), [-3, -2, -1, 1, 2, 3])

    def test_activations(self):
        y = value(0.1, -28)
        self.assertEqual(tflite.clamp(y, np.array([-200, -5, 0, 5, 60, 61, 300]), "relu6").tolist(),
                         [-28, -28, -28, -23, 32, 32, 32])


class Functions(unittest.TestCase):
    def test_sigmoid_is_within_a_step(self):
        x = value(0.07, 3)
        found = tflite.logistic(Layer("sigmoid", [x], value(1 / 256, -128)), ALL)
        expected = [256 / (1 + math.exp(-0.07 * (q - 3))) - 128 for q in range(-128, 128)]
        self.assertLessEqual(np.abs(found - np.clip(expected, -128, 127)).max(), 0.51)

    def test_softmax_is_within_a_step(self):
        x = value(0.1, 0, (12,))
        row = np.array([-128, -20, 0, 5, 5, 9, 11, 14, 15, -3, 2, 1], dtype=np.int8)
        found = tflite.softmax(Layer("softmax", [x], value(1 / 256, -128)), row)
        powers = np.exp(0.1 * row.astype(float))
        self.assertLessEqual(np.abs(found - (256 * powers / powers.sum() - 128)).max(), 0.51)

    def test_tables_are_within_a_step(self):
        x = np.arange(-32768, 32768)
        self.assertLess(np.abs(tflite.table_sigmoid(x) / 32768 - 1 / (1 + np.exp(-x / 12288))).max(), 2e-4)
        self.assertLess(np.abs(tflite.table_tanh(x) / 32768 - np.tanh(x / 12288)).max(), 4e-4)

    def test_mean_and_pool(self):
        pixels = np.array([-3, 1, 0, -4], dtype=np.int8).reshape(2, 2, 1)  # a mean of -1.5
        x = value(0.5, 0, (2, 2, 1))
        self.assertEqual(tflite.average_pool(Layer("average_pool", [x], x), pixels).item(), -2)
        self.assertEqual(tflite.mean(Layer("mean", [x], value(0.25, 10, (1, 1, 1))), pixels).item(), 7)


class Networks(unittest.TestCase):
    def test_integers_are_used(self):
        """Values spread over many integers and saturate here and there, in every layer that has many."""
        for build in NETWORKS + TFLITE_NETWORKS:
            network = build()
            runs = make.run(network, tflite.LAYERS, False)
            saturated = 0
            for layer in network.layers:
                data = np.concatenate([run[layer.name].ravel() for run in runs])
                saturated += np.count_nonzero(data == 127)
                if data.size >= 4000:
                    self.assertGreater(len(np.unique(data)), 60, (network.name, layer.name))
                    self.assertLess(np.mean(data == 127), 0.1, (network.name, layer.name))
            self.assertGreater(saturated, 0, network.name)

    def test_answers_differ(self):
        for build in NETWORKS + TFLITE_NETWORKS:
            network = build()
            answers = {run[network.outputs[0].name].tobytes() for run in make.run(network, tflite.LAYERS, False)}
            self.assertEqual(len(answers), len(network.vectors), network.name)


if __name__ == "__main__":
    unittest.main()
