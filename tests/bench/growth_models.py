"""Models that grow by one list each: inputs, branches, attributes, rows ... of as many as a row of growth.py asks for."""

import struct
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples" / "demo"))
from onnx_file import FLOAT, INT64, chunk, integer, varint  # noqa: E402

BOOL = 9
STRING = 8
GRAPH = 5  # of AttributeProto
ML = "ai.onnx.ml"


# ONNX, as far as these models need it.

def attribute(name, values):
    """A number, a text, or a list of numbers or texts."""
    one = not isinstance(values, (list, tuple))
    first = values if one else values[0]
    field, kind = {int: (3, 2), float: (2, 1), str: (4, 3)}[type(first)]
    if not one:
        field, kind = {3: 8, 2: 7, 4: 9}[field], kind + 5
    out = chunk(1, name) + integer(20, kind)
    for v in [values] if one else values:
        out += (integer(field, v) if isinstance(v, int) else chunk(field, v) if isinstance(v, str)
                else varint(field << 3 | 5) + struct.pack("<f", v))
    return chunk(5, out)


def node(op, inputs, outputs, graphs=(), domain="", attributes=None, name=""):
    message = b"".join(chunk(1, name) for name in inputs) + b"".join(chunk(2, name) for name in outputs) + chunk(4, op)
    message += b"".join(chunk(5, chunk(1, name) + chunk(6, graph) + integer(20, GRAPH)) for name, graph in graphs)
    message += b"".join(attribute(key, values) for key, values in (attributes or {}).items())
    return message + (chunk(7, domain) if domain else b"") + (chunk(3, name) if name else b"")


def value(name, dims=(), dtype=FLOAT):
    """A length, or the name of an open one, for each dim."""
    shape = b"".join(chunk(1, chunk(2, d) if isinstance(d, str) else integer(1, d)) for d in dims)
    return chunk(1, name) + chunk(2, chunk(1, integer(1, dtype) + chunk(2, shape)))


def constant(name, values, dims=None):
    """An initializer of i64 or f32."""
    whole = isinstance(values[0], int)
    data = struct.pack(f"<{len(values)}{'q' if whole else 'f'}", *values)
    tensor = b"".join(integer(1, d) for d in (dims if dims is not None else [len(values)]))
    return chunk(5, tensor + integer(2, INT64 if whole else FLOAT) + chunk(8, name) + chunk(9, data))


def graph(nodes, inputs, outputs):
    return (b"".join(chunk(1, n) for n in nodes) + chunk(2, "growth") + b"".join(chunk(11, v) for v in inputs) +
            b"".join(chunk(12, chunk(1, name)) for name in outputs))


def model(content, functions=()):
    """Opset 13; `functions` are in the domain "f"."""
    sets = chunk(8, integer(2, 13)) + chunk(8, chunk(1, "f") + integer(2, 1)) + chunk(8, chunk(1, ML) + integer(2, 3))
    return integer(1, 8) + chunk(7, content) + sets + b"".join(chunk(25, f) for f in functions)


def function(name, nodes):
    sets = chunk(9, integer(2, 13)) + chunk(9, chunk(1, "f") + integer(2, 1))
    return chunk(1, name) + chunk(4, "x") + chunk(5, "y") + b"".join(chunk(7, n) for n in nodes) + sets + chunk(10, "f")


# Graph text.

def text(lines):
    return ('graph "growth" requant=onnx {\n' + "\n".join(lines) + "\n}\n").encode()


# The models.

def chain(n):
    """One node behind the other."""
    lines = ["input %x : f32[4]"]
    lines += [f"%v{i} : f32[4] = {'Abs' if i % 2 else 'Neg'}.13({'%x' if i == 0 else f'%v{i - 1}'})" for i in range(n)]
    return text([*lines, f"output %v{n - 1}"])


def sum_of_many(n):
    return model(graph([node("Sum", [f"x{i}" for i in range(n)], ["y"])], [value(f"x{i}", [4]) for i in range(n)], ["y"]))


def if_captures(n):
    """An If whose branches read `n` values from around it."""
    names = [f"x{i}" for i in range(n)]
    branches = [(name, graph([node("Max", names, [name])], [], [name])) for name in ("then_branch", "else_branch")]
    return model(graph([node("If", ["c"], ["y"], branches)],
                       [value("c", dtype=BOOL), *(value(name, [4]) for name in names)], ["y"]))


