#!/usr/bin/env python3
"""Workspaces and private values in RAMs beside the first: where they are planned, what the header, the manifest and every
pack say of them, that the code finds them in the right memory of a simulated board, and what is refused and how."""

import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from plugin_case import build_plugin

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
BYOC = str(Path(sys.argv.pop(1)).resolve())
TARGETS = {
    "two-host": {"extends": "host", "pools": [{"name": "fast-RAM", "kind": "ram", "size": 1024},
                                              {"name": "slow", "kind": "ram", "size": 4096, "section": ".slow"}]},
    "npu-m4f": {"extends": "cortex-m4f", "pools": [{"name": "npu_ram", "kind": "ram", "size": 65536}]},
}
CHAIN = """graph "chain" requant=onnx {
  input %x : f32[4,8]
  %n : f32[4,8] = Neg.13(%x)
  %r : f32[4,8] = Relu.14(%n)
  %y : f32[4,8] = Softmax.13(%r) {axis=-1}
  output %y
}
"""
BRANCH = """graph "branch" requant=onnx {
  input %c : bool[1]
  input %x : f32[32]
  %y : f32[32] = If.18(%c, %x) {
    then_branch=graph "then" requant=onnx {
      input %a : f32[32]
      %b : f32[32] = Neg.13(%a)
      %d : f32[32] = Relu.14(%b)
      output %d
    },
    else_branch=graph "else" requant=onnx {
      input %e : f32[32]
      %f : f32[32] = Abs.13(%e)
      output %f
    }
  }
  %z : f32[32] = Relu.14(%y)
  output %z
}
"""


