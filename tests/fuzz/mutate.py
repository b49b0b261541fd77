"""Changes to inputs that keep their structure: bytes, JSON, protobuf by its text form, TFLite by its JSON form.

Each mutator takes bytes and a random.Random and returns bytes. What parses stays parseable mostly: values become
extremes, others' values or hostile text, parts are left out, repeated, exchanged; of models half of the time only what may
well be another: options, scales, attributes, operators of a kind.
"""

import copy
import json
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TFLITE_SCHEMA = ROOT / "sdk" / "model" / "import" / "tflite" / "schema.fbs"
WORDS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
INTEGERS = (0, 1, -1, 2, 3, 7, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -2**31, 2**32, 2**62, 2**63 - 1, -2**63)
REALS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e-30, 1e30, 3.4e38, -3.4e38)
TEXTS = ("", "../evil", "/evil", "a/../../evil", "$(touch evil)", "`touch evil`", "x; touch evil", "a\nb", "a\tb", '"', "'",
         "\\", "%s%n", "{}", "x" * 300, "ä€😀", "M_WORKSPACE_SIZE", "int", "NaN", "1e999", "-1", ".", "..", "CON")


def mutate_bytes(data, choose):
    """One to a few changes: cut, flipped bits, extreme words, pieces moved, repeated or left out."""
    data = bytearray(data)
    for _ in range(choose.choice((1, 1, 1, 2, 4, 16))):
        if not data:
            break
        at = choose.randrange(len(data))
        # Structure is at the ends of most formats: half of the changes go there.
        if choose.random() < 0.5:
            at = choose.choice((at % 512, max(0, len(data) - 1 - at % 4096))) % len(data)
        kind = choose.randrange(6)
        length = choose.choice((1, 4, 16, 256)) if kind != 0 else 0
        if kind == 0:
            data[at] ^= 1 << choose.randrange(8)
        elif kind == 1:
            data[at:at + 4] = choose.choice(WORDS).to_bytes(4, "little")
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            del data[at:at + length]
        elif kind == 4:
            data[at:at] = data[at:at + length]
        else:
            data[at:at + length] = choose.randbytes(length)
    return bytes(data)


