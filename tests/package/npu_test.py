#!/usr/bin/env python3
"""Installs byoc into an empty prefix and builds examples/npu against it, in a folder that holds nothing else. Then: random
int8 graphs that the NPU shares with the reference backend, against the evaluator; what the NPU refuses, and why; firmware of
two instances with the constants in a flash of their own; networks against what TensorFlow Lite's kernels compute."""

import json
import random
import re
import shutil
import struct
import subprocess
from pathlib import Path

import int8_graphs
from plugins_test import arguments_of, build_plugin, expect, exported, installed, run

NPU = "org.example.npu"
CROSS = "arm-none-eabi-"


class Npu:
    """The installed tool and plug-in."""

    def __init__(self, byoc, example):
        self.byoc = byoc
        self.example = example

    def target(self, name):
        return self.example / "targets" / f"npu-{name}.json"

    def words(self, command, model, target, *options):
        return [self.byoc, command, model, "--target", self.target(target), "--plugin", NPU, *options]

    def __call__(self, command, model, target, *options, code=0):
        return run(*self.words(command, model, target, *options), code=code)

    def by_layer(self, by_layer):
        return ["--plugin-option", f"{NPU}.steps={'layer' if by_layer else 'region'}"]


def raw_inputs(folder, count, size, seed):
    rng = random.Random(seed)
    out = []
    for i in range(count):
        path = Path(folder, f"input_{seed}_{i}.raw")
        path.write_bytes(bytes(rng.randrange(256) for _ in range(size)))
        out.append(path)
    return [word for path in out for word in ("--input", path)]


def check_random_graphs(npu, scratch, has_boards):
    """Graphs of all the layers, on the host and on boards, with one job for each layer, where every tensor can be looked
    at, and some with one for each region."""
    on_boards = {3: "m4f", 8: "m55", 12: "m55"} if has_boards else {}
    for seed in range(18):
        text, size = int8_graphs.random_graph(seed)
        model = Path(scratch, f"random_{seed}.byoc")
        model.write_text(text)
        inputs = raw_inputs(scratch, 2, size, seed)
        for target in filter(None, ("host", on_boards.get(seed))):
            for by_layer in (True, False) if seed % 3 == 0 else (True,):
                out = npu("run", model, target, *inputs, "--compare", "--no-profile", *npu.by_layer(by_layer))
                expect("tensors agree with the evaluator" in out, out)


def check_conformance(npu, prefix, target):
    """What the kit of the SDK has to say of the plug-in, its device model on this machine or on a board."""
    plugin = prefix / "lib/byoc/plugins/npu.so"
    out = run(npu.byoc, "check-plugin", plugin, "--target", npu.target(target), "--graphs", "5", "--shapes", "2")
    expect(" 0 failed" in out and "ok      agreement" in out, out)


def check_branches(npu, scratch):
    model = Path(__file__).parent / "npu_choice.byoc"
    image = raw_inputs(scratch, 1, 32, 0)
    for condition in (0, 1):
        path = Path(scratch, "condition.raw")
        path.write_bytes(bytes([condition]))
        out = npu("run", model, "host", "--input", path, *image, "--compare")
        expect("tensors agree with the evaluator" in out and "4 nodes  100.0 %" in npu("partition", model, "host"), out)


def check_refusals(npu, scratch):
    """Every reason that the plug-in has, told for the node that it is about."""
    cases = json.loads((Path(__file__).parent / "npu_refusals.json").read_text())
    for name, case in cases.items():
        model = Path(scratch, "refused.byoc")
        body = "\n  ".join(case["graph"])
        model.write_text(f'graph "refused" requant={case.get("requant", "tflite")} {{\n  {body}\n}}\n')
        # What the reference backend does not take either is an error with everybody's reasons.
        out = subprocess.run([str(w) for w in npu.words("partition", model, "host")], capture_output=True, text=True)
        expect(re.search(rf"{NPU}: {re.escape(case['text'])}(;|\n|$)", out.stdout + out.stderr), f"{name}: {out}")
    model.write_text(int8_graphs.random_graph(0)[0])
    out = run(npu.byoc, "partition", model, "--target", "cortex-m4f", "--plugin", NPU)
    expect("target 'cortex-m4f' has no flash memory 'npu_flash'" in out, out)


