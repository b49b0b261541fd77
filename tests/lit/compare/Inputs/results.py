"""results.py DUMP OUT [TENSOR]: the tensors of `byoc run --dump-tensors` as OUT/NAME.npy; the first two elements of TENSOR, i8,
are 3 and 1 more."""

import json
import sys
from pathlib import Path

TYPES = {"i8": "|i1", "f32": "<f4"}

dump, out = (Path(argument) for argument in sys.argv[1:3])
out.mkdir()
for tensor in json.loads((dump / "index.json").read_text())["tensors"]:
    data = bytearray((dump / tensor["file"]).read_bytes())
    if tensor["name"] in sys.argv[3:]:
        data[0], data[1] = (data[0] + 3) % 256, (data[1] + 1) % 256
    header = f"{{'descr': '{TYPES[tensor['dtype']]}', 'fortran_order': False, 'shape': {tuple(tensor['dims'])}, }}".encode()
    header = header.ljust(117) + b"\n"
    (out / f"{tensor['name']}.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data)
