"""Stands in for numpy: an array is the bytes of a .npy file."""

import ast
from pathlib import Path


class Array(bytes):
    @property
    def shape(self):
        return ast.literal_eval(self[10 : 10 + int.from_bytes(self[8:10], "little")].decode())["shape"]


def load(path):
    return Array(Path(path).read_bytes())


def save(path, array):
    Path(path).write_bytes(array)
