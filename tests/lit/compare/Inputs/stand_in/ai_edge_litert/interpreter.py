"""Stands in for TensorFlow Lite: the output is the input, and of the tensor between them there is no data."""


class Interpreter:
    def __init__(self, model_path, experimental_preserve_all_tensors):
        assert experimental_preserve_all_tensors
        self.said = [model_path]
        self.tensors = {}

    def get_input_details(self):
        return [{"index": 0}]

    def get_output_details(self):
        return [{"index": 2}]

    def get_tensor_details(self):
        return [{"name": "in", "index": 0}, {"name": "be\ntween", "index": 1}, {"name": "out", "index": 2}]

    def resize_tensor_input(self, index, shape):
        self.said.append((index, shape))

    def allocate_tensors(self):
        assert self.said[1:] == [(0, (1, 2))]

    def set_tensor(self, index, array):
        self.tensors[index] = array

    def invoke(self):
        self.tensors[2] = self.tensors[0]

    def get_tensor(self, index):
        if index not in self.tensors:
            raise ValueError("no data")
        return self.tensors[index]