def other_value(value, choose):
    """Another value, of the same type mostly."""
    if choose.random() < 0.1:
        return choose.choice((None, True, 0, -1, 1.5, "x", [], {}, [[]], {"x": 1}))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return choose.choice((value + 1, value - 1, -value, value * 2, value // 2, choose.choice(INTEGERS)))
    if isinstance(value, float):
        return choose.choice((value * 2, -value, choose.choice(REALS)))
    if isinstance(value, str):
        return choose.choice((choose.choice(TEXTS), value + choose.choice(TEXTS), value[:-1], value.upper()))
    return value


def places(node, found=None):
    """(container, key) of everything inside of a JSON value; of long lists of numbers only a few."""
    found = [] if found is None else found
    if isinstance(node, dict):
        keys = list(node)
    elif isinstance(node, list):
        plain = len(node) > 32 and isinstance(node[0], (int, float))
        keys = (0, len(node) // 2, len(node) - 1) if plain else range(len(node))
    else:
        return found
    for key in keys:
        found.append((node, key))
        places(node[key], found)
    return found


def mutate_tree(tree, choose):
    tree = copy.deepcopy(tree)
    for _ in range(choose.choice((1, 1, 1, 2, 3))):
        all_places = places(tree)
        if not all_places:
            return other_value(tree, choose)
        container, key = choose.choice(all_places)
        kind = choose.randrange(8)
        if kind == 0:
            del container[key]
        elif kind == 1 and isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        elif kind == 1:
            container[choose.choice(TEXTS)] = copy.deepcopy(container[key])
        elif kind == 2:
            other, there = choose.choice(all_places)
            container[key] = copy.deepcopy(other[there])
        elif kind == 3 and isinstance(container, list):
            container.append(container.pop(key))
        else:
            container[key] = other_value(container[key], choose)
    return tree


# Parts of a TFLite model that may have many values in a model that is right; operators that take each other's places.
TFLITE_CHOICES = ("builtin_options", "quantization", "activation")
ALIKE = (("Relu", "Neg", "Abs", "Sigmoid", "Tanh", "Erf", "Floor", "Sqrt", "Exp", "Softplus", "HardSwish", "Sign", "Identity",
          "Softmax", "LogSoftmax", "Reciprocal", "Round", "Elu", "Gelu", "Mish"),
         ("Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu", "Pow"),
         ("MaxPool", "AveragePool", "LpPool"),
         ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2"))


def inside(tree, names, found=None, within=False):
    """places() below keys whose names contain one of `names`."""
    found = [] if found is None else found
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        here = within or isinstance(key, str) and any(name in key for name in names)
        if here and not isinstance(value, (dict, list)):
            found.append((tree, key))
        inside(value, names, found, here)
    return found


def near(value, choose):
    """A value that may well stand in its place."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return choose.choice((value + 1, max(value - 1, 0), value * 2, -value, 1, 2, 3))
    if isinstance(value, float):
        return value * choose.choice((0.5, 0.9, 1.1, 2.0, 7.3))
    if value in ("NONE", "RELU", "RELU6", "RELU_N1_TO_1", "SAME", "VALID"):
        return choose.choice(("SAME", "VALID") if value in ("SAME", "VALID") else ("NONE", "RELU", "RELU6", "RELU_N1_TO_1"))
    return value


def vary_tflite(tree, choose):
    """A few options and scales are others; the model stays as valid as it can."""
    tree = copy.deepcopy(tree)
    there = inside({key: tree[key] for key in ("subgraphs",) if key in tree}, TFLITE_CHOICES)
    for container, key in choose.sample(there, min(len(there), choose.choice((1, 1, 2, 4)))):
        container[key] = near(container[key], choose)
    return tree


def vary_onnx(fields, choose):
    """Numbers of attributes and names of operators are others; the model stays as valid as it can."""
    nodes = [value for other in lists_of(fields, []) for name, value in other if name == "node" and isinstance(value, list)]
    for node in choose.sample(nodes, min(len(nodes), choose.choice((1, 1, 2, 4)))):
        kind = next((f for f in node if f[0] == "op_type"), None)
        numbers = [f for name, value in node if name == "attribute" for f in value if f[0] in ("i", "ints", "f", "floats")]
        family = next((names for names in ALIKE if kind and kind[1].strip('"') in names), None)
        if family and (not numbers or choose.random() < 0.5):
            kind[1] = f'"{choose.choice(family)}"'
        elif numbers:
            field = choose.choice(numbers)
            field[1] = str(near(float(field[1]) if field[0].startswith("f") else int(field[1]), choose))
    return fields


def mutate_json(data, choose):
    return json.dumps(mutate_tree(json.loads(data), choose)).encode()


def parse_text(text):
    """protobuf's text form as a list of [name, value or list of the same]."""
    root = []
    stack = [root]
    for line in text.split("\n"):
        line = line.strip()
        if line.endswith("{"):
            stack[-1].append([line[:-1].strip(), []])
            stack.append(stack[-1][-1][1])
        elif line == "}":
            stack.pop()
        elif line:
            name, value = line.split(":", 1)
            stack[-1].append([name, value.strip()])
    return root


def print_text(fields, out):
    for name, value in fields:
        if isinstance(value, list):
            out.append(name + " {")
            print_text(value, out)
            out.append("}")
        else:
            out.append(f"{name}: {value}")


def lists_of(fields, found):
    if fields:
        found.append(fields)
    for _, value in fields:
        if isinstance(value, list):
            lists_of(value, found)
    return found


def other_literal(value, choose):
    if value.startswith('"'):
        if len(value) > 400:  # raw data: some of its bytes
            cut = choose.choice((0, len(value) // 2, len(value) - 2))
            return value if "\\" in value[max(cut - 4, 0):] else value[:max(cut, 1)] + '"'
        text = other_value(value[1:-1], choose)
        text = text if isinstance(text, str) else "x"
        return '"' + re.sub(r'[\\"\n]', "_", text) + '"'
    if re.fullmatch(r"-?\d+", value):
        return str(choose.choice((int(value) + 1, int(value) - 1, choose.choice(INTEGERS))))
    if re.fullmatch(r"[-+.eE\d]+|nan|inf|-inf", value):
        return choose.choice(("nan", "inf", "-inf", "0", "-1", "1e-45", "3e38", "0.5"))
    return choose.choice(("FLOAT", "INT", "INTS", "TENSOR", "GRAPH", "STRING", value))


def mutate_fields(fields, choose):
    for _ in range(choose.choice((1, 1, 1, 2, 3))):
        lists = lists_of(fields, [])
        inside = choose.choice(lists)
        at = choose.randrange(len(inside))
        kind = choose.randrange(8)
        if kind == 0:
            del inside[at]
        elif kind == 1:
            inside.insert(at, copy.deepcopy(inside[at]))
        elif kind == 2:  # the same kind of thing from elsewhere
            alike = [f for other in lists for f in other if f[0] == inside[at][0]]
            inside[at] = copy.deepcopy(choose.choice(alike))
        elif kind == 3:
            inside.append(inside.pop(at))
        elif isinstance(inside[at][1], str):
            inside[at][1] = other_literal(inside[at][1], choose)
    return fields


def run(command, data):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


def protoc(direction, data):
    return run(["protoc", f"--{direction}=onnx.ModelProto", "-I", "/usr/include/onnx", "/usr/include/onnx/onnx.proto"], data)


def mutate_onnx(data, choose):
    """By the text form. What protoc cannot read back comes out as its bytes, damaged."""
    fields = parse_text(protoc("decode", data).decode("utf-8", "replace"))
    if not fields:
        return mutate_bytes(data, choose)
    out = []
    print_text((vary_onnx if choose.random() < 0.5 else mutate_fields)(fields, choose), out)
    return protoc("encode", "\n".join(out).encode()) or mutate_bytes(data, choose)


def flatc(folder, *arguments):
    subprocess.run(["flatc", *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def mutate_tflite(data, choose):
    """By the JSON form. What flatc cannot read back comes out as its bytes, damaged."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "m.tflite").write_bytes(data)
        flatc(folder, "--strict-json", "--defaults-json", "--raw-binary", "-t", TFLITE_SCHEMA, "--", "m.tflite")
        if not (folder / "m.json").is_file():
            return mutate_bytes(data, choose)
        try:
            tree = json.loads((folder / "m.json").read_text(errors="replace"))
        except ValueError:
            return mutate_bytes(data, choose)
        (folder / "m.json").write_text(json.dumps((vary_tflite if choose.random() < 0.5 else mutate_tree)(tree, choose)))
        (folder / "m.tflite").unlink()
        flatc(folder, "-b", TFLITE_SCHEMA, "m.json")
        made = folder / "m.bin"
        return made.read_bytes() if made.is_file() else mutate_bytes(data, choose)


STRUCTURED = {".json": mutate_json, ".onnx": mutate_onnx, ".tflite": mutate_tflite}


def mutate(data, suffix, choose):
    """By the structure of the format where there is a way to, three times of four; else the bytes."""
    structured = STRUCTURED.get(suffix)
    if structured is None or choose.random() < 0.25:
        return mutate_bytes(data, choose)
    try:
        return structured(data, choose)
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return mutate_bytes(data, choose)
