"""Random models of one operator: FAMILIES is {name: function of Random that gives a Case}."""

import numpy as np

from cases import F32, WORDS, Case

FAMILIES = {}
MS, ML = "com.microsoft", "ai.onnx.ml"


def family(function):
    FAMILIES[function.__name__] = function
    return function


def window(r, dims, most=4, dilations=True):
    """Attributes of a window over so many dims, which fits. ONNX Runtime forgets dilations where it pads by itself, and
    has windows that do not fit give nothing."""
    out = {"kernel_shape": [r.integer(1, min(most, d)) for d in dims]}
    if r.one_in(2):
        out["strides"] = [r.integer(1, 3) for _ in dims]
    if r.one_in(3) and all(d >= k for d, k in zip(dims, out.get("strides", [1] * len(dims)))):
        # With a stride longer than the window it cuts the input where TensorFlow does not.
        if all(k >= s for k, s in zip(out["kernel_shape"], out.get("strides", [1] * len(dims)))):
            out["auto_pad"] = r.pick("SAME_UPPER", "SAME_LOWER", "VALID")
            return out
    if dilations and r.one_in(2):
        out["dilations"] = [r.integer(1, 1 if k == 1 else max(1, (d - 1) // (k - 1)))
                            for d, k in zip(dims, out["kernel_shape"])]
    if r.one_in(2):
        out["pads"] = [r.integer(0, k - 1) for k in out["kernel_shape"] * 2]
    return out


def picture(r, rank, least=4, most=9):
    return tuple(r.integer(least, most) for _ in range(rank))


@family
def conv(r):
    dims, groups, channels = picture(r, r.integer(1, 3)), r.pick(1, 1, 2, 3), r.integer(1, 3)
    attributes, filters = window(r, dims), groups * r.integer(1, 3)
    attributes["group"] = groups
    x = r.reals((r.integer(1, 2), channels * groups) + dims)
    w = r.reals((filters, channels, *attributes["kernel_shape"]))
    return Case("Conv", [x, w, r.pick(None, r.reals(filters))], attributes, constants=r.pick((), (1, 2)))


@family
def conv_transpose(r):
    dims, groups, channels = picture(r, r.integer(1, 3), 2, 5), r.pick(1, 1, 2), r.integer(1, 3)
    attributes = {"kernel_shape": [r.integer(1, 3) for _ in dims], "strides": [r.integer(1, 3) for _ in dims],
                  "group": groups}
    if r.one_in(2):
        attributes["dilations"] = [r.integer(1, 3) for _ in dims]
    if r.one_in(2):
        attributes["output_padding"] = [r.integer(0, s - 1) for s in attributes["strides"]]
    if r.one_in(3):
        attributes["output_shape"] = [d * s + r.integer(0, 1) for d, s in zip(dims, attributes["strides"])]
        attributes.pop("output_padding", None)
    x = r.reals((1, channels * groups) + dims)
    w = r.reals((channels * groups, r.integer(1, 3), *attributes["kernel_shape"]))
    return Case("ConvTranspose", [x, w, r.pick(None, r.reals(w.shape[1] * groups))], attributes, opset=22)


@family
def pools(r):
    dims = picture(r, r.integer(1, 3))
    op = r.pick("MaxPool", "AveragePool", "LpPool")
    attributes = window(r, dims, dilations=op != "AveragePool") | {"ceil_mode": r.pick(0, 1)}
    if op == "AveragePool":
        attributes["count_include_pad"] = r.pick(0, 1)
    if op == "LpPool":
        attributes["p"] = r.pick(1, 2, 3)
    return Case(op, [r.reals((2, r.integer(1, 3)) + dims)], attributes, opset=22)


@family
def resize(r):
    """By whole factors: of others ONNX Runtime rounds the length before it divides by it."""
    rank, mode = r.pick(2, 4), r.pick("nearest", "linear", "cubic")
    x = r.reals(tuple(r.integer(1, 2) for _ in range(rank - 2)) + picture(r, 2, 2, 7))
    attributes = {"mode": mode, "coordinate_transformation_mode":
                  r.pick("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")}
    if mode == "nearest":
        attributes["nearest_mode"] = r.pick("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    else:
        attributes["antialias"] = r.pick(0, 0, 1)
    if mode == "cubic":
        attributes |= {"cubic_coeff_a": r.pick(-0.5, -0.75), "exclude_outside": r.pick(0, 1)}
    scales = np.array([1] * (rank - 2) + [r.integer(1, 3) for _ in range(2)], F32)
    sizes = np.array([*x.shape[:-2], r.integer(2, 10), r.integer(2, 10)], np.int64)
    return Case("Resize", [x, None, *r.pick((scales,), (None, sizes))], attributes, constants=(2, 3), opset=19)


@family
def grid_sample(r):
    rank = r.pick(2, 2, 3)
    x = r.reals((2, r.integer(1, 2)) + picture(r, rank, 2, 5))
    attributes = {"mode": r.pick("linear", "nearest", *(("cubic",) if rank == 2 else ())),
                  "padding_mode": r.pick("zeros", "border", "reflection"), "align_corners": r.pick(0, 1)}
    return Case("GridSample", [x, r.reals((2,) + picture(r, rank, 1, 4) + (rank,), 0.8)], attributes, opset=20)


@family
def slices(r):
    x = r.reals(r.shape())
    axes, most = r.some(x.ndim), np.iinfo(np.int64).max
    bounds = [[r.pick(r.integer(-x.shape[a] - 2, x.shape[a] + 2), most, -most, 2**31 - 1) for a in axes]
              for _ in range(2)]
    steps = [r.pick(1, 1, 2, 3, -1, -2, -3) for _ in axes]
    operands = [np.array(v, np.int64) for v in (*bounds, [a - r.pick(0, x.ndim) for a in axes], steps)]
    return Case("Slice", [x, *operands], constants=r.pick((), (1, 2, 3, 4)))


@family
def pad(r):
    x = r.reals(r.shape(most=6))
    ends = [r.integer(0, d - 1) for d in x.shape * 2]
    return Case("Pad", [x, np.array(ends, np.int64), r.pick(None, np.array(3, F32))],
                {"mode": r.pick("constant", "reflect", "edge", "wrap")}, constants=r.pick((), (1, 2)), opset=21)


@family
def reductions(r):
    op = "Reduce" + r.pick("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare")
    x = r.reals(r.shape())
    x = np.abs(x) + F32(0.1) if op == "ReduceLogSum" else x
    axes = r.some(x.ndim) if r.one_in(2) else []
    return Case(op, [x, np.array(axes, np.int64)], {"keepdims": r.pick(0, 1), "noop_with_empty_axes": r.pick(0, 1)},
                constants=r.pick((), (1,)))


@family
def indices(r):
    x = r.reals(r.shape())
    axis = r.integer(-x.ndim, x.ndim - 1)
    n = x.shape[axis]
    if r.one_in(2):
        return Case("Gather", [x, r.whole(r.shape(r.integer(0, 2)), -n, n - 1)], {"axis": axis})
    places = r.whole(x.shape, -n, n - 1)
    return r.pick(Case("GatherElements", [x, places], {"axis": axis}),
                  Case("ScatterElements", [x, places, r.reals(x.shape)],
                       {"axis": axis, "reduction": r.pick("add", "mul", "min", "max")}, opset=18))


@family
def recurrent(r):
    """Without activations that need parameters, clip or Softplus: ONNX Runtime has other defaults, does not clip cells,
    and has an infinite Softplus of 89."""
    op, way = r.pick("LSTM", "GRU", "RNN"), r.pick("forward", "reverse", "bidirectional")
    gates, ways, peepholes = {"LSTM": 4, "GRU": 3, "RNN": 1}[op], 2 if way == "bidirectional" else 1, op == "LSTM"
    steps, batch, inputs, hidden = r.integer(1, 5), r.integer(1, 3), r.integer(1, 4), r.integer(1, 4)
    operands = [r.reals((steps, batch, inputs)), r.reals((ways, gates * hidden, inputs), 0.5),
                r.reals((ways, gates * hidden, hidden), 0.5), r.pick(None, r.reals((ways, 2 * gates * hidden), 0.5)),
                r.pick(None, r.whole(batch, 1, steps, "int32")), r.pick(None, r.reals((ways, batch, hidden), 0.5))]
    if peepholes:
        operands += [r.pick(None, r.reals((ways, batch, hidden), 0.5)), r.pick(None, r.reals((ways, 3 * hidden), 0.5))]
    attributes = {"hidden_size": hidden, "direction": way}
    if op == "GRU":
        attributes["linear_before_reset"] = r.pick(0, 1)
    if r.one_in(2):
        functions = {"LSTM": 3, "GRU": 2, "RNN": 1}[op] * ways
        attributes["activations"] = [r.pick("Relu", "Tanh", "Sigmoid", "Softsign") for _ in range(functions)]
    return Case(op, operands, attributes, outputs=(0, 1, 2) if peepholes else (0, 1), opset=14)


@family
def products_of_integers(r):
    m, k, n, dtype = r.integer(1, 5), r.integer(1, 20), r.integer(1, 5), r.pick("uint8", "int8")
    scales = r.above(n, 0.001, 0.05) if r.one_in(2) else r.above()
    zeros = np.zeros(n, dtype) if scales.ndim else r.quantised((), dtype)
    return Case("QLinearMatMul", [r.quantised((m, k), dtype), r.above(), r.quantised((), dtype), r.quantised((k, n), dtype),
                                  scales, zeros, r.above((), 0.05, 0.5), r.quantised((), dtype)],
                constants=(1, 2, 3, 4, 5, 6, 7), opset=21)


@family
def convolutions_of_integers(r):
    dims, dtype, groups, channels = picture(r, 2), r.pick("uint8", "int8"), r.pick(1, 2), r.integer(1, 3)
    attributes, filters = window(r, dims), groups * r.integer(1, 3)
    attributes["group"] = groups
    scales = r.above(filters, 0.001, 0.05) if r.one_in(2) else r.above()
    w = r.quantised((filters, channels, *attributes["kernel_shape"]), "int8")
    operands = [r.quantised((1, channels * groups) + dims, dtype), r.above(), r.quantised((), dtype), w, scales,
                np.zeros(scales.shape, "int8"), r.above((), 0.05, 0.5), r.quantised((), dtype),
                r.pick(None, r.whole(filters, -3000, 3000, "int32"))]
    return Case("QLinearConv", operands, attributes, constants=range(1, 9), opset=21)


@family
def quantised_pairs(r):
    dtype, shape = r.pick("uint8", "int8"), r.shape()
    other = tuple(1 if r.one_in(3) else d for d in shape)
    operands = [r.quantised(shape, dtype), r.above(), r.quantised((), dtype), r.quantised(other, dtype), r.above(),
                r.quantised((), dtype), r.above(), r.quantised((), dtype)]
    return Case(r.pick("QLinearAdd", "QLinearMul"), operands, domain=MS, constants=(1, 2, 4, 5, 6, 7))


@family
def mixed_products(r):
    m, k, n, dtype = r.integer(1, 5), r.integer(1, 9), r.integer(1, 5), r.pick("uint8", "int8")
    scale, zero = (r.above(n), r.quantised(n, dtype)) if r.one_in(2) else (r.above(), r.quantised((), dtype))
    bias = r.pick(None, r.reals(n))
    if r.one_in(2):
        return Case("DynamicQuantizeMatMul", [r.reals((m, k)), r.quantised((k, n), dtype), scale, zero, bias], domain=MS,
                    constants=(1, 2, 3, 4))
    return Case("MatMulIntegerToFloat", [r.quantised((m, k), "uint8"), r.quantised((k, n), dtype), r.above(), scale,
                                         r.quantised((), "uint8"), zero, bias], domain=MS, constants=(1, 2, 3, 4, 5, 6))


@family
def products_of_few_bits(r):
    bits, block, k, n = r.pick(4, 4, 8), r.pick(16, 32), r.pick(16, 32, 40, 64), r.integer(1, 6)
    blocks = -(-k // block)
    zeros = r.pick(None, r.quantised(n * ((blocks * bits + 7) // 8), "uint8"))
    return Case("MatMulNBits", [r.reals((r.integer(1, 3), k)), r.quantised((n, blocks, block * bits // 8), "uint8"),
                                r.above(n * blocks), zeros, None, r.pick(None, r.reals(n))],
                {"K": k, "N": n, "bits": bits, "block_size": block}, MS, constants=(1, 2, 3, 5))


@family
def products_of_turned_factors(r):
    m, k, n = r.integer(1, 5), r.integer(1, 5), r.integer(1, 5)
    batches = r.shape(r.integer(0, 2), 3)
    turn = r.pick(0, 1), r.pick(0, 1)
    a = r.reals(batches + ((k, m) if turn[0] else (m, k)))
    b = r.reals(batches + ((n, k) if turn[1] else (k, n)))
    attributes = {"transA": turn[0], "transB": turn[1], "alpha": r.pick(1.0, 0.5)}
    for operand, name in (("a", "transBatchA"), ("b", "transBatchB")):
        if batches and r.one_in(3):
            attributes[name] = 1
            if operand == "a":
                a = np.ascontiguousarray(np.moveaxis(a, -2, 0))
            else:
                b = np.ascontiguousarray(np.moveaxis(b, -2, 0))
    return Case("FusedMatMul", [a, b], attributes, MS)


def masks(r, batch, queries, keys):
    """None, how many keys count, or which. One always does: sums of -10000 and a bias have few digits left."""
    each, pairs = r.whole((batch, keys), 0, 1, "int32"), r.whole((batch, queries, keys), 0, 1, "int32")
    each[..., 0] = pairs[..., 0] = 1
    return r.pick(None, r.whole(batch, 1, keys, "int32"), each, pairs)


@family
def packed_attention(r):
    batch, length, heads, size, inputs = (r.integer(1, n) for n in (2, 4, 3, 3, 5))
    hidden = heads * size
    attributes = {"num_heads": heads, "unidirectional": r.pick(0, 1)}
    if r.one_in(3):
        attributes["mask_filter_value"] = -50.0
    if r.one_in(3):
        attributes["scale"] = 0.5
    mask = masks(r, batch, length, length)
    bias = r.pick(None, r.reals((r.pick(1, batch), r.pick(1, heads), length, length)))
    x, w, b = r.reals((batch, length, inputs)), r.reals((inputs, 3 * hidden)), r.reals(3 * hidden)
    return Case("Attention", [x, w, b, mask, None, bias], attributes, MS, constants=(1, 2))


@family
def quantised_attention(r):
    batch, length, heads, size, inputs = (r.integer(1, n) for n in (2, 4, 3, 3, 5))
    hidden, dtype = heads * size, r.pick("uint8", "int8")
    mask = r.pick(None, r.whole(batch, 1, length, "int32"), r.whole((batch, length), 0, 1, "int32"))
    operands = [r.quantised((batch, length, inputs), "uint8"), r.quantised((inputs, 3 * hidden), dtype),
                r.reals(3 * hidden), np.array(0.02, F32), np.array(0.02, F32), mask, r.quantised((), "uint8"),
                r.quantised((), dtype)]
    return Case("QAttention", operands, {"num_heads": heads, "unidirectional": r.pick(0, 1)}, MS,
                constants=(1, 2, 3, 4, 6, 7))


@family
def multi_head_attention(r):
    """Keys of another sequence are seen from every query."""
    batch, queries, keys, heads, size = (r.integer(1, n) for n in (2, 4, 5, 3, 3))
    hidden, past = heads * size, r.pick(0, 0, 2)
    operands = [r.reals((batch, queries, hidden)), r.reals((batch, keys, hidden)), r.reals((batch, keys, hidden)),
                r.pick(None, r.reals(3 * hidden)), None if past else masks(r, batch, queries, keys),
                r.pick(None, r.reals((1, r.pick(1, heads), queries, keys + past)))]
    if past:
        operands += [r.reals((batch, heads, past, size)) for _ in range(2)]
    return Case("MultiHeadAttention", operands, {"num_heads": heads}, MS, outputs=(0, 1, 2) if past else (0,))


@family
def rotary_embedding(r):
    batch, length, heads, half = (r.integer(1, n) for n in (2, 4, 3, 3))
    positions = r.pick(r.whole(1, 0, 4), r.whole((batch, length), 0, 8))
    x = r.reals(r.pick((batch, heads, length, 2 * half), (batch, length, heads * 2 * half)))
    return Case("RotaryEmbedding", [x, positions, r.reals((16, half)), r.reals((16, half))],
                {"interleaved": r.pick(0, 1)}, MS)


@family
def embedding(r):
    batch, length, hidden, segments = r.integer(1, 2), r.integer(1, 4), r.integer(2, 5), r.one_in(2)
    operands = [r.whole((batch, length), 0, 6, "int32"), r.whole((batch, length), 0, 1, "int32") if segments else None,
                r.reals((7, hidden)), r.reals((8, hidden)), r.reals((2, hidden)) if segments else None, r.reals(hidden),
                r.reals(hidden), r.pick(None, r.whole((batch, length), 0, 1, "int32"))]
    return Case("EmbedLayerNormalization", operands, domain=MS, constants=(2, 3, 4, 5, 6), outputs=(0, 1))


def labels(r, n, integers="classlabels_ints"):
    return {integers: list(range(3, 3 + n))} if r.one_in(2) else {"classlabels_strings": list(WORDS[:n])}


@family
def linear_models(r):
    """Of several targets or classes: ONNX Runtime transforms no single score."""
    columns, n = r.integer(1, 5), r.integer(2, 4)
    attributes = {"coefficients": r.numbers(columns * n), "intercepts": r.numbers(n),
                  "post_transform": r.pick("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")}
    x = r.reals((r.integer(1, 4), columns), dtype=r.pick("float32", "float64"))
    if r.one_in(2):
        return Case("LinearClassifier", [x], attributes | labels(r, n), ML, outputs=(0, 1))
    return Case("LinearRegressor", [x.astype(F32)], attributes | {"targets": n}, ML)


@family
def two_classes(r):
    columns = r.integer(1, 5)
    attributes = {"coefficients": r.numbers(columns), "intercepts": r.numbers(1),
                  "post_transform": r.pick("NONE", "SOFTMAX", "LOGISTIC"), **labels(r, 2)}
    return Case("LinearClassifier", [r.reals((r.integer(1, 4), columns))], attributes, ML, outputs=(0, 1))


@family
def support_vectors(r):
    columns, vectors = r.integer(1, 4), r.pick(0, 1, 3, 5)
    attributes = {"kernel_type": r.pick("LINEAR", "POLY", "RBF", "SIGMOID"), "kernel_params": [0.25, 0.5, 3.0],
                  "rho": r.numbers(1), "n_supports": vectors, "coefficients": r.numbers(vectors or columns)}
    if vectors:
        attributes["support_vectors"] = r.numbers(vectors * columns)
    return Case("SVMRegressor", [r.reals((r.integer(1, 4), columns))], attributes, ML)


@family
def support_vector_classes(r):
    columns, classes = r.integer(1, 4), r.integer(2, 4)
    per_class = [r.integer(1, 3) for _ in range(classes)]
    pairs, vectors = classes * (classes - 1) // 2, sum(per_class)
    attributes = {"kernel_type": r.pick("LINEAR", "POLY", "RBF", "SIGMOID"), "kernel_params": [0.25, 0.5, 3.0],
                  "rho": r.numbers(pairs), "vectors_per_class": per_class, "support_vectors": r.numbers(vectors * columns),
                  "coefficients": r.numbers(vectors * (classes - 1)), **labels(r, classes)}
    if r.one_in(2):
        attributes |= {"prob_a": r.numbers(pairs), "prob_b": r.numbers(pairs)}
    attributes["post_transform"] = r.pick("NONE", "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")
    return Case("SVMClassifier", [r.reals((r.integer(1, 4), columns), dtype=r.pick("float32", "float64"))], attributes,
                ML, outputs=(0, 1))


@family
def trees(r):
    """Each of full depth; of classes or of targets. Of two classes the first alone has weights: otherwise ONNX Runtime
    calls them 0 and 1, whatever their labels are."""
    columns, n, depth, classifies = r.integer(1, 4), r.integer(2, 4), r.integer(1, 3), r.one_in(2)
    is_binary, is_positive = classifies and n == 2, r.one_in(2)
    nodes = {name: [] for name in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")}
    leaves = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}
    inner, mode = 2**depth - 1, r.pick("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT")
    for tree in range(r.integer(1, 4)):
        for node in range(2 * inner + 1):
            is_inner = node < inner
            for name, value in (("treeids", tree), ("nodeids", node), ("featureids", r.integer(0, columns - 1)),
                                ("modes", mode if is_inner else "LEAF"), ("values", r.numbers(1)[0]),
                                ("truenodeids", 2 * node + 1 if is_inner else 0),
                                ("falsenodeids", 2 * node + 2 if is_inner else 0)):
                nodes[name].append(value)
            for target in () if is_inner else range(1 if is_binary else n):
                for name, value in (("treeids", tree), ("nodeids", node), ("ids", target), ("weights", r.numbers(1)[0])):
                    leaves[name].append(abs(value) if name == "weights" and is_positive else value)
    attributes = {f"nodes_{name}": values for name, values in nodes.items()}
    attributes |= {"base_values": r.numbers(1 if is_binary else n)} if r.one_in(2) else {}
    attributes["post_transform"] = r.pick("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")
    if is_binary:
        attributes["post_transform"] = "LOGISTIC" if min(leaves["weights"]) < 0 else "NONE"
    x = r.reals((r.integer(1, 4), columns))
    if classifies:
        return Case("TreeEnsembleClassifier", [x], attributes | {f"class_{name}": v for name, v in leaves.items()} |
                    labels(r, n, "classlabels_int64s"), ML, outputs=(0, 1))
    return Case("TreeEnsembleRegressor", [x], attributes | {f"target_{name}": v for name, v in leaves.items()} |
                {"n_targets": n, "aggregate_function": r.pick("SUM", "AVERAGE", "MIN", "MAX")}, ML)


@family
def words(r):
    x, names = r.words(r.shape(2)), list(WORDS[1:5])
    mapped = {"cats_int64s": [7, 3, 5, 1], "cats_strings": names, "default_int64": -2, "default_string": "none"}
    return r.pick(Case("OneHotEncoder", [x], {"cats_strings": names, "zeros": 1}, ML),
                  Case("CategoryMapper", [x], mapped, ML),
                  Case("CategoryMapper", [r.whole(r.shape(2), 0, 8)], mapped, ML))


@family
def columns(r):
    x, n = r.reals((r.integer(1, 4), r.integer(1, 4))), r.pick(True, False)
    count = x.shape[1] if n else 1
    holes = np.where(x > 1, F32(np.nan), x)
    return r.pick(Case("Scaler", [x], {"offset": r.numbers(count), "scale": r.numbers(count)}, ML),
                  Case("Normalizer", [x], {"norm": r.pick("MAX", "L1", "L2")}, ML),
                  Case("Imputer", [holes], {"imputed_value_floats": r.numbers(count),
                                            "replaced_value_float": float("nan")}, ML),
                  Case("FeatureVectorizer", [x, x[:, :1]], {"inputdimensions": [x.shape[1], 1]}, ML),
                  Case("OneHotEncoder", [r.whole(r.shape(), 0, 5)], {"cats_int64s": [0, 1, 3, 2], "zeros": 1}, ML))
