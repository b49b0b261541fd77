"""Layers that write their results over what they read: the same results, layer by layer, in little more memory than the
largest tensor takes.

usage: in_place.py BYOC MODELS_DIR TARGET
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from bounded_ram import Numbers

BYOC, TARGET = sys.argv[1], sys.argv[3]
SIZE, CHANNELS = 24, 16
IMAGE = SIZE * SIZE * CHANNELS


class Graph:
    """Text of a graph of images, channels last, each layer's output as large as its input but where it says so."""

    def __init__(self, element="i8", mode="tflite"):
        self.numbers, self.count, self.element = Numbers(3), 0, element
        self.values = {"x0": (SIZE, CHANNELS)}
        zero = {"i8": -1, "u8": 127, "i16": 0}.get(element)
        self.kind = f' q(0.02, {zero})' if zero is not None else ""
        self.lines = [f'graph "over" requant={mode} {{', f'  input %x0 : {self.type(SIZE, CHANNELS)}']

    def type(self, size, channels):
        return f"{self.element}[1,{size},{size},{channels}]{self.kind}"

    def result(self, size, channels):
        self.count += 1
        self.values[f"x{self.count}"] = (size, channels)
        return f"x{self.count}"

    def constants(self, shape, out):
        elements = 1
        for dim in shape:
            elements *= dim
        if self.element == "f32":
            parts = [str((self.numbers.byte() - 128) / 512) for _ in range(elements + out)]
            self.lines.append(f"  const %w{self.count} : f32{shape} = [{', '.join(parts[:elements])}]")
            self.lines.append(f"  const %b{self.count} : f32[{out}] = [{', '.join(parts[elements:])}]")
            return
        weights = "u8" if self.element == "u8" else "i8"
        self.lines.append(f'  const %w{self.count} : {weights}{shape} q(0.004, {128 if weights == "u8" else 0})'
                          f' = hex"{self.numbers.hex(elements)}"')
        wide = "i64" if self.element == "i16" else "i32"
        self.lines.append(f"  const %b{self.count} : {wide}[{out}] q(0.00008, 0) = {[self.numbers.byte() * 16 for _ in range(out)]}")

    def conv(self, x, out=None, kernel=3, group=1):
        size, channels = self.values[x]
        out = out or channels
        y = self.result(size, out)
        self.constants([out, kernel, kernel, channels // group], out)
        pad = kernel // 2
        self.lines.append(f'  %{y} : {self.type(size, out)} = Conv.13(%{x}, %w{self.count}, %b{self.count}) {{data_layout="NHWC",'
                          f' filter_layout="OHWI", kernel_shape={[kernel] * 2}, pads={[pad] * 4}, group={group}}}')
        return y

    def transposed(self, x, out, kernel=2):
        size, channels = self.values[x]
        y = self.result(2 * size, out)
        self.constants([out, kernel, kernel, channels], out)
        self.lines.append(f'  %{y} : {self.type(2 * size, out)} = ConvTranspose.11(%{x}, %w{self.count}, %b{self.count})'
                          f' {{data_layout="NHWC", filter_layout="OHWI", kernel_shape={[kernel] * 2}, strides=[2, 2]}}')
        return y

    def concat(self, *xs):
        size, channels = self.values[xs[0]][0], sum(self.values[x][1] for x in xs)
        y = self.result(size, channels)
        self.lines.append(f"  %{y} : {self.type(size, channels)} = Concat.13({', '.join('%' + x for x in xs)}) {{axis=3}}")
        return y

    def split(self, x, *lengths):
        size = self.values[x][0]
        ys = [self.result(size, length) for length in lengths]
        self.lines.append(f"  const %l{self.count} : i64[{len(lengths)}] = {list(lengths)}")
        self.lines.append("  " + ", ".join(f"%{y} : {self.type(size, n)}" for y, n in zip(ys, lengths)) +
                          f" = Split.13(%{x}, %l{self.count}) {{axis=3}}")
        return ys

    def pool(self, x):
        size, channels = self.values[x]
        y = self.result(size // 4, channels)
        self.lines.append(f'  %{y} : {self.type(size // 4, channels)} = MaxPool.12(%{x}) {{data_layout="NHWC",'
                          ' kernel_shape=[4, 4], strides=[4, 4]}')
        return y

    def text(self, *outputs):
        return "\n".join([*self.lines, *(f"  output %{o}" for o in outputs), "}", ""])


def grouped(element, group, kernel=3):
    graph = Graph(element)
    x = graph.conv("x0")
    for _ in range(3):
        x = graph.conv(x, group=group, kernel=kernel)
    return graph.text(graph.pool(x))


class InPlace(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def check(self, text, most, width=1):
        """Every layer's result is the evaluator's, and the workspace has at most so many elements."""
        model, image = self.dir / "over.byoc", self.dir / "image.raw"
        model.write_text(text)
        data = bytes.fromhex(Numbers(2).hex(IMAGE * width))
        if width == 4:  # floats between 1 and 2
            data = b"".join(data[i:i + 2] + bytes((128 + (data[i + 2] & 127), 63)) for i in range(0, len(data), 4))
        image.write_bytes(data)
        done = subprocess.run([BYOC, "run", str(model), "--target", TARGET, "--no-profile", "--compare", "--input", str(image)],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("agree with the evaluator", done.stdout)
        workspace = int(re.search(r"workspace ([\d,]+)", done.stdout)[1].replace(",", ""))
        self.assertLessEqual(workspace, most * width)
        return workspace

    def test_groups(self):
        for group, kernel in ((2, 3), (4, 3), (4, 1), (8, 3), (1, 3)):
            with self.subTest(f"{group} groups, {kernel}x{kernel}"):
                self.check(grouped("i8", group, kernel), IMAGE * 1.4)

    def test_groups_of_other_types(self):
        # u8 goes through the general kernel, but for cores with kernels for i16, that does, too.
        for element, width in (("u8", 1), ("i16", 2), ("f32", 4)):
            for group in (1, 4):
                with self.subTest(f"{element}, {group} groups"):
                    self.check(grouped(element, group), IMAGE * 1.4, width)

    def test_groups_of_another_size_have_no_place(self):
        graph = Graph()
        x = graph.conv(graph.conv(graph.conv("x0"), out=8, group=4), group=4)
        self.check(graph.text(graph.pool(x)), IMAGE * 1.8)

    def test_joined_channels(self):
        """The result and the smaller operand, instead of all three."""
        graph = Graph()
        x = graph.concat(graph.conv("x0", out=12), graph.conv("x0", out=20))
        self.check(graph.text(graph.pool(graph.conv(x, out=8))), IMAGE * (2 + 12 / 16) + 1024)

    def test_cut_channels(self):
        graph = Graph()
        a, b, c = graph.split(graph.conv("x0", out=32), 20, 8, 4)
        outputs = [graph.pool(graph.conv(v, kernel=1)) for v in (a, b, c)]
        self.check(graph.text(*outputs), IMAGE * (2 + 12 / 16) + 1024)

    def test_transposed(self):
        graph = Graph()
        x = graph.pool(graph.conv("x0", out=8))
        x = graph.transposed(graph.transposed(x, 32), 16)
        self.check(graph.text(graph.pool(x)), IMAGE * 1.2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