class Pools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.built = Path(cls.kept.name)
        build_plugin("pools.cpp", cls.built)
        for name, target in TARGETS.items():
            (cls.built / f"{name}.json").write_text(json.dumps({"name": name, **target}))
        (cls.built / "chain.byoc").write_text(CHAIN)
        (cls.built / "branch.byoc").write_text(BRANCH)
        (cls.built / "x.raw").write_bytes(struct.pack("<32f", *(i / 8 - 2 for i in range(32))))
        for name, value in (("true", 1), ("false", 0)):
            (cls.built / name).write_bytes(bytes([value]))

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)

    def need(self, *tools):
        for tool in tools:
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")

    def words(self, command, model, target, **options):
        file = self.built / f"{target}.json"
        out = [command, self.built / f"{model}.byoc", "--target", file if file.exists() else target, "-q", "--plugin",
               self.built / "pools.so"]
        for name, value in options.items():
            out += ["--plugin-option", f"test.pools.{name.replace('_', '-')}={value}"]
        return out

    def run_byoc(self, *words, code=0):
        result = subprocess.run([BYOC, *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout if code == 0 else result.stderr

    def export(self, out, target="two-host", model="chain", **options):
        self.run_byoc(*self.words("export", model, target, **options), "-o", out)
        manifest = self.folder / "chain.json" if model == "chain" else self.folder / "branch.json"
        return json.loads(manifest.read_text()) if manifest.exists() else None

    def refused(self, target="two-host", model="chain", **options):
        said = self.run_byoc(*self.words("export", model, target, **options), "-o", "m.a", code=1)
        self.assertEqual(list(self.folder.iterdir()), [])
        return said

    # What runs.

    def check_runs(self, target, memory, **options):
        x = ("--input", self.built / "x.raw")
        if memory:
            options["memory"] = memory
        stats = self.folder / "stats.json"
        self.run_byoc(*self.words("run", "chain", target, **options), *x, "--compare", "--stats", stats,
                      "--dump-tensors", "dumps")
        # The value that is stored privately in that memory is recovered from it.
        found = [p.read_bytes() for p in (self.folder / "dumps").rglob("*.raw")]
        self.assertIn(struct.pack("<32f", *(-(i / 8 - 2) for i in range(32))), found)
        for condition in ("true", "false"):
            self.run_byoc(*self.words("run", "branch", target, **options), "--input", self.built / condition, *x, "--compare")
        return json.loads(stats.read_text())["ram"]

    def test_on_this_machine(self):
        ram = self.check_runs("two-host", None, workspace_pools="fast-RAM", private_pools="slow")
        self.assertEqual([(p["pool"], p["workspace"]) for p in ram["further_pools"]], [("fast-RAM", 128), ("slow", 128)])

    def test_on_boards(self):
        self.need("qemu-system-arm", "arm-none-eabi-gcc")
        # psram stands for what the board does not have, dtcm is one of its memories.
        self.check_runs("npu-m4f", "0x21", workspace_pools="npu_ram", private_pools="npu_ram")
        self.check_runs("cortex-m4f", "0x21", workspace_pools="psram", private_pools="psram")
        ram = self.check_runs("cortex-m55", "0x30", workspace_pools="dtcm", private_pools="dtcm")
        self.assertEqual([p["pool"] for p in ram["further_pools"]], ["dtcm"])
        said = self.run_byoc(*self.words("run", "chain", "cortex-m55", memory="0x30"), "--input", self.built / "x.raw", code=1)
        self.assertIn("the run function failed (found 77, expected 0)", said)

    def test_on_a_board_with_one_ram(self):
        self.need("qemu-system-riscv32", "riscv64-unknown-elf-gcc")
        (self.built / "rv.json").write_text(json.dumps({"extends": "riscv32imc", "name": "rv", "pools": [
            {"name": "scratchpad", "kind": "ram", "size": 65536}]}))
        self.check_runs("rv", "0x90", workspace_pools="scratchpad", private_pools="scratchpad")

    # What is written.

    def test_header_manifest_and_example(self):
        manifest = self.export("chain.a", workspace_pools="slow", private_pools="fast-RAM")
        fast, slow = manifest["further_workspaces"]
        self.assertEqual(fast, {"pool": "fast-RAM", "field": "fast_ram", "section": ".bss.fast_ram", "bytes": 128, "align": 8,
                                "lower_bound": 128})
        self.assertEqual((slow["pool"], slow["section"], slow["align"]), ("slow", ".slow", 16))
        said = self.run_byoc(*(w for w in self.words("export", "chain", "two-host", workspace_pools="slow",
                                                     private_pools="fast-RAM") if w != "-q"), "-o", "told.a")
        self.assertIn("of it in fast-RAM 128: workspace_fast_ram of chain_run(), aligned to 8\n", said)
        header = (self.folder / "chain.h").read_text()
        for line in ("#define CHAIN_WORKSPACE_FAST_RAM_SIZE 128", "#define CHAIN_WORKSPACE_SLOW_ALIGN 16",
                     '#define CHAIN_WORKSPACE_SLOW_SECTION ".slow"',
                     "void *workspace, void *workspace_fast_ram, void *workspace_slow);"):
            self.assertIn(line, header)
        subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "chain_example_main.c", "chain.a", "-lm",
                        "-o", "example"], cwd=self.folder, check=True)
        self.assertRegex(subprocess.run(["readelf", "-SW", self.folder / "example"], capture_output=True, text=True).stdout,
                         r"\.slow\b")
        subprocess.run([self.folder / "example"], check=True)

    def test_one_memory_is_as_ever(self):
        for options in ({}, {"workspace_pools": "ram", "private_pools": "ram,slow"}):
            manifest = self.export("chain.a", **options)
            self.assertNotIn("further_workspaces", manifest)
            self.assertNotIn("WORKSPACE_RAM", (self.folder / "chain.h").read_text())
            self.assertRegex((self.folder / "chain.h").read_text(), r"_outputs_t \*outputs, void \*workspace\);")

    def test_every_pack(self):
        options = {"workspace_pools": "fast-RAM", "private_pools": "slow"}
        x = ("--input", self.built / "x.raw", "-q")
        self.export("whole/", **options)
        for out in ("chain.so", "whole/"):
            self.export(out, **options)
            target = ("--target", self.built / "two-host.json") if out.endswith(".so") else ()
            self.run_byoc("run", out, *x, *target, "--output-dir", "out")
            got = struct.unpack("<32f", (self.folder / "out/output_0.raw").read_bytes())
            self.assertAlmostEqual(sum(got[:8]), 1, 5)
        self.assertIn("in fast-RAM 128, in slow 128,", self.run_byoc("inspect", "chain.so"))
        self.export("chain.tar", **options)
        self.assertIn("workspace 384", self.run_byoc("inspect", "chain.tar"))
        subprocess.run(["tar", "xf", "chain.tar"], cwd=self.folder, check=True)
        self.assertIn("#define TVMGEN_CHAIN_FAST_RAM_WORKSPACE_POOL_SIZE CHAIN_WORKSPACE_FAST_RAM_SIZE",
                      (self.folder / "codegen/host/include/tvmgen_chain.h").read_text())

    def test_a_firmware_places_them(self):
        self.need("arm-none-eabi-gcc")
        self.export("chain.a", "npu-m4f", workspace_pools="npu_ram", private_pools="psram")
        fragment = self.run_byoc("linker-fragment", "chain.json", "-o", "unplaced.ld")
        self.assertIn("npu_ram: workspaces where this firmware has .bss", (self.folder / "unplaced.ld").read_text())
        self.run_byoc("linker-fragment", "chain.json", "--place", "npu_ram=NPU", "--place", "psram=PSRAM", "-o", "parts.ld",
                      "--header", "parts.h")
        (self.folder / "board.ld").write_text(
            "ENTRY(main)\nMEMORY {\n FLASH : ORIGIN = 0, LENGTH = 4M\n RAM : ORIGIN = 0x20000000, LENGTH = 4M\n"
            " PSRAM : ORIGIN = 0x21000000, LENGTH = 8M\n NPU : ORIGIN = 0x40000000, LENGTH = 64K\n}\nINCLUDE parts.ld\n"
            "SECTIONS {\n .text : { *(.text*) *(.rodata*) *(.ARM.ex*) } > FLASH\n .data : { *(.data*) } > RAM AT > FLASH\n"
            " .bss : { *(.bss*) } > RAM\n}\n")
        subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-Werror",
                        "-include", "parts.h", "-nostartfiles", "--specs=nosys.specs", "-T", "board.ld",
                        "chain_example_main.c", "chain.a", "-lm", "-o", "firmware.elf"], cwd=self.folder, check=True,
                       capture_output=True)
        symbols = subprocess.run(["arm-none-eabi-nm", "firmware.elf"], cwd=self.folder, check=True, capture_output=True,
                                 text=True).stdout
        for name, address in (("workspace_npu_ram", "40000"), ("workspace_psram", "21000"), ("workspace", "20000"),
                              ("parts_npu_ram_end", "40000080")):
            self.assertRegex(symbols, rf"(?m)^{address}\w* \w {name}$")
        sections = subprocess.run(["arm-none-eabi-readelf", "-SW", "firmware.elf"], cwd=self.folder, check=True,
                                  capture_output=True, text=True).stdout
        self.assertRegex(sections, r"\.parts_npu_ram +NOBITS +40000000")
        self.assertIn("states no constant", self.run_byoc("verify", "firmware.elf", "--manifest", "chain.json", code=1))
        # Of each memory the largest of two models.
        manifest = json.loads((self.folder / "chain.json").read_text())
        pools = {w["field"]: w for w in manifest["further_workspaces"]}
        pools["npu_ram"]["bytes"], pools["psram"]["align"], manifest["workspace"]["bytes"] = 4096, 64, 8
        manifest.update(prefix="other", constants=[])
        (self.folder / "other.json").write_text(json.dumps(manifest))
        self.run_byoc("linker-fragment", "chain.json", "other.json", "--place", "npu_ram=NPU", "--place", "psram=PSRAM", "-o",
                      "parts.ld", "--header", "parts.h")
        chain = (self.folder / "chain.h").read_text()
        stated = dict(re.findall(r"#define CHAIN_WORKSPACE_(\w+) (.+)", chain))
        stated.update(NPU_RAM_SIZE="4096", PSRAM_ALIGN="64")
        self.assertEqual(dict(re.findall(r"#define PARTS_WORKSPACE_(\w+) (.+)", (self.folder / "parts.h").read_text())), stated)

    def test_a_section_of_its_own_needs_a_memory(self):
        self.export("chain.a", workspace_pools="slow", private_pools="slow")
        said = self.run_byoc("linker-fragment", "chain.json", "-o", "parts.ld", code=1)
        self.assertIn("'slow': a workspace with a section of its own, .slow, has no memory (expected --place slow=MEMORY)", said)
        said = self.run_byoc("linker-fragment", "chain.json", "--place", "slow=A", "--place", "fast=B", "-o", "parts.ld", code=1)
        self.assertRegex(said, r"'--place': nothing is in this region \(found fast, expected (flash, )?slow\)")
        manifest = (self.folder / "chain.json").read_text()
        (self.folder / "other.json").write_text(re.sub(r'"(prefix|symbol)": "chain', r'"\1": "other', manifest)
                                                .replace('".slow"', '".slower"'))
        said = self.run_byoc("linker-fragment", "chain.json", "other.json", "--place", "slow=A", "-o", "parts.ld", code=1)
        self.assertIn("'slow': two libraries have workspaces of this memory in different sections (found .slow, .slower", said)
        (self.folder / "other.json").write_text(manifest.replace('".slow"', '"x y"'))
        said = self.run_byoc("linker-fragment", "other.json", "--place", "slow=A", "-o", "parts.ld", code=1)
        self.assertIn("the manifest does not say what section the workspace is in (found slow in 'x y'", said)

    # The instance.

    def test_an_instance_in_a_pool(self):
        manifest = self.export("chain.a", instance_pools="slow")
        self.assertEqual(manifest["instance"], {"bytes": 16, "align": 8, "pool": "slow", "field": "slow", "section": ".slow"})
        self.assertIn("/* In memory 'slow'; a variable for it belongs into this section. */\n"
                      '#define CHAIN_INSTANCE_SECTION ".slow"\n', (self.folder / "chain.h").read_text())
        said = self.run_byoc(*(w for w in self.words("export", "chain", "two-host", instance_pools="slow") if w != "-q"),
                             "-o", "told.a")
        self.assertIn("of it in slow 16: chain_instance_t, aligned to 8\n", said)
        subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "chain_example_main.c", "chain.a", "-lm",
                        "-o", "example"], cwd=self.folder, check=True)
        symbols = subprocess.run(["readelf", "-sSW", "example"], cwd=self.folder, capture_output=True, text=True).stdout
        section = re.search(r"\[ *(\d+)\] \.slow\b", symbols).group(1)
        self.assertRegex(symbols, rf" {section} instance\n")
        subprocess.run([self.folder / "example"], check=True)
        # In the first RAM it is where any variable is.
        manifest = self.export("chain.a", instance_pools="ram,slow")
        self.assertEqual(manifest["instance"], {"bytes": 16, "align": 8})
        self.assertNotIn("INSTANCE_SECTION", (self.folder / "chain.h").read_text())

    def test_every_pack_of_an_instance_in_a_pool(self):
        options = {"instance_pools": "slow", "workspace_pools": "slow"}
        x = ("--input", self.built / "x.raw", "-q")
        self.export("chain.so", **options)
        self.run_byoc("run", "chain.so", *x, "--target", self.built / "two-host.json", "--output-dir", "out")
        self.assertIn("in slow 128, instance 16 bytes in slow\n", self.run_byoc("inspect", "chain.so"))
        self.export("chain.tar", **options)
        subprocess.run(["tar", "xf", "chain.tar"], cwd=self.folder, check=True)
        sources = "".join(p.read_text() for p in (self.folder / "codegen/host/src").glob("*.c"))
        self.assertIn("static chain_instance_t instance __attribute__((section(CHAIN_INSTANCE_SECTION)));", sources)

    def test_an_instance_on_boards(self):
        self.need("qemu-system-arm", "arm-none-eabi-gcc")
        ram = self.check_runs("npu-m4f", "0x21", workspace_pools="npu_ram", private_pools="npu_ram", instance_pools="npu_ram")
        self.assertEqual(ram["further_pools"][-1], {"pool": "npu_ram", "instance": 16})
        said = self.run_byoc(*self.words("run", "chain", "npu-m4f", memory="0x21", workspace_pools="npu_ram",
                                         private_pools="npu_ram", instance_pools="ram"), "--input", self.built / "x.raw", code=1)
        self.assertIn("(found 77, expected 0)", said)

    def test_a_firmware_places_an_instance(self):
        self.export("chain.a", "npu-m4f", workspace_pools="npu_ram", instance_pools="npu_ram", instance_bytes=24)
        self.run_byoc("linker-fragment", "chain.json", "--place", "npu_ram=NPU", "-o", "parts.ld", "--header", "parts.h")
        self.assertIn("#define CHAIN_NPU_RAM_BYTES 152\n", (self.folder / "parts.h").read_text())
        self.export("chain.a", "npu-m4f", instance_pools="psram")
        self.run_byoc("linker-fragment", "chain.json", "--place", "psram=PSRAM", "-o", "parts.ld")
        self.assertIn("    *(.bss.psram .bss.psram.*)\n", (self.folder / "parts.ld").read_text())

    def test_where_an_instance_has_room(self):
        place = lambda **options: self.export("chain.a", **options)["instance"].get("pool")
        self.assertEqual(place(instance_pools="fast-RAM,slow", instance_bytes=1024), "fast-RAM")
        self.assertEqual(place(instance_pools="fast-RAM,slow", instance_bytes=1032), "slow")
        # What else may be there has the rest.
        manifest = self.export("chain.a", instance_pools="fast-RAM", instance_bytes=1000, workspace_pools="fast-RAM,slow")
        self.assertEqual([w["pool"] for w in manifest["further_workspaces"]], ["slow"])

    def test_an_instance_without_room(self):
        said = self.refused(instance_pools="fast-RAM", instance_bytes=1000, workspace_pools="fast-RAM")
        self.assertIn("chain.byoc: error: the workspace and the instance in memory pool 'fast-RAM' of target 'two-host' does not fit "
                      "(found 1128 bytes, the instance 1000, workspace of step 'chain_step_2' of codegen 'test.pools' 128, "
                      "expected at most 1024 bytes)", said)
        said = self.refused(instance_pools="sram,tcm")
        self.assertIn("codegen 'test.pools': its instance may live in no RAM pool of target 'two-host' (found sram, tcm, "
                      "expected one of ram, fast-RAM, slow)", said)

    def test_codegens_share_a_pool(self):
        (self.folder / "other").mkdir()
        other = build_plugin("pools.cpp", self.folder / "other", '-DPOOLS_ID="test.others"')
        def words(own, others):
            return [*self.words("export", "chain", "two-host", instance_pools=own), "--plugin", other, "--plugin-option",
                    f"test.others.instance-pools={others}", "--pin", "op:Relu=test.others", "--pin",
                    "op:Neg=test.pools", "-o", "chain.a"]
        self.run_byoc(*words("fast-RAM,slow", "slow,ram"))
        self.assertEqual(json.loads((self.folder / "chain.json").read_text())["instance"]["pool"], "slow")
        said = self.run_byoc(*words("fast-RAM", "slow,ram"), code=1)
        self.assertIn("the codegens have their parts of the instance in no common RAM pool of target 'two-host' (found test.pools: "
                      "fast-RAM; test.others: slow, ram, expected one that all of them list)", said)

    # Devices.

    def test_a_device_of_the_programs(self):
        manifest = self.export("chain.tar", device="acme_npu", device_handle="0x1234") or json.loads(
            subprocess.run(["tar", "xOf", self.folder / "chain.tar", "./metadata.json"], capture_output=True, text=True).stdout)
        subprocess.run(["tar", "xf", "chain.tar"], cwd=self.folder, check=True)
        main = """#include "tvmgen_chain.h"
static float x[32], y[32];
int main(int argc, char **argv) {
  struct tvmgen_chain_inputs in = {x};
  struct tvmgen_chain_outputs out = {y};
  struct tvmgen_chain_devices devices = {(void *)0x1234};
  (void)argv;
  if (argc > 1) devices.acme_npu = 0;
  return tvmgen_chain_run(&in, &out, &devices);
}
"""
        (self.folder / "main.c").write_text(main)
        sources = [str(p) for p in (self.folder / "codegen/host/src").glob("*.c")]
        objects = [str(p) for p in (self.folder / "codegen/host").rglob("*.o")]
        subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-Icodegen/host/include", "main.c", *sources, *objects,
                        "-lm", "-o", "program"], cwd=self.folder, check=True)
        subprocess.run([self.folder / "program"], check=True)
        self.assertEqual(subprocess.run([self.folder / "program", "none"]).returncode, 78)
        # By <model>_set_devices() without tvmgen; nothing is set before it.
        self.export("chain.a", device="acme_npu", device_handle="0x1234")
        self.assertEqual(json.loads((self.folder / "chain.json").read_text())["devices"], ["acme_npu"])
        example = (self.folder / "chain_example_main.c").read_text()
        (self.folder / "own.c").write_text(example.replace("  /* Put", "  if (chain_run(&instance, &inputs, &outputs, workspace) != 78) "
                                           "return 9;\n  const chain_devices_t devices = {(void *)0x1234};\n"
                                           "  chain_set_devices(&instance, &devices);\n  /* Put"))
        subprocess.run(["gcc", "-std=c99", "-Wall", "-Werror", "own.c", "chain.a", "-lm", "-o", "own"], cwd=self.folder, check=True)
        subprocess.run([self.folder / "own"], check=True)

    def test_no_device(self):
        for name, found in (("int", "'int'"), ("a b", "'a b'")):
            said = self.refused(device=name)
            self.assertIn(f"names a device that is no C identifier (found {found}, expected \"ethos_u\")", said)
        said = self.refused(device="npu", instance_bytes=4)
        self.assertIn("its instance has no room for the handle of device 'npu' (found 4 bytes, aligned to 8, expected at least 8 "
                      "bytes, aligned to 8)", said)

    # Who goes where.

    def test_the_next_listed_where_the_first_is_full(self):
        manifest = self.export("chain.a", workspace_pools="fast-RAM,slow", bytes=1024)
        self.assertEqual([(w["pool"], w["bytes"]) for w in manifest["further_workspaces"]], [("fast-RAM", 1024)])
        manifest = self.export("chain.a", workspace_pools="fast-RAM,slow", bytes=1025)
        self.assertEqual([(w["pool"], w["bytes"]) for w in manifest["further_workspaces"]], [("slow", 1025)])
        # The two are never alive together in full: 128 bytes of the private value, which has no choice, beside 1000.
        manifest = self.export("chain.a", workspace_pools="fast-RAM,ram", private_pools="fast-RAM", bytes=1000)
        self.assertEqual([(w["pool"], w["bytes"]) for w in manifest["further_workspaces"]], [("fast-RAM", 128)])
        # A memory that this target does not have is passed over.
        manifest = self.export("chain.a", workspace_pools="dtcm,slow", bytes=4096)
        self.assertEqual([(w["pool"], w["bytes"]) for w in manifest["further_workspaces"]], [("slow", 4096)])

    def test_what_does_not_fit(self):
        said = self.refused(workspace_pools="fast-RAM", private_pools="fast-RAM", bytes=1000)
        self.assertIn("chain.byoc: error: the workspace in memory pool 'fast-RAM' of target 'two-host' does not fit (found 1128 "
                      "bytes, workspace of step 'chain_step_2' of codegen 'test.pools' 1000, private value 0 of step "
                      "'chain_step' of codegen 'test.pools' 128, expected at most 1024 bytes)", said)
        said = self.refused(model="branch", workspace_pools="fast-RAM", bytes=2000)
        self.assertIn("the workspace in memory pool 'fast-RAM' of target 'two-host' does not fit (found 2000 bytes, ", said)
        # What the plug-in calls it, wherever the plug-in runs and whoever listens.
        words = self.words("export", "chain", "two-host", workspace_pools="fast-RAM", private_pools="fast-RAM", bytes=1000,
                           private_name="negated rows")
        for more in ([], ["--isolate"], ["--record", "s.byocrec"]):
            said = self.run_byoc(*words, *more, "-o", "m.a", code=1)
            self.assertIn("'negated rows' of step 'chain_step' of codegen 'test.pools' 128,", said)
        for name in ("two\nlines", "a" * 201):
            for more in ([], ["--isolate"]):
                said = self.run_byoc(*self.words("export", "chain", "two-host", private_name=name), *more, "-o", "m.a", code=1)
                self.assertIn("codegen 'test.pools': gives a private value a name that is none", said)

    def test_what_lives_nowhere(self):
        said = self.refused(workspace_pools="npu_ram")
        self.assertIn("error: 'chain_step_2': codegen 'test.pools': its workspace may live in no RAM pool of target 'two-host' "
                      "(found npu_ram, expected one of ram, fast-RAM, slow)", said)
        said = self.refused("riscv32imc", private_pools="flash,tcm")
        self.assertIn("error: 'chain_step': codegen 'test.pools': its private value may live in no RAM pool of target "
                      "'riscv32imc' (found flash, tcm, expected ram)", said)

    def test_sections_have_names(self):
        (self.folder / "bad.json").write_text(json.dumps({"extends": "host", "name": "bad", "pools": [
            {"name": "fast RAM", "kind": "ram", "section": "fast;"}]}))
        said = self.run_byoc("export", self.built / "chain.byoc", "--target", "bad.json", "-o", "m.a", code=1)
        self.assertIn("bad.json: error: 'pools': pool 'fast RAM' has a section that is no name of one (found 'fast;', expected "
                      "something like '.fast_RAM')", said)

    def test_check_plugin(self):
        self.need("qemu-system-arm", "arm-none-eabi-gcc")
        said = self.run_byoc("check-plugin", self.built / "pools.so", "--target", "cortex-m55", "--graphs", "3", "--shapes", "1",
                             "--plugin-option", "test.pools.workspace-pools=dtcm", "--plugin-option",
                             "test.pools.private-pools=dtcm")
        self.assertIn(" 0 failed", said)


if __name__ == "__main__":
    unittest.main()