def answers_of(npu, model, scratch, pictures):
    """What the reference backend alone computes for the pictures of main.c."""
    words = []
    for n in range(pictures):
        path = Path(scratch, f"picture_{n}.raw")
        path.write_bytes(bytes(((i * 37 + n * 101) % 256 - 128) % 256 for i in range(12 * 12 * 3)))
        words += ["--input", path]
    run(npu.byoc, "run", model, "--target", "host", "--compare", "--output-dir", Path(scratch, "answers"), *words)
    for n in range(pictures):
        data = Path(scratch, "answers", f"run_{n}", "output_0.raw").read_bytes()
        yield "picture %d: %s" % (n, " ".join(str(b - 256 if b > 127 else b) for b in data))


def check_firmware(npu, scratch, prefix):
    expected = list(answers_of(npu, npu.example / "firmware/gesture.byoc", scratch, 2))
    expect(expected[0].split(":")[1] != expected[1].split(":")[1], "the pictures have different answers")
    for driver in ("model", "link"):
        build = Path(scratch, f"firmware_{driver}")
        run("cmake", "-G", "Ninja", "-S", npu.example / "firmware", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_TOOLCHAIN_FILE={prefix}/share/byoc/toolchains/cortex-m4f.cmake", f"-DNPU_DRIVER={driver}",
            f"-DNPU_PLUGIN={NPU if driver == 'model' else prefix / 'lib/byoc/plugins/npu.so'}")
        run("cmake", "--build", build)
        image, manifest = build / "firmware.elf", build / "gesture/gesture.json"
        said = run("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", image, timeout=60)
        expect(said.split("\n")[:4] == [line for line in expected for _ in range(2)], said)
        check_image(npu, image, json.loads(manifest.read_text()), manifest)
        libraries = json.loads(manifest.read_text()).get("link_libraries", [])
        expect(libraries == (["npu_driver"] if driver == "link" else []), libraries)
    # A description of the target that changes exports again.
    build = Path(scratch, "firmware_model")
    expect("no work to do" in run("cmake", "--build", build), "a second build has nothing to do")
    npu.target("m4f").touch()
    expect("Exporting" in run("cmake", "--build", build), "a newer target description exports again")
    check_link_option(npu, scratch, Path(scratch, "firmware_link/libnpu_driver.a"))


def check_image(npu, image, manifest, path):
    """The NPU's constants, and they alone, are in its flash, at addresses that it can read."""
    out = run(npu.byoc, "verify", image, "--manifest", path)
    expect(re.search(r"npu_flash +\d+ bytes in 2 constants", out), out)
    sections = {}
    for line in run(CROSS + "readelf", "-SW", image).splitlines():
        match = re.match(r"\s*\[\s*(\d+)\]\s+(\S+)\s+\S+\s+\S+\s+\S+\s+(\S+)\s+\S+\s+(\S*)\s", line)
        if match:
            sections[match.group(1)] = match.group(2), int(match.group(3), 16), match.group(4)
    regions = {c["symbol"]: c["region"] for c in manifest["constants"]}
    size = 0
    for line in run(CROSS + "readelf", "-sW", image).splitlines():
        words = line.split()
        if len(words) != 8 or words[7] not in regions:
            continue
        section, address = sections[words[6]][0], int(words[1], 16)
        if regions[words[7]] == "npu_flash":
            expect(section == ".npu_flash" and address % 16 == 0 and address >> 24 == 0x21, line)
            size += int(words[2])
        else:
            expect(section == ".rodata", line)
    symbols = run(CROSS + "nm", image)
    expect(re.search(r"(?m)^214\w{5} \w workspace_npu_ram$", symbols), symbols)
    expect(re.search(r"(?m)^200\w{5} \w workspace$", symbols), symbols)
    of_flash = next(s for s in sections.values() if s[0] == ".npu_flash")
    expect(size <= of_flash[1] < size + 32 and "W" not in of_flash[2], f"{of_flash} of {size}")


def check_link_option(npu, scratch, driver):
    """byoc run with a driver that is not in the library."""
    model = npu.example / "firmware/gesture.byoc"
    options = ["--input", Path(scratch, "picture_0.raw"), "--no-profile", "--plugin-option", f"{NPU}.driver=link"]
    out = npu("run", model, "m4f", *options, code=1)
    expect("undefined reference to `npu_driver_submit'" in out, out)
    out = npu("run", model, "m4f", *options, "--compare", "--link", driver)
    expect("tensors agree with the evaluator" in out, out)


