"""Networks under bounds of RAM: `byoc run --max-ram` gives the same results with less memory, or says what is missing.

usage: bounded_ram.py BYOC MODELS_DIR TARGET

The first network is made here, in the manner of MobileNet on an image of 96x96x3, with pseudo-random weights; the other
is one of tests/networks.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BYOC, MODELS, TARGET = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
INPUT = 96 * 96 * 3


class Numbers:
    """A linear congruential generator, so that the model is the same everywhere."""

    def __init__(self, seed):
        self.state = seed

    def byte(self):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return self.state >> 16 & 0xFF

    def hex(self, count):
        return "".join(f"{self.byte():02x}" for _ in range(count))


def mobile_net(blocks=((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2))):
    """Graph text: a convolution of stride 2, then depthwise 3x3 and pointwise pairs of (channels, stride)."""
    numbers, lines = Numbers(1), ['graph "mobile" requant=tflite {', '  input %x0 : i8[1,96,96,3] q(0.02, -1)']
    size, channels, count = 96, 3, 0

    def conv(out, kernel, stride, depthwise):
        nonlocal size, channels, count
        group = channels if depthwise else 1
        shape = [out, kernel, kernel, channels // group]
        before, size = size, -(-size // stride)
        total = max((size - 1) * stride + kernel - before, 0)
        pads = [total // 2, total // 2, total - total // 2, total - total // 2]
        per_filter = kernel * kernel * channels // group
        lines.append(f'  const %w{count} : i8{shape} q(0.004, 0) = hex"{numbers.hex(out * per_filter)}"')
        lines.append(f'  const %b{count} : i32[{out}] q(0.00008, 0) = {[numbers.byte() * 16 for _ in range(out)]}')
        lines.append(
            f'  %x{count + 1} : i8[1,{size},{size},{out}] q(0.02, -128) = Conv.13(%x{count}, %w{count}, %b{count})'
            f' {{data_layout="NHWC", filter_layout="OHWI", kernel_shape={[kernel] * 2}, strides={[stride] * 2},'
            f' pads={pads}, group={group}, activation="relu"}}')
        channels, count = out, count + 1

    conv(8, 3, 2, False)
    for out, stride in blocks:
        conv(channels, 3, stride, True)
        conv(out, 1, 1, False)
    lines.append(f'  %y : i8[1,1,1,{channels}] q(0.02, -128) = AveragePool.13(%x{count})'
                 f' {{data_layout="NHWC", kernel_shape={[size] * 2}}}')
    return "\n".join(lines + ['  output %y', '}', ''])


class BoundedRam(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def run_model(self, model, *arguments):
        return subprocess.run([BYOC, "run", str(model), "--target", TARGET, "--no-profile", "--compare", *arguments],
                              capture_output=True, text=True)

    def test_the_export_says_what_it_did(self):
        model = self.dir / "mobile.byoc"
        model.write_text(mobile_net())
        done = subprocess.run([BYOC, "export", str(model), "--target", TARGET, "--max-ram", "50KiB",
                               "-o", str(self.dir / "mobile.a")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = json.loads((self.dir / "mobile.json").read_text())["steps"]
        self.assertTrue(any(re.fullmatch(r"\d+ layers by \d+ rows?", s["kernel"]) for s in steps))

    def ram(self, model, borders, *arguments):
        """Bytes of RAM beside the stack; results are what the evaluator says."""
        done = self.run_model(model, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("agree with the evaluator", done.stdout)
        return borders + int(re.search(r"workspace ([\d,]+)", done.stdout)[1].replace(",", ""))

    def least(self, model, *arguments):
        """What a bound that nothing can meet is answered with."""
        done = self.run_model(model, "--max-ram", "1", *arguments)
        self.assertEqual(done.returncode, 1, done.stdout)
        found = re.search(r"found (\d+) bytes, .* expected at most 1 bytes, (\d+) fewer", done.stderr)
        self.assertIsNotNone(found, done.stderr)
        self.assertEqual(int(found[1]), int(found[2]) + 1)
        return int(found[1])

    def check(self, model, borders, *arguments, share):
        default, least = self.ram(model, borders, *arguments), self.least(model, *arguments)
        self.assertLess(least, default * share)
        for bound in (default - 1, (default + least) // 2, least):
            self.assertLessEqual(self.ram(model, borders, "--max-ram", str(bound), *arguments), bound)
        # The least is none that a smaller bound could undercut.
        done = self.run_model(model, "--max-ram", str(least - 1), *arguments)
        self.assertIn(f"found {least} bytes", done.stderr)

    def test_first_layers_of_a_mobile_network(self):
        model = self.dir / "mobile.byoc"
        model.write_text(mobile_net())
        image = self.dir / "image.raw"
        image.write_bytes(bytes.fromhex(Numbers(2).hex(INPUT)))
        self.check(model, INPUT + 128, "--input", str(image), share=0.75)

    def test_residual_network(self):
        model = MODELS / "resnet8_int8.tflite"
        golden = MODELS / "golden/resnet8_int8/input_0.raw"
        self.check(model, 3072 + 10, "--input", str(golden), share=0.6)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
