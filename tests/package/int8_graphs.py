"""Random int8 graphs in graph text, with the layers that an NPU takes in all the variants that it knows."""

import random

ACTIVATIONS = ("none", "relu", "relu6", "relu_n1_to_1")


def hex_bytes(values, width=1):
    return 'hex"' + b"".join(int(v).to_bytes(width, "little", signed=True) for v in values).hex() + '"'


def product(dims):
    out = 1
    for d in dims:
        out *= d
    return out


class Graph:
    """Every layer reads the value made last, `%current`, whose dims are `dims`."""

    def __init__(self, seed, channels_first=False, size=None):
        self.random = random.Random(seed)
        self.channels_first = channels_first
        self.lines = []
        self.count = 0
        height, width, channels = size or [self.random.randint(*r) for r in ((5, 12), (5, 12), (1, 7))]
        self.dims = self.image(height, width, channels)
        self.inputs = product(self.dims)
        self.scale, self.zero = self.quantisation()
        self.current = "x"
        self.lines.append(f"input %x : {self.type(self.dims, self.scale, self.zero)}")

    def quantisation(self):
        return round(self.random.uniform(0.02, 0.2), 6), self.random.randint(-128, 127)

    def image(self, height, width, channels):
        return [1, channels, height, width] if self.channels_first else [1, height, width, channels]

    def extents(self):
        return (self.dims[2], self.dims[3], self.dims[1]) if self.channels_first else tuple(self.dims[1:])

    @staticmethod
    def type(dims, scale, zero):
        return f"i8[{','.join(map(str, dims))}] q({scale}, {zero})"

    def layout(self):
        return f'data_layout="{"NCHW" if self.channels_first else "NHWC"}"'

    def activation(self):
        return f'activation="{self.random.choice(ACTIVATIONS)}"'

    def put(self, op, operands, attributes, dims, scale, zero):
        self.count += 1
        name = f"v{self.count}"
        attributes = "{" + ", ".join(attributes) + "}" if attributes else ""
        self.lines.append(f'%{name} : {self.type(dims, scale, zero)} = {op}({", ".join(operands)}) {attributes} '
                          f'@"{name}" #{self.count}')
        self.current, self.dims, self.scale, self.zero = name, dims, scale, zero
        return name

    def weights(self, dims, axis, out_channels):
        """Values of a kind that differs from case to case, so that every way of packing them is the shortest once."""
        kind = self.random.choice(("narrow", "wide", "sparse", "few", "equal"))
        few = [self.random.randint(-127, 127) for _ in range(self.random.randint(2, 8))]
        draw = {"narrow": lambda: self.random.randint(-9, 9), "wide": lambda: self.random.randint(-127, 127),
                "sparse": lambda: self.random.choice((0, 0, 0, 0, 0, 0, self.random.randint(-127, 127))),
                "few": lambda: self.random.choice(few), "equal": lambda: few[0]}[kind]
        name = f"w{self.count}"
        scales = [round(self.random.uniform(0.001, 0.01), 7) for _ in range(out_channels)]
        quantisation = f"q({scales[0]}, 0)"
        if self.random.random() < 0.7:
            quantisation = f"q(axis={axis}, [{', '.join(map(str, scales))}], [{', '.join('0' for _ in scales)}])"
        self.lines.append(f"const %{name} : i8[{','.join(map(str, dims))}] {quantisation} = "
                          + hex_bytes(draw() for _ in range(product(dims))))
        if self.random.random() < 0.2:
            return [f"%{name}"]
        self.lines.append(f"const %b{self.count} : i32[{out_channels}] = "
                          + hex_bytes((self.random.randint(-20000, 20000) for _ in range(out_channels)), 4))
        return [f"%{name}", f"%b{self.count}"]

    def window(self, height, width, most=4, dilated=True):
        """(attributes, output height, output width) of a window that fits."""
        pads = [self.random.randint(0, 2) for _ in range(4)]
        kernel, strides, dilations, out = [], [], [], []
        for i, size in enumerate((height, width)):
            room = size + pads[i] + pads[i + 2]
            k = self.random.randint(1, min(most, room))
            d = self.random.randint(1, (room - 1) // (k - 1)) if dilated and k > 1 and self.random.random() < 0.3 else 1
            s = self.random.randint(1, 3)
            kernel.append(k)
            strides.append(s)
            dilations.append(min(d, 16))
            out.append((room - ((k - 1) * dilations[-1] + 1)) // s + 1)
        attributes = [f"kernel_shape={kernel}", f"strides={strides}", f"pads={pads}"]
        return attributes + ([f"dilations={dilations}"] if dilated else []), kernel, out

    def conv(self, kind=None, out_per_group=None):
        height, width, channels = self.extents()
        kind = kind or self.random.choice(("full", "depthwise", "grouped", "point"))
        attributes, kernel, (out_h, out_w) = self.window(height, width)
        groups = {"depthwise": channels, "grouped": self.random.choice([g for g in range(1, channels + 1)
                                                                         if channels % g == 0])}.get(kind, 1)
        if kind == "point":
            attributes, kernel, (out_h, out_w) = ["kernel_shape=[1, 1]"], [1, 1], (height, width)
        each = out_per_group or self.random.randint(1, 3 if groups > 1 else 18)
        out_channels, in_each = groups * each, channels // groups
        filter_layout = "IHWO" if kind == "depthwise" else self.random.choice(("OIHW", "OHWI"))
        dims, axis = {"OIHW": ([out_channels, in_each, *kernel], 0), "OHWI": ([out_channels, *kernel, in_each], 0),
                      "IHWO": ([1, *kernel, out_channels], 3)}[filter_layout]
        operands = [f"%{self.current}"] + self.weights(dims, axis, out_channels)
        attributes += [f"group={groups}", f'filter_layout="{filter_layout}"', self.layout(), self.activation()]
        return self.put("Conv.18", operands, attributes, self.image(out_h, out_w, out_channels), *self.quantisation())

    def pool(self):
        height, width, channels = self.extents()
        op = self.random.choice(("AveragePool.18", "MaxPool.12"))
        attributes, _, (out_h, out_w) = self.window(height, width, dilated=op[0] == "M")
        return self.put(op, [f"%{self.current}"], attributes + [self.layout(), self.activation()],
                        self.image(out_h, out_w, channels), self.scale, self.zero)

    def add(self, other):
        """`other` has the dims of the current value."""
        return self.put("Add.14", [f"%{self.current}", f"%{other}"], [self.activation()], self.dims,
                        *self.quantisation())

    def reshape(self, dims):
        name = f"s{self.count}"
        self.lines.append(f"const %{name} : i64[{len(dims)}] = [{', '.join(map(str, dims))}]")
        return self.put("Reshape.14", [f"%{self.current}", f"%{name}"], [], dims, self.scale, self.zero)

    def fully_connected(self, units=None):
        depth = self.dims[-1] if self.random.random() < 0.5 else product(self.dims)
        units = units or self.random.randint(1, 20)
        keep = depth == self.dims[-1] and self.random.random() < 0.5
        operands = [f"%{self.current}"] + self.weights([units, depth], 0, units)
        dims = self.dims[:-1] + [units] if keep else [product(self.dims) // depth, units]
        return self.put("byoc.FullyConnected.1", operands, [f"keep_num_dims={int(keep)}", self.activation()], dims,
                        *self.quantisation())

    def softmax(self):
        return self.put("Softmax.13", [f"%{self.current}"], ["axis=-1"], self.dims, 0.00390625, -128)

    def text(self, name, outputs=()):
        given = [f"output %{v}" for v in (*outputs, self.current)]
        return f'graph "{name}" requant=tflite {{\n  ' + "\n  ".join(self.lines + given) + "\n}\n"


def random_graph(seed):
    g = Graph(seed, channels_first=seed % 3 == 2)
    kept = []
    for _ in range(g.random.randint(2, 7)):
        step = g.random.choice(("conv", "conv", "pool", "add", "softmax"))
        before, dims = g.current, g.dims
        if step == "add":
            g.conv("point", out_per_group=g.extents()[2])
            if dims == g.dims:
                g.add(before)
        else:
            getattr(g, step)()
        if g.random.random() < 0.15:
            kept.append(g.current)
    if g.random.random() < 0.4:
        g.reshape([1, product(g.dims)])
    g.fully_connected()
    if g.random.random() < 0.4:
        g.reshape([product(g.dims), 1])
    return g.text(f"random_{seed}", [v for v in kept if v != g.current]), g.inputs