def decode(stream, at, count):
    """(weights, what follows them, the ways that their blocks are packed in), by what npu_isa.h says."""
    out, ways = [], set()
    while len(out) < count:
        size, way, n = min(32, count - len(out)), stream[at] >> 5, stream[at] & 31
        bits = int.from_bytes(stream[at + 1:at + 1 + 32 * 33], "little")
        used = 0

        def take(width):
            nonlocal used
            used += width
            return bits >> (used - width) & ((1 << width) - 1)

        def rice():
            number = 0
            while take(1):
                number += 1 << n
            number += take(n)
            return number // 2 if number % 2 == 0 else -1 - number // 2

        if way == 0:
            values = [take(8) for _ in range(size)]
        elif way == 1:
            base = take(8)
            values = [base + take(n) for _ in range(size)]
        elif way == 2:
            present = [take(1) for _ in range((size + 7) // 8 * 8)][:size]
            values = [take(8) if p else 0 for p in present]
        elif way == 3:
            palette = [take(8) for _ in range(1 << n)]
            values = [palette[take(n)] for _ in range(size)]
        else:
            values = [rice() for _ in range(size)]
        ways.add(way)
        at += 1 + (used + 7) // 8
        out += [(v + 128) % 256 - 128 for v in values]
    return out, at, ways


def check_weights(model, commands, stream):
    """The weights in the flash are those of the model, in the device's order."""
    text = model.read_text()
    words = struct.unpack(f"<{len(commands) // 4}I", commands)
    convolutions, at = [], 0
    while at < len(words):
        if words[at] == 1:
            convolutions.append(words[at + 33:at + 36])
        at += words[at + 1]
    plain, tables, seen, end = 0, 0, set(), 0
    for name, (channels, weights, packed) in zip(("first", "depth", "point", "d"), convolutions, strict=True):
        dims, data = re.search(rf'const %w{name} : i8\[([\d,]+)\].* = hex"(\w+)"', text).groups()
        dims = [int(d) for d in dims.split(",")]
        expected = [b - 256 if b > 127 else b for b in bytes.fromhex(data)]
        count = dims[3] if name == "depth" else dims[0]
        if name == "depth":
            expected = [expected[i * count + c] for c in range(count) for i in range(len(expected) // count)]
        expect(channels % 16 == 0 and channels < end + 16 and weights == channels + 12 * count, f"{name}: {channels}")
        if packed:
            found, end, ways = decode(stream, weights, len(expected))
            expect(end - weights < len(expected), f"{name}: packed to {end - weights} of {len(expected)}")
            seen |= ways
        else:
            found, end = list(struct.unpack_from(f"<{len(expected)}b", stream, weights)), weights + len(expected)
        expect(found == expected, f"the weights of {name}")
        plain += len(expected)
        tables += 12 * count
    expect(end == len(stream) and {1, 2, 3, 4} <= seen, f"{end} of {len(stream)} bytes, ways {seen}")
    packed = len(stream) - tables
    expect(packed < 0.75 * plain, f"{packed} bytes for {plain} weights")


def check_export(npu, scratch):
    """The same bytes each time; weights that are smaller than they were; RAM through the plan."""
    model = npu.example / "firmware/gesture.byoc"
    archives = []
    for folder in ("one", "two"):
        Path(scratch, folder).mkdir()
        npu("export", model, "m4f", "-q", "-o", Path(scratch, folder, "m.a"))
        archives.append(Path(scratch, folder, "m.a").read_bytes())
    expect(archives[0] == archives[1], "two exports have the same bytes")
    manifest = json.loads(Path(scratch, "one", "m.json").read_text())
    weights = [c for c in manifest["constants"] if "npu_weights" in c["symbol"]]
    expect(len(weights) == 1 and weights[0]["align"] == 16 and weights[0]["region"] == "npu_flash", weights)
    owners = [step["codegen"] for step in manifest["steps"]]
    expect(owners == [NPU, "c"], owners)
    expect(manifest["instance"]["bytes"] == 128 and manifest["workspace"]["align"] == 8, manifest)
    scratch_memory = [(w["pool"], w["align"]) for w in manifest["further_workspaces"]]
    expect(scratch_memory == [("npu_ram", 16)], scratch_memory)
    # For this machine, whose objcopy is there.
    npu("export", model, "host", "-q", "-o", Path(scratch, "host.a"))
    run("ar", "x", "--output", scratch, Path(scratch, "host.a"), "gesture_constants.o")
    content = []
    for stem in ("npu_commands", "npu_weights"):
        symbol = next(c["symbol"] for c in manifest["constants"] if stem in c["symbol"])
        run("objcopy", "-O", "binary", f"--only-section=.npu_flash.{symbol}", Path(scratch, "gesture_constants.o"),
            Path(scratch, "content.bin"))
        content.append(Path(scratch, "content.bin").read_bytes())
    check_weights(model, *content)


class Golden:
    """A network of tests/networks and what it is to make of its inputs."""

    def __init__(self, models, name):
        self.folder = models / "golden"
        self.model = models / f"{name}.tflite"
        self.what = json.loads((self.folder / "golden.json").read_text())["models"][name]

    def inputs(self):
        return [word for v in self.what["vectors"] for word in ("--input", self.folder / v["input"])]

    def compare(self, dumps, outputs):
        """How many tensors of every run there are; all of them have to be right."""
        layers = {layer["tensor"]: (self.folder / layer["file"]).read_bytes() for layer in self.what["layers"]}
        count = len(self.what["vectors"])
        compared = 0
        for k, vector in enumerate(self.what["vectors"]):
            expect((outputs / f"run_{k}/output_0.raw").read_bytes() == (self.folder / vector["output"]).read_bytes(),
                   f"{self.model.name}: output {k}")
            for path in (dumps / f"run_{k}").glob("t*.raw"):
                expected = layers.get(int(path.stem[1:]))
                if expected is None:
                    continue
                size = len(expected) // count
                expect(path.read_bytes() == expected[k * size:(k + 1) * size], f"{self.model.name}: {path.stem} of {k}")
                compared += 1
        return compared // count


def check_networks(npu, scratch, networks):
    for name in ("ds_cnn_int8", "resnet8_int8"):
        golden = Golden(networks, name)
        layers = len(golden.what["layers"])
        for target in ("m4f", "m55"):
            # All but the softmax.
            npu("partition", golden.model, target, "-q", "--require-coverage", f"{NPU}=100%macs",
                "--require-coverage", f"{NPU}={100 * (layers - 1) / layers - 0.1:.1f}%")
            for by_layer in (False, True):
                folder = Path(scratch, f"{name}_{target}_{by_layer}")
                npu("run", golden.model, target, *golden.inputs(), "--no-profile", "--output-dir", folder / "outputs",
                    "--dump-tensors", folder / "tensors", "--compare", "--timeout", "300", *npu.by_layer(by_layer))
                compared = golden.compare(folder / "tensors", folder / "outputs")
                expect(compared == layers if by_layer else compared >= 2, f"{name}: {compared} of {layers} tensors")
        # A part for each: the processor takes the depthwise or the strided layers in between.
        pins = ["--pin", "#3=c", "--pin", "#5=c", "--pin", "#7=c"]
        out = npu("run", golden.model, "m4f", *golden.inputs()[:2], "--no-profile", "--compare", *pins,
                  *npu.by_layer(True))
        expect("tensors agree with the evaluator" in out, out)
        out = npu("run", golden.model, "m4f", *golden.inputs()[:2], "--no-profile", "--compare", *pins, "--lto")
        expect("tensors agree with the evaluator" in out, out)


def main():
    arguments = arguments_of(__doc__)
    with installed(arguments.build) as (scratch, prefix):
        build_plugin(arguments.source / "examples/npu", scratch, prefix)
        symbols = exported(prefix / "lib/byoc/plugins/npu.so")
        expect(symbols == ["byoc_plugin_query_v1"], symbols)
        npu = Npu(prefix / "bin/byoc", Path(scratch, "npu"))
        listed = run(npu.byoc, "plugins", "--load", "--plugin", NPU)
        expect(f"{NPU}.steps=<region|layer>" in listed, listed)
        check_refusals(npu, scratch)
        check_conformance(npu, prefix, "host")
        missing = [tool for tool in (CROSS + "gcc", "qemu-system-arm") if shutil.which(tool) is None]
        check_random_graphs(npu, scratch, not missing)
        check_branches(npu, scratch)
        check_export(npu, scratch)
        if missing:
            print(f"not installed, so nothing ran on a board: {', '.join(missing)}")
            return
        check_conformance(npu, prefix, "m55")
        check_firmware(npu, scratch, prefix)
        check_networks(npu, scratch, arguments.build.resolve() / "networks")


if __name__ == "__main__":
    main()
