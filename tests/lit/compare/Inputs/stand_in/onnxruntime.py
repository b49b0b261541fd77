"""Stands in for ONNX Runtime: the values of a model are files in $STAND_IN, NAME.npy. `results.py` writes them."""

import os
from pathlib import Path
from types import SimpleNamespace

__version__ = "0.0-stand-in"
SessionOptions = SimpleNamespace
GraphOptimizationLevel = SimpleNamespace(ORT_ENABLE_ALL=99, ORT_DISABLE_ALL=0)


class InferenceSession:
    def __init__(self, path, options, providers):
        if "STAND_IN" not in os.environ:
            raise RuntimeError("the stand-in has no results")
        model = Path(path).read_bytes()
        self.files = {}
        for file in sorted(Path(os.environ["STAND_IN"]).glob("*.npy")):
            # More outputs are behind what the model had.
            if file.stem == "probability" or (path.endswith("all.onnx") and file.stem.encode() in model[-400:]):
                self.files[file.stem] = file

    def get_outputs(self):
        return [SimpleNamespace(name=name) for name in self.files]

    def run(self, names, inputs):
        assert sorted(names) == sorted(self.files) and all(data.startswith(b"\x93NUMPY") for data in inputs.values())
        return [self.files[name].read_bytes() for name in names]
