"""x + a constant of 81 elements of every type that has an Add, and what it has to be; usage: linked_params.py DTYPE"""

import struct
import sys

FORMATS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f",
           "f64": "d"}
name = sys.argv[1]
pack = "<81" + FORMATS[name]
bits = 8 * struct.calcsize(FORMATS[name])
if name.startswith("f"):
    constant, x = [0.5 * i - 20 for i in range(81)], [3.25 * i for i in range(81)]
    total = [c + v for c, v in zip(constant, x)]
else:
    low = 0 if name.startswith("u") else -(1 << (bits - 1))
    wrap = lambda n: (n - low) % (1 << bits) + low  # noqa: E731
    constant = [wrap(low + 0x0123456789abcdef * i) for i in range(81)]
    x = [wrap(0x1122334455667788 * i + i) for i in range(81)]
    total = [wrap(c + v) for c, v in zip(constant, x)]
hexed = struct.pack(pack, *constant).hex()
with open("m.byoc", "w", encoding="ascii") as f:
    f.write(f'graph "m" requant=onnx {{\n  input %x : {name}[81]\n  const %c : {name}[81] = hex"{hexed}"\n'
            f"  %y : {name}[81] = Add.14(%x, %c)\n  output %y\n  output %c\n}}\n")
for file, values in (("x.raw", x), ("sum.raw", total), ("constant.raw", constant)):
    with open(file, "wb") as f:
        f.write(struct.pack(pack, *values))
