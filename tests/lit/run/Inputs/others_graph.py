"""A graph, its parameters and its library, by hand from the description of the formats: y = x + p, z = y + 1."""

import json
import struct
import sys
from pathlib import Path

folder = Path(sys.argv[1])


def op(name, function, inputs):
    attrs = {"func_name": function, "num_inputs": str(len(inputs)), "num_outputs": "1", "flatten_data": "0"}
    return {"op": "tvm_op", "name": name, "inputs": [[n, 0, 0] for n in inputs], "attrs": attrs}


nodes = [{"op": "null", "name": "x", "inputs": []}, {"op": "null", "name": "p", "inputs": []}, op("y", "fused_add", [0, 1]),
         op("z", "fused_one", [2])]
graph = {"nodes": nodes, "arg_nodes": [0, 1], "heads": [[3, 0, 0]], "node_row_ptr": [0, 1, 2, 3, 4],
         "attrs": {"shape": ["list_shape", [[1, 2]] * 4], "dltype": ["list_str", ["float32"] * 4],
                   "storage_id": ["list_int", [0, 1, 2, 0]]}}
(folder / "graph.json").write_text(json.dumps(graph))

tensor = struct.pack("<QQiiiBBHqqq", 0xDD5E40F096B4A13F, 0, 1, 0, 2, 2, 32, 1, 1, 2, 8) + struct.pack("<2f", 8, 9)
(folder / "graph.params").write_bytes(struct.pack("<QQQQ", 0xF7E58D4F05049CB7, 0, 1, 1) + b"p" + struct.pack("<Q", 1) +
                                      tensor)
(folder / "x.raw").write_bytes(struct.pack("<2f", 2, 3))
(folder / "lib.c").write_text("""
#include <stdint.h>
typedef struct { void *data; int32_t device[2]; int32_t ndim; uint8_t code, bits; uint16_t lanes; int64_t *shape, *strides;
                 uint64_t byte_offset; } tensor;
typedef union { int64_t i; double f; void *p; } value;
static float *at(value v) { return ((tensor *)v.p)->data; }
static int64_t floats(int n, value *a) {  /* whatever the graph says: what all of them have */
  int64_t least = 2;
  for (int k = 0; k < n; ++k) {
    const tensor *t = a[k].p;
    int64_t count = 1;
    for (int d = 0; d < t->ndim; ++d) count *= t->shape[d];
    count = count * t->bits * t->lanes / 32;
    if (count < least) least = count;
  }
  return least;
}
int fused_add(value *a, int *codes, int n, value *r, int *rc, void *h) {
  (void)codes; (void)r; (void)rc; (void)h;
  if (n != 3) return -1;
  for (int64_t i = 0; i < floats(n, a); ++i) at(a[2])[i] = at(a[0])[i] + at(a[1])[i];
  return 0;
}
int fused_one(value *a, int *codes, int n, value *r, int *rc, void *h) {
  (void)codes; (void)r; (void)rc; (void)h;
  if (n != 2) return -1;
  for (int64_t i = 0; i < floats(n, a); ++i) at(a[1])[i] = at(a[0])[i] + 1;
  return 0;
}
""")
