"""A model of 3x3 convolutions that Winograd's algorithm is faster for: odd sizes, a bias, factors of channels, a sum, two
images; one that is too small; and one of more bands of rows than threads may work at at a time."""

import random
import struct
import sys

rng = random.Random(4)
lines = []


def constant(name, dims, low=-1.0, high=1.0):
    count = 1
    for d in dims:
        count *= d
    data = struct.pack(f"<{count}f", *[rng.uniform(low, high) for _ in range(count)]).hex()
    lines.append(f'const %{name} : f32{list(dims)} = hex"{data}"')


lines.append("input %x : f32[2, 40, 13, 17]")
lines.append("input %s : f32[2, 35, 13, 17]")
lines.append("input %t : f32[1, 64, 39, 56]")
for name, dims in (("w", [35, 40, 3, 3]), ("b", [35]), ("g", [35]), ("h", [35]), ("m", [35]), ("v2", [50, 35, 3, 3]), ("w3", [33, 50, 3, 3]),
                   ("w4", [64, 64, 3, 3])):
    constant(name, dims)
constant("d", [35], 0.5, 2)
pads = "kernel_shape=[3, 3], pads=[1, 1, 1, 1]"
lines.append(f"%a = Conv.11(%x, %w, %b) {{{pads}}}")
lines.append("%n = BatchNormalization.15(%a, %g, %h, %m, %d)")
lines.append("%p = Add.14(%n, %s)")
lines.append("%r = Relu.14(%p)")
lines.append("%y = Conv.11(%r, %v2) {kernel_shape=[3, 3], pads=[0, 2, 1, 1]}")
lines.append("%q = MaxPool.12(%y) {kernel_shape=[2, 2], strides=[2, 2]}")
lines.append(f"%z = Conv.11(%q, %w3) {{{pads}}}")
lines.append(f"%e = Conv.11(%t, %w4) {{{pads}}}")
lines.append(f"%u = Conv.11(%e, %w4) {{{pads}}}")
lines.append("output %z")
lines.append("output %y")
lines.append("output %u")
open(sys.argv[1], "w").write('graph "m" requant=onnx {\n  ' + "\n  ".join(lines) + "\n}\n")
