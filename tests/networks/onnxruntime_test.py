"""Each layer as ONNX Runtime computed it, from its own inputs, is what onnx_integers.py makes of these; but for elements
that lie on an edge of rounding, one step away."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

import make
import onnx_forms
import onnx_integers
import onnxruntime_results
from zoo import NETWORKS

# QLinearAdd multiplies by quotients of the scales, which are rounded first; scales of 8 bits meet halves often.
MOST = {"add": 0.005}
# Sums of float32 in another order.
MOST_OF_OTHERS = 0.0002


class OnnxRuntime(unittest.TestCase):
    def test_layers(self):
        for build in NETWORKS:
            network = build()
            for form in ("qdq", "qop"):
                with self.subTest(network.name, form=form), tempfile.TemporaryDirectory() as folder:
                    model = Path(folder, f"{network.name}_int8_{form}.onnx")
                    onnx_forms.Writer(network, form).write(model)
                    for run in onnxruntime_results.results(network, model, make.run_onnx(network, False)):
                        self.check(network, run, form)

    def check(self, network, run, form):
        for layer in network.layers:
            computed = onnx_integers.LAYERS[layer.kind](layer, *(run[i.name] for i in layer.inputs))
            steps = np.abs(computed.astype(int) - run[layer.name])
            self.assertLessEqual(steps.max(), 1, layer.name)
            share = MOST.get(layer.kind, 0) if form == "qop" else 0
            self.assertLessEqual(np.count_nonzero(steps), max(share, MOST_OF_OTHERS) * steps.size + 1, layer.name)

    def test_another_model_is_refused(self):
        network = NETWORKS[0]()
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder, f"{network.name}_float.onnx")
            model.write_bytes(b"another")
            with self.assertRaisesRegex(SystemExit, "ds_cnn_float.onnx is not what ONNX Runtime was asked about"):
                onnxruntime_results.results(network, model, [])


if __name__ == "__main__":
    unittest.main()
