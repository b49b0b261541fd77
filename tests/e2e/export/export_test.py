"""What a firmware engineer relies on: `byoc export` and `byoc build-tree` used from outside.

usage: export_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
DEMO = SOURCE / "examples/demo/vibration_int8.onnx"
GNU = {"cortex-m4f": ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]}
TEMPORARY = re.compile(r"\.[A-Za-z0-9]{6}$")


def byoc(*arguments, cwd=None, **options):
    return subprocess.run([BYOC, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, **options)


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def export(self, model, out, *arguments, target="cortex-m4f", cwd=None):
        done = byoc("export", model, "--target", target, "-o", out, "-q", *arguments, cwd=cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def expect_error(self, done, *texts, code=1):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)


class Export(Case):
    def test_writes_archive_header_manifest_and_example(self):
        self.export(DEMO, self.dir / "vibration.a")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()),
                         ["vibration.a", "vibration.h", "vibration.json", "vibration_example_main.c"])
        manifest = json.loads((self.dir / "vibration.json").read_text())
        self.assertEqual(manifest["library"], "vibration.a")
        self.assertEqual(manifest["target"]["name"], "cortex-m4f")
        self.assertEqual(manifest["model_sha256"], hashlib.sha256(DEMO.read_bytes()).hexdigest())
        self.assertGreater(manifest["workspace"]["bytes"], 0)
        self.assertGreaterEqual(manifest["workspace"]["bytes"], manifest["workspace"]["lower_bound"])

    def test_real_time_cores(self):
        """No simulator has their boards; every object is compiled for them by both compilers, and says so."""
        for core, arch in (("cortex-r5", "v7"), ("cortex-r52", "v8-R")):
            for toolchain in ("clang", "gnu"):
                with self.subTest(f"{core} {toolchain}"):
                    target = f"arm-none-eabi -mcpu={core} -mfloat-abi=hard"
                    self.export(MODELS / "ds_cnn_int8.tflite", self.dir / "v.a", "--toolchain", toolchain, target=target)
                    facts = subprocess.run(["readelf", "-A", self.dir / "v.a"], capture_output=True, text=True).stdout
                    self.assertGreater(facts.count(f"Tag_CPU_arch: {arch}\n"), 3)
                    self.assertEqual(facts.count("Tag_CPU_arch: "), facts.count(f"Tag_CPU_arch: {arch}\n"))
                    self.assertNotIn("Tag_CPU_arch_profile: Microcontroller", facts)
        self.expect_error(byoc("run", DEMO, "--target", "arm-none-eabi -mcpu=cortex-r5"),
                          "target has no simulator that is known here")

    def test_is_byte_identical_from_different_folders(self):
        outputs = []
        for name, zone in (("one", "UTC"), ("two/deeper", "Asia/Tokyo")):
            folder = self.dir / name
            folder.mkdir(parents=True)
            shutil.copy(DEMO, folder / "model.onnx")
            for toolchain in ("clang", "gnu"):
                done = byoc("export", "model.onnx", "--target", "cortex-m55", "--toolchain", toolchain, "-o",
                            f"{toolchain}.a", "-q", cwd=folder, env={**os.environ, "TZ": zone, "LC_ALL": "C"})
                self.assertEqual(done.returncode, 0, done.stderr)
            outputs.append({p.name: p.read_bytes() for p in folder.iterdir()})
        self.assertEqual(outputs[0].keys(), outputs[1].keys())
        for name in outputs[0]:
            self.assertEqual(outputs[0][name], outputs[1][name], name)

    def test_is_byte_identical_on_any_number_of_cores(self):
        outputs = []
        for i, cores in enumerate((os.sched_getaffinity(0), {min(os.sched_getaffinity(0))})):
            folder = self.dir / str(i)
            folder.mkdir()
            for target, options in (("cortex-m55", []), ("cortex-m55", ["--lto"]), ("host", ["--toolchain", "gnu"])):
                done = byoc("export", DEMO, "--target", target, *options, "-q", "-o",
                            folder / f"{target}{''.join(options)}.a", env={**os.environ, "LANG": "tr_TR.UTF-8"},
                            preexec_fn=lambda: os.sched_setaffinity(0, cores))
                self.assertEqual(done.returncode, 0, done.stderr)
            outputs.append({p.name: p.read_bytes() for p in folder.iterdir()})
        self.assertEqual(outputs[0], outputs[1])

    def test_a_kill_leaves_each_file_old_or_new(self):
        """Whatever the moment, and for every form; the next export is none the worse for it."""
        random.seed(1)
        for form, target in (("v.a", "cortex-m4f"), ("v.o", "cortex-m4f"), ("v.so", "host"), ("v.tar", "cortex-m4f"),
                             ("v", "cortex-m4f")):
            with self.subTest(form):
                new, old = (self.files_of(f"{n}_{form}", form, target, n) for n in ("second", "first"))
                self.assertNotEqual(new, old)
                out = self.dir / f"first_{form}"
                for _ in range(12):
                    start = time.monotonic()
                    process = subprocess.Popen([BYOC, "export", DEMO, "--target", target, "-q", "--name", "v", "--optimize",
                                                "speed", "-o", out / form])
                    time.sleep(random.uniform(0, 0.15))
                    process.kill()
                    process.wait()
                    found = self.contents(out)
                    for name, text in found.items():
                        self.assertIn(text, (old.get(name), new.get(name)), f"{name} after {time.monotonic() - start:.3f} s")
                    self.assertLessEqual(set(old) & set(new), set(found))
                self.assertEqual(self.files_of(out.name, form, target, "second"), new)

    @staticmethod
    def contents(folder):
        """Files by name, without what a process that was killed could not remove."""
        return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*"))
                if p.is_file() and not any(TEMPORARY.search(part) for part in p.relative_to(folder).parts)}

    def files_of(self, folder, form, target, which):
        (self.dir / folder).mkdir(exist_ok=True)
        options = ["--optimize", "speed"] if which == "second" else ["--optimize", "size"]
        self.export(DEMO, self.dir / folder / form, "--name", "v", *options, target=target)
        return self.contents(self.dir / folder)

    def test_header_and_example_compile_as_c_and_cpp(self):
        self.export(DEMO, self.dir / "v.a", "--name", "v", target="host")
        flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        for compiler in (["cc", "-std=c99"], ["clang-19", "-std=c11"], ["c++", "-xc++", "-std=c++20"]):
            program = self.dir / "example"
            subprocess.run([*compiler, *flags, f"-I{self.dir}", self.dir / "v_example_main.c", "-xnone",
                            self.dir / "v.a", "-lm", "-o", program], check=True)
            self.assertEqual(subprocess.run([program]).returncode, 0)

    def test_two_models_share_kernels_in_one_firmware(self):
        self.export(DEMO, self.dir / "first.a", "--name", "first")
        self.export(DEMO, self.dir / "second.a", "--name", "second")
        main = self.dir / "main.c"
        main.write_text('#include "first.h"\n#include "second.h"\n'
                        "void *volatile keep[2];\n"
                        "int main(void) { keep[0] = (void *)first_run; keep[1] = (void *)second_run; return 0; }\n")
        elf = self.dir / "firmware.elf"
        linked = subprocess.run([*GNU["cortex-m4f"], "--specs=nosys.specs", f"-I{self.dir}", main, self.dir / "first.a",
                                 self.dir / "second.a", "-lm", "-Wl,--gc-sections", "-o", elf], capture_output=True, text=True)
        self.assertEqual(linked.returncode, 0, linked.stderr)
        self.assertNotIn("enum", linked.stderr)
        symbols = subprocess.run(["arm-none-eabi-nm", "-g", elf], capture_output=True, text=True, check=True).stdout.split()
        kernels = [s for s in symbols if s.startswith("byoc_")]
        self.assertTrue(kernels)
        self.assertEqual(len(kernels), len(set(kernels)))
        manifest = json.loads((self.dir / "first.json").read_text())
        self.assertTrue(set(manifest["shared_kernels"]) & set(kernels))

    def test_constants_are_read_only_and_the_library_has_no_writable_data(self):
        self.export(DEMO, self.dir / "v.a", "--name", "v")
        headers = subprocess.run(["arm-none-eabi-readelf", "-SW", self.dir / "v.a"], capture_output=True, text=True,
                                 check=True).stdout
        for line in headers.splitlines():
            columns = line.split("]")[-1].split()
            if len(columns) > 6 and columns[0].startswith((".data", ".bss", ".rodata")):
                size, flags = int(columns[4], 16), columns[6]
                self.assertTrue(size == 0 or "W" not in flags, line)

    def members(self, archive):
        return subprocess.run(["ar", "t", archive], capture_output=True, text=True, check=True).stdout.split()

    def test_files_of_the_users_go_into_the_library(self):
        (self.dir / "board.h").write_text("#define BOARD 7\n")
        (self.dir / "board.c").write_text('#include "board.h"\nint unused(int x);\nstatic int s(void) { return 1; }\n'
                                          "int board(void) { return BOARD; }\n")
        (self.dir / "start.c").write_text("int start(void) { return 3; }\n")
        subprocess.run([*GNU["cortex-m4f"], "-fshort-enums", "-c", self.dir / "start.c", "-o", self.dir / "start.o"],
                       check=True)
        self.export(DEMO, self.dir / "v.a", "--add-file", self.dir / "board.c", self.dir / "start.o")
        self.assertLessEqual({"board.c.o", "start.o"}, set(self.members(self.dir / "v.a")))
        symbols = subprocess.run(["arm-none-eabi-nm", "-g", self.dir / "v.a"], capture_output=True, text=True,
                                 check=True).stdout.split()
        self.assertLessEqual({"board", "start", "vibration_int8_run"}, set(symbols))

    def test_added_files_are_checked(self):
        (self.dir / "bad.c").write_text("int board(void) { return none; }\n")
        done = byoc("export", DEMO, "--target", "cortex-m4f", "-o", self.dir / "v.a", "--add-file", self.dir / "bad.c")
        self.expect_error(done, "bad.c:1:26: error: ", "none")
        (self.dir / "x86.c").write_text("int board(void) { return 1; }\n")
        subprocess.run(["gcc", "-c", self.dir / "x86.c", "-o", self.dir / "x86.o"], check=True)
        done = byoc("export", DEMO, "--target", "cortex-m4f", "-o", self.dir / "v.a", "--add-file", self.dir / "x86.o")
        self.expect_error(done, "x86.o: error: does not fit target cortex-m4f")
        done = byoc("export", DEMO, "--target", "cortex-m4f", "-o", self.dir / "v.a", "--add-file", self.dir / "x.txt")
        self.expect_error(done, "x.txt: error: has an unknown suffix (found .txt, expected .bc, .ll, .c, .cpp, .S, .o, .a or .bin)")
        self.assertFalse((self.dir / "v.a").exists())

    def test_work_folder_keeps_sources_and_objects(self):
        self.export(DEMO, self.dir / "v.a", "--work-dir", self.dir / "work")
        self.assertTrue((self.dir / "work/src/vibration_int8.c").exists())
        self.assertTrue((self.dir / "work/lib/vibration_int8.o").exists())
        done = byoc("pack", self.dir / "work", "-o", self.dir / "again.a")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.dir / "again.a").read_bytes(), (self.dir / "v.a").read_bytes())

    def test_work_folder_keeps_the_sources_of_what_does_not_compile(self):
        broken = self.dir / "broken.json"
        broken.write_text(json.dumps({"name": "broken", "compile": [str(self.dir / "cc"), "{source}", "{object}", "{flags}"]}))
        script = self.dir / "cc"
        script.write_text('#!/bin/sh\n[ "$1" = --version ] && echo 1 && exit\n'
                          f'[ "$1" = probe.c ] && exec {" ".join(GNU["cortex-m4f"])} -c probe.c -o "$2"\n'
                          "echo 'no licence' >&2; exit 1\n")
        script.chmod(0o755)
        done = byoc("export", DEMO, "--target", "cortex-m4f", "--toolchain", broken, "-o", self.dir / "v.a", "--work-dir",
                    self.dir / "work")
        self.expect_error(done, "broken failed with exit code 1", "no licence")
        self.assertFalse((self.dir / "v.a").exists())
        self.assertTrue((self.dir / "work/src/vibration_int8.c").exists())

    def test_levels_and_debug_information(self):
        sizes = {}
        for level in ("s", "3"):
            self.export(DEMO, self.dir / f"{level}.a", "-O", level, "--name", "v")
            text = subprocess.run(["arm-none-eabi-size", "-t", self.dir / f"{level}.a"], capture_output=True, text=True,
                                  check=True).stdout
            sizes[level] = int(text.splitlines()[-1].split()[0])
        self.assertLess(sizes["s"], sizes["3"])
        self.export(DEMO, self.dir / "g.a", "-g", "--name", "v")
        headers = subprocess.run(["arm-none-eabi-readelf", "-SW", self.dir / "g.a"], capture_output=True, text=True,
                                 check=True).stdout
        self.assertIn(".debug_info", headers)
        self.assertNotIn(str(self.dir).encode(), (self.dir / "g.a").read_bytes())

    def test_debug_information_that_risc_v_linkers_read(self):
        """GNU ld 2.40 crashes on what DWARF 5 is for RISC-V; so it would of an LLVM module that asks for it."""
        if not shutil.which("riscv64-unknown-elf-gcc"):
            self.skipTest("riscv64-unknown-elf-gcc is not installed")
        (self.dir / "f.c").write_text("int f(int *a, int n) { int s = 0; for (int i = 0; i < n; ++i) { int k = a[i];"
                                      " if (k > 3) { int z = k * 2; s += z; } else s -= k; } return s; }\n")
        for target, arch in (("riscv32imc", ["-march=rv32imc", "-mabi=ilp32"]),
                             ("riscv64gc", ["-march=rv64gc", "-mabi=lp64d", "-mcmodel=medany"])):
            link = ["riscv64-unknown-elf-gcc", *arch, "--specs=picolibc.specs"]
            self.export(DEMO, self.dir / "g.a", "-g", "--name", "g", target=target)
            done = subprocess.run([*link, "-I", self.dir, self.dir / "g_example_main.c", "-Wl,--whole-archive",
                                   self.dir / "g.a", "-Wl,--no-whole-archive", "-lm", "-o", self.dir / "g.elf"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, target + done.stderr)
            self.assertIn(b".debug_info", (self.dir / "g.elf").read_bytes())
            subprocess.run(["clang-19", f"--target=riscv{target[5:7]}-unknown-elf", *arch, "-O2", "-g", "-S",
                            "-emit-llvm", "f.c", "-o", "f.ll"], cwd=self.dir, check=True)
            done = byoc("build-tree", "f.ll", "--target", target, "-o", "f.o", cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = subprocess.run([*link, "-nostdlib", "-Wl,-e,f", "f.o", "-o", "f.elf"], cwd=self.dir,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, target + done.stderr)

    def test_inputs_that_are_called_like_macros_and_types(self):
        names = ["M_WORKSPACE_SIZE", "x", "X", "BYOC_MODEL_M_H", "uint64_t", "M_INPUT_X_SIZE", "m_run"]
        text = 'graph "names" requant=onnx {\n'
        for i, name in enumerate(names):
            text += f'  input %{i} "{name}" : f32[{i + 1}]\n'
        text += '  %7 "M_RUN" : f32[28] = Concat.13(%0, %1, %2, %3, %4, %5, %6) {axis=0}\n  output %7\n}\n'
        (self.dir / "names.byoc").write_text(text)
        self.export(self.dir / "names.byoc", self.dir / "m.a", "--name", "m", target="host")
        for compiler in (["gcc", "-std=c99"], ["g++", "-std=c++17", "-x", "c++"]):
            done = subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-I", self.dir, "-c",
                                   self.dir / "m_example_main.c", "-o", self.dir / "m.o"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_exports_a_network(self):
        for target in ("cortex-m4f", "cortex-m55"):
            self.export(MODELS / "ds_cnn_int8.tflite", self.dir / f"{target}.a", target=target)


class BadInput(Case):
    """Each with a clear error and no output file."""

    def refused(self, model, *texts, arguments=(), target="cortex-m4f", out="out.a"):
        done = byoc("export", model, "--target", target, "-o", self.dir / "out" / out, *arguments)
        self.expect_error(done, *texts)
        self.assertEqual([p for p in (self.dir / "out").rglob("*") if p.is_file()], [], "an output file was left")

    def setUp(self):
        super().setUp()
        (self.dir / "out").mkdir()

    def graph(self, text):
        path = self.dir / "model.byoc"
        path.write_text(text)
        return path

    def test_missing_empty_and_foreign_files(self):
        self.refused(self.dir / "none.onnx", "none.onnx", "cannot be opened")
        empty = self.dir / "empty.onnx"
        empty.write_bytes(b"")
        self.refused(empty, "empty.onnx", "an empty file")
        text = self.dir / "notes.tflite"
        text.write_text("hello, this is no model at all")
        self.refused(text, "wrong file identifier", "TFL3")
        noise = self.dir / "noise.onnx"
        noise.write_bytes(bytes(range(256)) * 4)
        self.refused(noise, "noise.onnx")
        self.refused(self.dir, "not a regular file")

    def test_truncated_models(self):
        data = DEMO.read_bytes()
        for part in (1, 10, len(data) // 2, len(data) - 1):
            cut = self.dir / "cut.onnx"
            cut.write_bytes(data[:part])
            self.refused(cut, "cut.onnx")

    def test_cycle_dangling_and_shapes(self):
        self.refused(self.graph('graph "g" requant=onnx {\n  input %0 "x" : f32[2]\n'
                                '  %1 "a" : f32[2] = Add.13(%0, %2)\n  %2 "b" : f32[2] = Relu.13(%1)\n  output %2\n}\n'),
                     "model.byoc")
        self.refused(self.graph('graph "g" requant=onnx {\n  input %0 "x" : f32[2,3]\n  input %1 "y" : f32[4,5]\n'
                                '  %2 "a" : f32? = MatMul.13(%0, %1)\n  output %2\n}\n'), "MatMul")
        self.refused(self.graph('graph "g" requant=onnx {\n  input %0 "x" : f32[2]\n'
                                '  %1 "a" : f32? = Frobnicate.13(%0)\n  output %1\n}\n'), "Frobnicate")
        self.refused(self.graph('graph "g" requant=onnx {\n  input %0 "x" : f32[N]\n'
                                '  %1 "a" : f32[N] = Relu.13(%0)\n  output %1\n}\n'), "N")
        self.export(self.dir / "model.byoc", self.dir / "bound.a", "--dim", "N=4")

    def test_sizes(self):
        self.refused(self.graph('graph "g" requant=onnx {\n  input %0 "x" : f32[-3]\n'
                                '  %1 "a" : f32? = Relu.13(%0)\n  output %1\n}\n'), "model.byoc")
        self.refused(self.graph('graph "g" requant=onnx {\n  input %0 "x" : f32[4294967296,4294967296]\n'
                                '  %1 "a" : f32? = Relu.13(%0)\n  output %1\n}\n'), "too large")

    def test_targets_outputs_and_names(self):
        self.refused(DEMO, "cortex-m99", "cortex-m4f", target="cortex-m99")
        self.refused(DEMO, "arm-none-eabi", target="arm-none-eabi")
        self.refused(DEMO, "cannot be written: Not a directory", out=DEMO / "folder/out.a")
        self.refused(DEMO, ".a", out="out.zip")
        self.refused(DEMO, ".so", out="out.so")
        self.refused(DEMO, "not a C identifier", arguments=["--name", "1*/"])
        (self.dir / "out/folder.a").mkdir()
        self.refused(DEMO, "folder.a", out="folder.a")

    def test_a_full_disk_leaves_the_old_library(self):
        for name in ("model.a", "model.o", "model.so", "model.tar"):
            with self.subTest(name):
                self.check_full_disk(self.dir / "out" / name)
                (self.dir / "out" / name).unlink()

    def test_a_full_disk_leaves_the_old_folder(self):
        out = self.dir / "out/model"
        self.assertEqual(byoc("export", DEMO, "--target", "host", "-q", "-o", out).returncode, 0)
        old = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
        done = byoc("export", DEMO, "--target", "host", "--optimize", "size", "-o", out, preexec_fn=self.full_disk)
        self.expect_error(done, "cannot be written")
        self.assertEqual({p: p.read_bytes() for p in out.rglob("*") if p.is_file()}, old)
        self.assertEqual([p.name for p in out.parent.iterdir()], ["model"])

    @staticmethod
    def full_disk():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    def check_full_disk(self, out):
        out.write_text("the old one")

        done = byoc("export", DEMO, "--target", "host", "-o", out, preexec_fn=self.full_disk)
        self.expect_error(done, "cannot be written")
        self.assertEqual(out.read_text(), "the old one")
        self.assertEqual([p.name for p in out.parent.iterdir()], [out.name])

    def test_wrong_command_lines(self):
        for arguments in (["export"], ["export", DEMO], ["frob"], ["export", DEMO, "--target", "host", "-o", "x.a", "--frob"],
                          []):
            self.assertEqual(byoc(*arguments).returncode, 2, arguments)
        self.assertEqual(byoc("--version").returncode, 0)
        self.assertEqual(byoc("export", "--help").returncode, 0)

    def test_inputs_of_a_run(self):
        short = self.dir / "short.raw"
        short.write_bytes(b"123")
        done = byoc("run", DEMO, "--target", "host", "--input", short)
        self.expect_error(done, "short.raw", "3 bytes")
        done = byoc("run", DEMO, "--target", "host", "--input", "nobody=" + str(short))
        self.expect_error(done, "no input has this name", "'nobody'")


LL = """define i32 @scale(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
"""


class BuildTree(Case):
    """An LLVM module and C beside it, for one target."""

    def write(self, name, text):
        path = self.dir / name
        path.write_text(text)
        return path

    def test_mixed_tree_runs_in_qemu(self):
        module = self.write("scale.ll", 'target triple = "thumbv7em-none-unknown-eabihf"\n' + LL)
        glue = self.write("glue.c", "int scale(int);\nstatic const int kTable[2] = {4, 5};\n"
                                    "int answer(int i) { return scale(kTable[i]) + 27; }\n")
        done = byoc("build-tree", module, glue, "--target", "arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard", "-o",
                    self.dir / "tree.a")
        self.assertEqual(done.returncode, 0, done.stderr)
        main = self.write("main.c", "#include <stdio.h>\nint answer(int);\nextern void initialise_monitor_handles(void);\n"
                                    'int main(void) { initialise_monitor_handles(); printf("%d\\n", answer(1)); return 0; }\n')
        startup = self.write("startup.c", "extern int __StackTop; void _start(void);\n"
                                          "void reset(void) { *(volatile unsigned *)0xE000ED88 |= 0xFu << 20; _start(); }\n"
                                          '__attribute__((section(".vectors"), used)) const void *vectors[2] = '
                                          "{(void *)0x20100000, (void *)reset};\n")
        script = self.write("board.ld", "MEMORY { flash (rx) : ORIGIN = 0, LENGTH = 4M\n"
                                        " ram (rwx) : ORIGIN = 0x20000000, LENGTH = 1M }\n"
                                        "SECTIONS { .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.ARM.ex*) "
                                        "KEEP(*(.init)) KEEP(*(.fini)) *(.init_array*) } > flash\n"
                                        ".data : { *(.data*) } > ram\n"
                                        ".bss : { __bss_start__ = .; *(.bss*) *(COMMON) __bss_end__ = .; end = .; __end__ = .; } > ram }\n")
        elf = self.dir / "firmware.elf"
        linked = subprocess.run([*GNU["cortex-m4f"], "--specs=rdimon.specs", "-T", script, main, startup,
                                 self.dir / "tree.a", "-o", elf, "-Wl,--fatal-warnings,--no-warn-rwx-segments"],
                                capture_output=True, text=True)
        self.assertEqual(linked.returncode, 0, linked.stderr)
        ran = subprocess.run(["qemu-system-arm", "-M", "mps2-an386", "-kernel", elf, "-semihosting", "-display", "none",
                              "-serial", "none", "-monitor", "none"], capture_output=True, text=True, timeout=60)
        self.assertIn("42", ran.stdout + ran.stderr)

    def refused(self, files, *texts):
        done = byoc("build-tree", *files, "--target", "cortex-m4f", "-o", self.dir / "t.a")
        self.expect_error(done, *texts)
        self.assertFalse((self.dir / "t.a").exists())

    def test_refuses_what_does_not_fit(self):
        self.refused([self.write("other.ll", 'target triple = "x86_64-unknown-linux-gnu"\n' + LL)], "other.ll", "x86_64",
                     "thumbv7em")
        self.refused([self.write("broken.ll", "define i32 @f( {")], "broken.ll")
        self.refused([self.write("broken.c", "int f( {")], "broken.c")
        self.refused([self.write("notes.txt", "hello")], "notes.txt")
        self.refused([self.dir / "missing.c"], "missing.c")
        self.refused([self.write("a.c", "int f(void) { return 1; }\n"), self.write("b.c", "int f(void) { return 2; }\n")], "f",
                     "a.c", "b.c")
        subprocess.run(["cc", "-c", self.write("x.c", "int g(void) { return 1; }\n"), "-o", self.dir / "x86.o"], check=True)
        self.refused([self.dir / "x86.o"], "x86.o")
        subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft", "-c",
                        self.write("s.c", "float h(float x) { return x + 1; }\n"), "-o", self.dir / "soft.o"], check=True)
        self.refused([self.dir / "soft.o"], "soft.o")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=1)