def functions_called(n):
    """A function of eight nodes that is called until there are `n` nodes."""
    body = [node("Abs", ["x" if i == 0 else f"t{i - 1}"], ["y" if i == 7 else f"t{i}"]) for i in range(8)]
    calls = [node("f0", ["x" if i == 0 else f"c{i - 1}"], ["y" if i == n // 8 - 1 else f"c{i}"], domain="f")
             for i in range(n // 8)]
    return model(graph(calls, [value("x", [4])], ["y"]), [function("f0", body)])


def concat_of_many(n):
    """One input `n` times."""
    return text(["input %x : f32[4]", f"%y : f32[{4 * n}] = Concat.13({', '.join(['%x'] * n)}) {{axis=0}}", "output %y"])


def open_dims(n):
    """`n` inputs, each with an open dim of its own."""
    nodes = [node("Concat", [f"x{i}" for i in range(n)], ["y"])]
    return model(graph(nodes, [value(f"x{i}", [f"n{i}"]) for i in range(n)], ["y"]))


def open_dims_of_one(n):
    """One input with `n` open dims."""
    return model(graph([node("Abs", ["x"], ["y"])], [value("x", [f"n{i}" for i in range(n)])], ["y"]))


def many_ifs(n):
    lines = ["input %c : bool[]", "input %x : f32[4]"]
    for i in range(n):
        bodies = ", ".join(f'{name}=graph "" requant=onnx {{ input %a : f32[4] %b : f32[4] = {op}.13(%a) output %b }}'
                           for name, op in (("then_branch", "Abs"), ("else_branch", "Neg")))
        lines.append(f"%v{i} : f32[4] = If.13(%c, {'%x' if i == 0 else f'%v{i - 1}'}) {{{bodies}}}")
    return text([*lines, f"output %v{n - 1}"])


def long_lived(n):
    """`n` values of one input, which are added up once all of them are there."""
    lines = ["input %x : f32[4]"]
    lines += [f"%v{i} : f32[4] = {'Abs' if i % 2 else 'Neg'}.13(%x)" for i in range(n)]
    lines += [f"%s{i} : f32[4] = Add.13({'%x' if i == 0 else f'%s{i - 1}'}, %v{i})" for i in range(n)]
    return text([*lines, f"output %s{n - 1}"])


def many_inputs(n):
    """`n` inputs, which are added up."""
    lines = [f"input %x{i} : f32[4]" for i in range(n)]
    lines += [f"%s{i} : f32[4] = Add.13({'%x0' if i == 0 else f'%s{i - 1}'}, %x{i})" for i in range(n)]
    return text([*lines, f"output %s{n - 1}"])


def outputs_of_a_split(n):
    names = [f"p{i}" for i in range(n)]
    return model(graph([node("Split", ["x"], names, attributes={"axis": 0}), node("Sum", names, ["y"])],
                       [value("x", [n])], ["y"]))


def many_outputs(n):
    return model(graph([node("Abs" if i % 2 else "Neg", ["x"], [f"y{i}"]) for i in range(n)], [value("x", [4])],
                       [f"y{i}" for i in range(n)]))


def many_constants(n):
    """A chain in which each node has a constant of its own."""
    nodes = [node("Add", ["x" if i == 0 else f"v{i - 1}", f"c{i}"], [f"v{i}"]) for i in range(n)]
    constants = b"".join(constant(f"c{i}", [float(i + 1)] * 4) for i in range(n))
    return model(graph(nodes, [value("x", [4])], [f"v{n - 1}"]) + constants)


def one_name(n):
    """Nodes and values whose names become the same identifier."""
    names = ["".join(chr(0x3b1 + int(digit)) for digit in str(i)) for i in range(n)]
    nodes = [node("Abs" if i % 2 else "Neg", ["x" if i == 0 else names[i - 1]], [names[i]], name="a") for i in range(n)]
    return model(graph(nodes, [value("x", [4])], [names[n - 1]]))


def inputs_of_one_name(n):
    """Inputs whose names become the same identifier."""
    names = ["".join(chr(0x3b1 + int(digit)) for digit in str(i)) for i in range(n)]
    return model(graph([node("Sum", names, ["y"])], [value(name, [4]) for name in names], ["y"]))


def functions_of_their_own(n):
    """As many functions as calls."""
    calls = [node(f"f{i}", ["x" if i == 0 else f"c{i - 1}"], [f"c{i}"], domain="f") for i in range(n)]
    return model(graph(calls, [value("x", [4])], [f"c{n - 1}"]),
                 [function(f"f{i}", [node("Abs", ["x"], ["y"])]) for i in range(n)])


def stated_shapes(n):
    """A chain whose values all have their shapes stated."""
    nodes = [node("Abs" if i % 2 else "Neg", ["x" if i == 0 else f"v{i - 1}"], [f"v{i}"]) for i in range(n)]
    stated = b"".join(chunk(13, value(f"v{i}", [4])) for i in range(n))
    return model(graph(nodes, [value("x", [4])], [f"v{n - 1}"]) + stated)


def sequence_of_many(n):
    return model(graph([node("SequenceConstruct", [f"x{i}" for i in range(n)], ["s"]),
                        node("ConcatFromSequence", ["s"], ["y"], attributes={"axis": 0})],
                       [value(f"x{i}", [4]) for i in range(n)], ["y"]))


def scan_of_many(n):
    """A Scan over `n` inputs, which gives as many."""
    names = [f"x{i}" for i in range(n)]
    body = graph([node("Abs", [f"i{i}"], [f"o{i}"]) for i in range(n)], [value(f"i{i}", [4]) for i in range(n)],
                 [f"o{i}" for i in range(n)])
    return model(graph([node("Scan", names, [f"y{i}" for i in range(n)], [("body", body)],
                             attributes={"num_scan_inputs": n})],
                       [value(name, [3, 4]) for name in names], [f"y{i}" for i in range(n)]))


def loop_of_many(n):
    """A Loop that carries `n` values."""
    body = graph([node("Identity", ["c"], ["d"])] + [node("Abs", [f"i{i}"], [f"o{i}"]) for i in range(n)],
                 [value("k", [], INT64), value("c", [], BOOL)] + [value(f"i{i}", [4]) for i in range(n)],
                 ["d"] + [f"o{i}" for i in range(n)])
    return model(graph([node("Loop", ["trips", ""] + [f"x{i}" for i in range(n)], [f"y{i}" for i in range(n)],
                             [("body", body)])],
                       [value(f"x{i}", [4]) for i in range(n)], [f"y{i}" for i in range(n)]) + constant("trips", [3], []))


def learned(op, n, dims=(1, 8), dtype=FLOAT, **attributes):
    return model(graph([node(op, ["x"], ["y"], domain=ML, attributes=attributes)], [value("x", dims, dtype)], ["y"]))


def trees(n):
    """`n` trees of one split each."""
    return learned("TreeEnsembleRegressor", n, n_targets=1, nodes_treeids=[i for i in range(n) for _ in range(3)],
                   nodes_nodeids=[0, 1, 2] * n, nodes_featureids=[i % 8 for i in range(n) for _ in range(3)],
                   nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"] * n, nodes_values=[0.5, 0.0, 0.0] * n,
                   nodes_truenodeids=[1, 0, 0] * n, nodes_falsenodeids=[2, 0, 0] * n,
                   target_treeids=[i for i in range(n) for _ in range(2)], target_nodeids=[1, 2] * n,
                   target_ids=[0, 0] * n, target_weights=[1.0, 2.0] * n)


def one_tree(n):
    """A full tree of `n` splits, one less than a power of two."""
    count = 2 * n + 1
    inner = range(n)
    leaves = range(n, count)
    return learned("TreeEnsembleRegressor", n, n_targets=1, nodes_treeids=[0] * count, nodes_nodeids=list(range(count)),
                   nodes_featureids=[i % 8 for i in range(count)], nodes_modes=["BRANCH_LEQ"] * n + ["LEAF"] * (n + 1),
                   nodes_values=[float(i) for i in range(count)],
                   nodes_truenodeids=[2 * i + 1 for i in inner] + [0] * (n + 1),
                   nodes_falsenodeids=[2 * i + 2 for i in inner] + [0] * (n + 1),
                   target_treeids=[0] * (n + 1), target_nodeids=list(leaves), target_ids=[0] * (n + 1),
                   target_weights=[1.0] * (n + 1))


def vectors(n):
    """A support vector machine."""
    return learned("SVMRegressor", n, kernel_type="RBF", kernel_params=[0.5, 0.0, 0.0], n_supports=n,
                   support_vectors=[float(i % 7) for i in range(8 * n)], coefficients=[1.0] * n, rho=[0.0])


def labels(n):
    return learned("LabelEncoder", n, (4,), INT64, keys_int64s=list(range(n)), values_floats=[float(i) for i in range(n)])


def texts(n):
    return learned("LabelEncoder", n, (4,), INT64, keys_int64s=list(range(n)), values_strings=[f"t{i}" for i in range(n)])


def hot(n):
    return learned("OneHotEncoder", n, (1,), INT64, cats_int64s=list(range(n)))


def classes(n):
    return learned("LinearClassifier", n, coefficients=[1.0] * (8 * n), intercepts=[0.0] * n,
                   classlabels_ints=list(range(n)))


def grams(n):
    return model(graph([node("TfIdfVectorizer", ["x"], ["y"],
                             attributes={"min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0, "mode": "TF",
                                         "ngram_counts": [0], "ngram_indexes": list(range(n)),
                                         "pool_int64s": list(range(n))})],
                       [value("x", [12], INT64)], ["y"]))
