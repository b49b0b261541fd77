"""Packages for other build systems, each taken by the tool that it is for, or by what that promises to packages.

usage: forms_test.py BYOC SOURCE_DIR MODELS_DIR BUILD_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import ast
import configparser
import hashlib
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import types
import unittest
import xml.etree.ElementTree
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parent))
from forms_case import BUILD, BYOC, COMPILE, GOLDEN, MODELS, SHARED, SOURCE, TARGETS, Case, run  # noqa: E402


def need(case, *programs):
    for program in programs:
        if shutil.which(program) is None:
            case.skipTest(f"{program} is not installed")


class Cmake(Case):
    def test_find_package(self):
        """One package; the compiler says which library."""
        package = self.pack("cmake", *TARGETS)
        for target in TARGETS:
            with self.subTest(target):
                self.check(target, self.build("cmake", package, target))

    def test_no_library_for_the_compiler(self):
        package = self.pack("cmake", "cortex-m4f")
        with self.assertRaisesRegex(AssertionError, "no library of ds_cnn is for what this compiler makes"):
            self.build("cmake", package, "host")

    def test_version(self):
        package = self.pack("cmake", "host", options=["--set", "version=2.1.0"])
        with self.assertRaisesRegex(AssertionError, "version: 2.1.0"):
            self.build("cmake", package, "host")


class PkgConfig(Case):
    def test_links(self):
        need(self, "pkg-config")
        package = self.pack("pkgconfig", *TARGETS)
        for target in TARGETS:
            with self.subTest(target):
                file = package / f"lib/{target}/pkgconfig/ds_cnn.pc"
                run("pkg-config", "--validate", file)
                words = run("pkg-config", "--cflags", "--libs", "--static", "--dont-define-prefix", file).split()
                self.assertNotIn("-lm", words)
                self.check(target, self.link(target, *words))

    def test_a_model_that_calls_functions_of_math(self):
        run(BYOC, "export", MODELS / "lstm_float.onnx", "--name", "real", "--target", "cortex-m4f", "-q", "-o", self.dir / "real/")
        for form, file, text in (("pkgconfig", "lib/cortex-m4f/pkgconfig/real.pc", "Libs.private: -lm\n"),
                                 ("cmake", "lib/cmake/real/realConfig.cmake", "INTERFACE_LINK_LIBRARIES m)"),
                                 ("arduino", "library.properties", "ldflags= -lm\n"), ("bazel", "BUILD.bazel", '"-lm",'),
                                 ("platformio", "select_library.py", '"m",')):
            with self.subTest(form):
                run(BYOC, "pack", "--as", form, self.dir / "real", "-o", self.dir / form)
                self.assertIn(text, (self.dir / form / file).read_text())


class Zephyr(Case):
    SYMBOLS = {"cortex-m4f": ["CPU_CORTEX_M4", "FP_HARDABI", "FPU"], "riscv32imc": ["RISCV"]}

    def test_links_as_zephyr_does(self):
        package = self.pack("zephyr", "cortex-m4f", "riscv32imc")
        for target, symbols in self.SYMBOLS.items():
            with self.subTest(target):
                self.check(target, self.build("zephyr", package, target, f"-DSYMBOLS=BYOC_DS_CNN;{';'.join(symbols)}"))

    def test_another_cpu(self):
        package = self.pack("zephyr", "cortex-m4f")
        with self.assertRaisesRegex(AssertionError, "no library for this CPU"):
            self.build("zephyr", package, "riscv32imc", "-DSYMBOLS=BYOC_DS_CNN;RISCV")

    def test_kconfig(self):
        try:
            import kconfiglib
        except ImportError:
            self.skipTest("kconfiglib is not installed")
        package = self.pack("zephyr", "cortex-m4f", "riscv32imc")
        symbols = ["CPU_CORTEX_M4", "FP_HARDABI", "FPU", "RISCV", "64BIT"]
        (self.dir / "Kconfig").write_text("".join(f'config {s}\n\tbool "{s}"\n' for s in symbols) +
                                          f'rsource "package/zephyr/Kconfig"\n')
        for given, visible in ((("CPU_CORTEX_M4", "FP_HARDABI"), True), (("CPU_CORTEX_M4",), False), (("RISCV",), True),
                               (("RISCV", "64BIT"), False)):
            kconfig = kconfiglib.Kconfig(str(self.dir / "Kconfig"), warn_to_stderr=False)
            for name in given:
                kconfig.syms[name].set_value(2)
            kconfig.syms["BYOC_DS_CNN"].set_value(2)
            self.assertEqual(kconfig.syms["BYOC_DS_CNN"].str_value, "y" if visible else "n", given)
            self.assertEqual(kconfig.warnings, [])

    def test_module(self):
        """The keys that a module's file may have, by Zephyr's documentation of modules."""
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        package = self.pack("zephyr", "cortex-m4f")
        module = yaml.safe_load((package / "zephyr/module.yml").read_text())
        self.assertEqual(module, {"name": "ds_cnn", "build": {"cmake": "zephyr", "kconfig": "zephyr/Kconfig"}})
        for file in ("zephyr/CMakeLists.txt", "zephyr/Kconfig"):
            self.assertTrue((package / file).is_file())


class EspIdf(Case):
    def test_links(self):
        package = self.pack("esp-idf", "riscv32imc", "host")
        for target, chip in (("riscv32imc", "esp32c3"), ("host", "linux")):
            with self.subTest(target):
                self.check(target, self.build("esp-idf", package, target, f"-DIDF_TARGET={chip}"))

    def test_sources(self):
        """Chips that the package has no library for compile the sources, of the target c or of one without extensions."""
        for targets in (("riscv32imc", "c"), ("riscv32imc",)):
            with self.subTest(targets):
                package = self.pack("esp-idf", *targets)
                shutil.rmtree(self.dir / "build-host", ignore_errors=True)
                self.check("host", self.build("esp-idf", package, "host", "-DIDF_TARGET=esp32s3"))
                shutil.rmtree(package)

    def test_no_sources(self):
        """Code of the LLVM backend is in a library alone."""
        run(BYOC, "export", MODELS / "ds_cnn_int8.tflite", "--name", "ds_cnn", "--target", "host", "-q", "-o", self.dir / "llvm/")
        said = run(BYOC, "pack", "--as", "esp-idf", self.dir / "llvm", "-o", self.dir / "package")
        self.assertIn("there are no sources for other boards in it", said)
        with self.assertRaisesRegex(AssertionError, "no library for esp32s3"):
            self.build("esp-idf", self.dir / "package", "host", "-DIDF_TARGET=esp32s3")

    def test_manifest(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        package = self.pack("esp-idf", "riscv32imc", options=["--set", "licence=Apache-2.0"])
        manifest = yaml.safe_load((package / "idf_component.yml").read_text())
        self.assertEqual(manifest["version"], "1.0.0")
        self.assertEqual(manifest["license"], "Apache-2.0")
        self.assertNotIn("targets", manifest)  # the sources are for all chips
        self.assertRegex(manifest["url"], "^https://")


class Arduino(Case):
    # A board that is this machine: recipes of Arduino's platform specification.
    PLATFORM = """name=Machine
version=1.0.0
recipe.c.o.pattern=gcc -c -O1 -w {includes} "{source_file}" -o "{object_file}"
recipe.cpp.o.pattern=g++ -c -O1 -w {includes} "{source_file}" -o "{object_file}"
recipe.S.o.pattern=gcc -c {includes} "{source_file}" -o "{object_file}"
recipe.ar.pattern=ar rcs "{archive_file_path}" "{object_file}"
recipe.c.combine.pattern=g++ {object_files} "{archive_file_path}" -lm -o "{build.path}/{build.project_name}.elf"
recipe.preproc.macros=g++ -w -x c++ -E -CC {includes} "{source_file}" -o "{preprocessed_file_path}"
recipe.preproc.includes=g++ -w -x c++ -M -MG -MP {includes} "{source_file}"
preproc.includes.flags=-w -x c++ -M -MG -MP
preproc.macros.flags=-w -x c++ -E -CC
recipe.output.tmp_file={build.project_name}.elf
recipe.output.save_file={build.project_name}.elf
recipe.size.pattern=size "{build.path}/{build.project_name}.elf"
"""
    CORE = """#pragma once
#include <stdint.h>
#include <stdio.h>
struct Printer {
  void begin(long) {}
  void println(long n) { printf("output %ld\\n", n); }
};
extern Printer Serial;
void setup();
void loop();
"""

    def test_sources_are_built(self):
        """By arduino-builder, which takes no precompiled libraries: the sources of the fallback."""
        need(self, "arduino-builder")
        (self.dir / "libraries").mkdir()
        package = self.pack("arduino", "host", out="libraries/ds_cnn")
        core = self.dir / "hardware/local/machine/cores/machine"
        core.mkdir(parents=True)
        (core / "Arduino.h").write_text(self.CORE)
        (core / "main.cpp").write_text('#include "Arduino.h"\nPrinter Serial;\nint main() { setup(); }\n')
        (core.parent.parent / "platform.txt").write_text(self.PLATFORM)
        (core.parent.parent / "boards.txt").write_text(
            "board.name=Board\nboard.build.core=machine\nboard.build.mcu=none\nboard.build.board=MACHINE\n")
        for library in package.glob("src/x86_64"):
            shutil.rmtree(library)
        # Another condition than any target's: the header has to choose the sources.
        header = package / "src/ds_cnn.h"
        header.write_text(header.read_text().replace("defined(__x86_64__)", "defined(NO_SUCH_CPU)"))
        sketch = self.dir / "sketch/sketch.ino"
        sketch.parent.mkdir()
        example = (package / "examples/ds_cnn_once/ds_cnn_once.ino").read_text()
        values = ",".join(map(str, struct.unpack(f"{len(self.signal)}b", self.signal)))
        sketch.write_text(re.sub(r"(static int8_t input_\w+\[\w+\]);", rf"\1 = {{{values}}};", example))
        (self.dir / "tools").mkdir()
        build = self.dir / "sketch-build"
        build.mkdir()
        said = run("arduino-builder", "-hardware", self.dir / "hardware", "-hardware",
                   "/usr/share/arduino-builder", "-tools", self.dir / "tools", "-libraries",
                   self.dir / "libraries", "-fqbn", "local:machine:board", "-build-path", build, "-verbose", sketch)
        said = run(build / "sketch.ino.elf")
        self.assertEqual([int(n) for n in re.findall(r"output (-?\d+)", said)], [0, *self.expected], said)

    def test_precompiled(self):
        """As the specification of libraries says: -L of the folder for MCU, FPU and ABI, -l of every library there."""
        package = self.pack("arduino", "cortex-m4f", "host")
        folder = package / "src/cortex-m4/fpv4-sp-d16-hard"
        self.assertEqual([f.name for f in folder.iterdir()], ["libds_cnn.a"])
        self.check("cortex-m4f", self.link("cortex-m4f", f"-I{package}/src", f"-L{folder}", "-lds_cnn"))

    def test_properties(self):
        package = self.pack("arduino", "cortex-m4f", options=["--set", "author=A. Maker <a@example.com>"])
        properties = dict(line.split("=", 1) for line in (package / "library.properties").read_text().splitlines())
        for key in ("name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url",
                    "architectures"):
            self.assertTrue(properties[key], key)
        self.assertEqual(properties["author"], "A. Maker <a@example.com>")
        self.assertEqual(properties["precompiled"], "full")
        self.assertIn(properties["category"], ("Data Processing", "Other"))
        # Nothing for other compilers in a package of this target alone: its kernels are in its own assembly.
        self.assertFalse((package / "src/fallback").exists())

    def test_sources_of_c(self):
        """A folder of the target c is the fallback, whatever else is there."""
        package = self.pack("arduino", "c", "cortex-m4f")
        self.assertFalse((package / "src/c").exists())
        self.check("host", self.link("host", f"-I{package}/src", *sorted((package / "src/fallback").glob("*.c"))))

    def test_zip(self):
        with zipfile.ZipFile(self.pack("arduino", "cortex-m4f", out="any.zip")) as archive:
            self.assertEqual({name.split("/")[0] for name in archive.namelist()}, {"ds_cnn"})


class PlatformIO(Case):
    def test_links(self):
        """The script as SCons runs it: in the library's folder, with the environment of the board."""
        package = self.pack("platformio", *TARGETS)
        json.loads((package / "library.json").read_text())
        for target in TARGETS:
            with self.subTest(target):
                compiler, *flags = COMPILE[target]
                code = ("import sys, os\n"
                        "class Env(dict):\n"
                        "    def subst(self, text): return sys.argv[1]\n"
                        "    def Append(self, **words):\n"
                        "        print('LIBPATH', *words['LIBPATH']); print('LIBS', *words['LIBS'])\n"
                        "def Import(name): globals()[name] = Env(CCFLAGS=sys.argv[2:])\n"
                        "exec(compile(open('select_library.py').read(), 'select_library.py', 'exec'))\n")
                said = run(sys.executable, "-c", code, compiler, *flags, cwd=package)
                path, libraries = (re.search(rf"^{word} (.*)$", said, re.M).group(1) for word in ("LIBPATH", "LIBS"))
                self.assertEqual(path, str((package / "lib" / target).resolve()))
                self.check(target, self.link(target, f"-I{package}/include", f"-L{path}",
                                             *(f"-l{name}" for name in libraries.split())))

    def test_manifest(self):
        """Required fields and their lengths, by PlatformIO's schema of library.json."""
        package = self.pack("platformio", "cortex-m4f", options=["--set", "description=Says 'go', or not"])
        manifest = json.loads((package / "library.json").read_text())
        self.assertLessEqual(len(manifest["name"]), 50)
        self.assertLessEqual(len(manifest["version"]), 20)
        self.assertEqual(manifest["description"], "Says 'go', or not")
        self.assertTrue((package / manifest["build"]["extraScript"]).is_file())


class Cargo(Case):
    def test_runs(self):
        need(self, "cargo")
        package = self.pack("cargo", *TARGETS)
        user = self.dir / "user"
        (user / "src").mkdir(parents=True)
        (user / "Cargo.toml").write_text('[package]\nname = "user"\nversion = "0.1.0"\nedition = "2018"\n[dependencies]\n'
                                         f'ds_cnn-sys = {{ path = "{package}" }}\n')
        values = ",".join(map(str, struct.unpack(f"{len(self.signal)}b", self.signal)))
        fields = re.findall(r"pub (\w+): \*(?:const|mut)", (package / "src/host.rs").read_text())
        (user / "src/main.rs").write_text(
            "use ds_cnn_sys::*;\nfn main() {\n"
            f"    let signal: [i8; {len(self.signal)}] = [{values}];\n    let mut result = [0i8; 12];\n"
            "    let mut workspace = vec![0u64; DS_CNN_WORKSPACE_SIZE / 8 + 1];\n"
            f"    let inputs = ds_cnn_inputs_t {{ {fields[0]}: signal.as_ptr() }};\n"
            f"    let outputs = ds_cnn_outputs_t {{ {fields[1]}: result.as_mut_ptr() }};\n"
            "    let status = unsafe { ds_cnn_run(&inputs, &outputs, workspace.as_mut_ptr() as *mut u8) };\n"
            "    assert_eq!(status, 0);\n"
            '    for value in result.iter() { println!("output {}", value); }\n}\n')
        run("cargo", "build", "--offline", "--quiet", cwd=user)
        self.check("host", user / "target/debug/user")

    def test_state(self):
        """Declarations of a model that keeps something."""
        need(self, "cargo")
        run(BYOC, "pack", "--as", "cargo", export_stream(self, "host"), "-o", self.dir / "package")
        run("cargo", "build", "--offline", "--quiet", cwd=self.dir / "package")
        text = (self.dir / "package/src/host.rs").read_text()
        self.assertIn("pub fn stream_deinit(instance: *mut stream_instance_t) -> i32;", text)

    def test_another_target(self):
        need(self, "rustc")
        package = self.pack("cargo", "cortex-m4f", "riscv32imc")
        script = self.dir / "script"
        run("rustc", package / "build.rs", "-o", script)
        for triple, target in (("thumbv7em-none-eabihf", "cortex-m4f"), ("riscv32imc-unknown-none-elf", "riscv32imc")):
            said = run(script, env={"TARGET": triple, "CARGO_MANIFEST_DIR": str(package)})
            self.assertIn(f"cargo:rustc-link-search=native={package}/lib/{target}\n", said)
            self.assertIn("cargo:rustc-link-lib=static=ds_cnn\n", said)
        with self.assertRaisesRegex(AssertionError, "has no library for avr"):
            run(script, env={"TARGET": "avr", "CARGO_MANIFEST_DIR": str(package)})


class CmsisPack(Case):
    TARGETS = ("cortex-m4f", "cortex-m0plus")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run(BYOC, "export", MODELS / "ds_cnn_int8.tflite", "--name", "ds_cnn", "--target", "cortex-m0plus", "-q", "-o",
            cls.all / "cortex-m0plus")

    def unpacked(self):
        file = self.pack("cmsis-pack", *self.TARGETS, out="Acme.ds_cnn.1.2.0.pack",
                         options=["--set", "vendor=Acme", "--set", "version=1.2.0", "--set", "url=https://acme.example"])
        with zipfile.ZipFile(file) as archive:
            archive.extractall(self.dir / "pack")
        return self.dir / "pack"

    def test_description(self):
        """The rules of packchk, whose numbers are in the messages."""
        pack = self.unpacked()
        file = pack / "Acme.ds_cnn.pdsc"
        root = xml.etree.ElementTree.parse(file).getroot()
        self.assertTrue(root.findtext("url").endswith("/"), "M316")
        for element in root.iter("file"):
            self.assertTrue((pack / element.get("name")).exists(), f"M322, M323: {element.get('name')}")
        self.assertTrue(all(c.get("condition") for c in root.iter("component")), "M333")
        conditions = {c.get("id") for c in root.iter("condition")}
        self.assertEqual(conditions, {e.get("condition") for e in root.iter() if e.get("condition")}, "M331")
        description = root.findtext("description")
        self.assertTrue(description.isascii() and len(description) <= 128, "M387")
        self.assertEqual([r.get("version") for r in root.iter("release")], ["1.2.0"])
        schema = SHARED / "schemas/PACK.xsd"
        if not schema.is_file() or shutil.which("xmllint") is None:
            self.skipTest("PACK.xsd or xmllint is not there")
        run("xmllint", "--noout", "--schema", schema, file)

    def test_layer(self):
        pack = self.unpacked()
        root = xml.etree.ElementTree.parse(pack / "Acme.ds_cnn.pdsc").getroot()
        for layer in root.iter("clayer"):
            self.assertTrue((pack / layer.get("path") / layer.get("file")).is_file())
        try:
            import jsonschema
            import yaml
        except ImportError:
            self.skipTest("python3-jsonschema or python3-yaml is not installed")
        if not (SHARED / "schemas/clayer.schema.json").is_file():
            self.skipTest("clayer.schema.json is not there")
        schema = json.loads((SHARED / "schemas/clayer.schema.json").read_text())
        common = json.loads((SHARED / "schemas/common.schema.json").read_text())
        base = schema["$id"].rsplit("/", 1)[0]
        resolver = jsonschema.RefResolver(schema["$id"], schema, store={base + "/common.schema.json": common})
        for file in pack.glob("layers/*/*.yml"):
            jsonschema.validate(yaml.safe_load(file.read_text()), schema, resolver=resolver)

    def test_links(self):
        """The include path and the library that a project for this device gets."""
        pack = self.unpacked()
        self.check("cortex-m4f", self.link("cortex-m4f", f"-I{pack}/include", pack / "lib/cortex-m4f/libds_cnn.a"))
        layer = pack / "layers/cortex-m4f"
        self.check("cortex-m4f", self.link("cortex-m4f", f"-I{layer}", layer / "libds_cnn.a"))


# A run, the next one, and one after a reset: what the model keeps makes the second another one.
STREAM = (MODELS / "stream_int8.tflite", bytes(range(40)))


def export_stream(case, target):
    run(BYOC, "export", STREAM[0], "--name", "stream", "--target", target, "-q", "-o", case.dir / "stream")
    return case.dir / "stream"


def check_stream(case, said):
    """Three lines, each the outputs of a run."""
    first, second, again = (line.split() for line in said.strip().splitlines())
    (case.dir / "in").write_bytes(STREAM[1])
    run(BYOC, "run", STREAM[0], "--target", "host", "-q", "--no-profile", "--input", case.dir / "in", "--output-dir", case.dir)
    expected = (case.dir / "output_0.raw").read_bytes()
    case.assertEqual([int(n) for n in first], list(struct.unpack(f"{len(expected)}b", expected)))
    case.assertEqual(first, again)
    case.assertNotEqual(first, second)


class Npm(Case):
    def modules(self):
        need(self, "npm", "node")
        modules = BUILD / "npm/koffi"
        if not (modules / "node_modules/koffi").is_dir():
            try:
                run("npm", "install", "--silent", "--ignore-scripts", "--prefix", modules, "koffi", timeout=120)
            except (AssertionError, subprocess.TimeoutExpired):
                self.skipTest("koffi is not installed and cannot be")
        return modules / "node_modules"

    def test_state(self):
        modules = self.modules()
        run(BYOC, "pack", "--as", "npm", export_stream(self, "host"), "-o", self.dir / "package")
        (self.dir / "node_modules").symlink_to(modules)
        check_stream(self, run("node", "-e", "const m = require('./package').stream;"
                               "const x = new Int8Array(Array.from({length: 40}, (_, i) => i));"
                               "const once = () => console.log(Object.values(m.run({[m.inputs[0].name]: x}))[0].join(' '));"
                               "once(); once(); m.reset(); once();", cwd=self.dir))

    def test_runs(self):
        modules = self.modules()
        package = self.pack("npm", "host", out="ds_cnn.tgz")
        with tarfile.open(package) as archive:
            archive.extractall(self.dir)
        about = json.loads((self.dir / "package/package.json").read_text())
        self.assertNotIn("scripts", about)
        listed = json.loads(run("npm", "pack", "--dry-run", "--json", "--silent", cwd=self.dir / "package"))[0]
        self.assertIn("lib/x64/libds_cnn.so", [f["path"] for f in listed["files"]])
        (self.dir / "package/node_modules").symlink_to(modules)
        said = run("node", "-e", "const m = require('./package'); const t = m.ds_cnn.inputs[0];"
                   f"const b = require('fs').readFileSync('{GOLDEN}/input_0.raw');"
                   "const o = m.ds_cnn.run({[t.name]: new Int8Array(b)});"
                   "for (const x of Object.values(o)[0]) console.log('output', x);"
                   "try { m.ds_cnn.run({}); } catch (e) { console.log(e.message); }", cwd=self.dir)
        self.assertEqual([int(n) for n in re.findall(r"output (-?\d+)", said)], self.expected, said)
        self.assertIn("wants Int8Array of 490", said)


class Wheel(Case):
    def test_runs(self):
        need(self, "pip3")
        package = self.pack("wheel", "host", out="ds_cnn-1.0.0-py3-none-linux_x86_64.whl")
        run("pip3", "install", "--no-index", "--no-deps", "--target", self.dir / "site", package)
        code = (f"import ds_cnn, pathlib\nm = ds_cnn.ds_cnn\ndata = pathlib.Path('{GOLDEN}/input_0.raw').read_bytes()\n"
                "for n in list(m.run(**{m.inputs[0].name: data}).values())[0]: print('output', n)\n"
                "try: m.run(**{m.inputs[0].name: b'1'})\nexcept ValueError as e: print(e)\n")
        said = run(sys.executable, "-c", code, env={"PYTHONPATH": str(self.dir / "site"), "PATH": "/usr/bin:/bin"})
        self.assertEqual([int(n) for n in re.findall(r"output (-?\d+)", said)], self.expected, said)
        self.assertIn("has 1 bytes instead of 490", said)

    def test_state(self):
        run(BYOC, "pack", "--as", "wheel", export_stream(self, "host"), "-o", self.dir / "package")
        code = ("import stream\nm = stream.stream\n"
                "def once(): print(*list(m.run(**{m.inputs[0].name: bytes(range(40))}).values())[0])\n"
                "once(); once(); m.reset(); once()\n")
        check_stream(self, run(sys.executable, "-c", code, cwd=self.dir / "package"))

    def test_record(self):
        """Hashes and sizes of all files, which pip does not look at."""
        import base64
        with zipfile.ZipFile(self.pack("wheel", "host", out="ds_cnn-1.0.0-py3-none-linux_x86_64.whl")) as archive:
            rows = [line.split(",") for line in archive.read("ds_cnn-1.0.0.dist-info/RECORD").decode().splitlines()]
            self.assertEqual(sorted(name for name, _, _ in rows), sorted(archive.namelist()))
            for name, digest, size in rows:
                if name.endswith("RECORD"):
                    continue
                data = archive.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={expected}", str(len(data))), name)

    def test_another_name(self):
        said = run(BYOC, "pack", "--as", "wheel", self.all / "host", "-o", self.dir / "any.whl")
        self.assertIn("wants another name of the file (expected ds_cnn-1.0.0-py3-none-linux_x86_64.whl)", said)


class Bazel(Case):
    def test_build_file(self):
        """Bazel where it is; else the file in Python, whose syntax it shares, with rules that look at their files."""
        package = self.pack("bazel", *TARGETS)
        rules = {}

        def rule(**attributes):
            rules[attributes["name"]] = types.SimpleNamespace(**attributes)

        names = {name: rule for name in ("config_setting", "cc_import", "cc_library")}
        names.update(package=lambda **_: None, select=lambda table: [table], glob=lambda patterns: sorted(
            str(f.relative_to(package)) for p in patterns for f in package.glob(p)))
        text = (package / "BUILD.bazel").read_text()
        ast.parse(text)
        exec(compile(text, "BUILD.bazel", "exec"), names)
        for target in TARGETS:
            self.assertTrue((package / rules[f"library_{target}"].static_library).is_file())
            self.assertEqual(rules["ds_cnn"].deps[0][f":for_{target}"], [f":library_{target}"])
        self.assertIn("include/ds_cnn.h", rules["ds_cnn"].hdrs)
        for target in TARGETS:
            self.check(target, self.link(target, f"-I{package}/{rules['ds_cnn'].includes[0]}",
                                         package / rules[f"library_{target}"].static_library))


class Reproducible(Case):
    FORMS = {"arduino": "zip", "cmsis-pack": "pack", "npm": "tgz", "wheel": "whl"}

    def test_archives(self):
        """Another time, zone, locale, mask and folder: the same bytes."""
        import os
        for form, suffix in self.FORMS.items():
            with self.subTest(form):
                target = "host" if form in ("npm", "wheel") else "cortex-m4f"
                first = self.pack(form, target, out=f"one.{suffix}")
                (self.dir / "other folder").mkdir(exist_ok=True)
                shutil.copytree(self.all / target, self.dir / "other folder/model", dirs_exist_ok=True)
                second = self.dir / f"other folder/two.{suffix}"
                environment = {**os.environ, "TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8", "TMPDIR": str(self.dir)}
                run("sh", "-c", 'umask 077; exec "$@"', "sh", BYOC, "pack", "--as", form, "model", "-o", second,
                    cwd=self.dir / "other folder", env=environment)
                self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_source_date(self):
        import os
        package = self.pack("npm", "host", out="dated.tgz", env={**os.environ, "SOURCE_DATE_EPOCH": "86400"})
        with tarfile.open(package) as archive:
            self.assertEqual({m.mtime for m in archive}, {86400})


class Licence(Case):
    def test_every_form(self):
        """The terms of the code are a file of each package; texts in it name them."""
        for form in ("arduino", "bazel", "cargo", "cmake", "cmsis-pack", "esp-idf", "npm", "pkgconfig", "platformio", "wheel",
                     "zephyr"):
            with self.subTest(form):
                target = {"arduino": "cortex-m4f", "cmsis-pack": "cortex-m4f", "zephyr": "cortex-m4f"}.get(form, "host")
                package = self.pack(form, target, out=form)
                licence = "LICENSE" if form != "wheel" else "ds_cnn-1.0.0.dist-info/licenses/LICENSE"
                self.assertEqual((package / licence).read_text(), (SOURCE / "LICENSE").read_text())
                readme = package / ("README.md" if form != "wheel" else "ds_cnn-1.0.0.dist-info/METADATA")
                self.assertIn("ds_cnn", readme.read_text())
                self.assertNotIn("@", readme.read_text().replace("@ds_cnn//", ""))
                for file in package.rglob("*"):
                    if file.suffix in (".c", ".h", ".py", ".rs", ".js", ".cmake", ".ino", ".pdsc", ".yml", ".pc", ".bazel"):
                        self.assertIn("SPDX-License-Identifier: Apache-2.0", "".join(file.read_text().splitlines(True)[:3]), file)


class Models(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for target in ("cortex-m4f", "host"):
            run(BYOC, "export", MODELS / "lstm_float.tflite", "--name", "lstm", "--target", target, "-q", "-o",
                cls.all / f"lstm-{target}")

    def test_two_models(self):
        package = self.pack("cmake", "cortex-m4f", "lstm-cortex-m4f", "host", "lstm-host", options=["--set", "name=both"])
        for target in ("cortex-m4f", "host"):
            self.check(target, self.link(target, f"-I{package}/include/both", package / f"lib/{target}/libboth.a"))

    def test_name_is_missing(self):
        said = self.refused("--as", "cmake", self.all / "host", self.all / "lstm-host")
        self.assertIn("a package of several models wants a name (found ds_cnn, lstm, expected --set name=NAME)", said)

    def test_a_model_is_missing(self):
        said = self.refused("--as", "cmake", self.all / "host", self.all / "lstm-host", self.all / "cortex-m4f", "--set",
                            "name=both")
        self.assertIn("the model is not there for target 'cortex-m4f'", said)

    def test_bindings_of_several(self):
        need(self, "pip3")
        package = self.pack("wheel", "host", "lstm-host", out="both-1.0.0-py3-none-linux_x86_64.whl",
                            options=["--set", "name=both"])
        run("pip3", "install", "--no-index", "--no-deps", "--target", self.dir / "site", package)
        code = ("import both\nm = both.lstm\n"
                "print({t.name: list(b)[:2] for t, b in zip(m.outputs, m.run(**{t.name: bytes(t.bytes) for t in m.inputs}).values())})")
        run(sys.executable, "-c", code, env={"PYTHONPATH": str(self.dir / "site"), "PATH": "/usr/bin:/bin"})


class Refused(Case):
    def test_form(self):
        self.assertIn("'--as': there is no such form of a package; did you mean npm? (found 'rpm', expected arduino, bazel, cargo, cmake,",
                      self.refused("--as", "rpm", self.all / "host"))

    def test_target_without_a_word(self):
        self.assertIn("host: error: '--as cmsis-pack': this form has no word for the target (found x86_64-unknown-linux-gnu",
                      self.refused("--as", "cmsis-pack", self.all / "host"))
        self.assertIn("expected a target with an operating system",
                      self.refused("--as", "npm", self.all / "cortex-m4f"))

    def test_targets_alike(self):
        (self.dir / "twin.json").write_text('{"extends": "cortex-m4f", "name": "twin"}')
        run(BYOC, "export", MODELS / "ds_cnn_int8.tflite", "--name", "ds_cnn", "--target", self.dir / "twin.json", "-q", "-o",
            self.dir / "twin")
        said = self.refused("--as", "cmake", self.all / "cortex-m4f", self.dir / "twin")
        self.assertIn("this form cannot tell the target from 'cortex-m4f'", said)

    def test_same_folder_twice(self):
        said = self.refused("--as", "cmake", self.all / "host", self.all / "host")
        self.assertIn("two folders have this model for target 'host'", said)

    def test_fields(self):
        for field, message in (("name=a/b", "'--set name': has text that it cannot have (found 'a/b'"),
                               ("version=1.0", "expected three numbers, as in 1.0.0"),
                               ("version=01.0.0", "expected three numbers, as in 1.0.0"),
                               ("vendor=A B", "'--set vendor': has text that it cannot have"),
                               ("description=a\nb", "'--set description': has text that it cannot have"),
                               ("description=a\u2028require('x')", "'--set description': has text that it cannot have"),
                               ("description=a */ b", "'--set description': has text that it cannot have"),
                               ("author=a\u202eb", "'--set author': has text that it cannot have"),
                               ("author=a\u009bb", "'--set author': has text that it cannot have"),
                               ("url=https://a/\u2028b", "'--set url': has text that it cannot have"),
                               ("url=javascript:x", "'--set url': has text that it cannot have"),
                               ("licence=<x>", "expected an SPDX licence expression"),
                               ("author=$(rm)", "'--set author': has text that it cannot have"),
                               ("colour=red", "'--set': there is no such field of a package (found colour, expected name, version"),
                               ("nothing", "'--set': is no field with a value (found nothing, expected FIELD=VALUE)")):
            with self.subTest(field):
                self.assertIn(message, self.refused("--as", "cmake", self.all / "host", "--set", field))

    def test_fields_without_a_form(self):
        done = subprocess.run([BYOC, "pack", self.all / "host", "--set", "name=x", "-o", self.dir / "x.a"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("'--set': is for packages of a form (expected --as FORM)", done.stderr)

    def test_library_without_a_model(self):
        (self.dir / "a.c").write_text("int a(void);\nint a(void) { return 1; }\n")
        run(BYOC, "build-tree", self.dir / "a.c", "--target", "host", "-o", self.dir / "tree")
        self.assertIn("this library is of none (expected what byoc export wrote)",
                      self.refused("--as", "cmake", self.dir / "tree"))

    def test_a_folder_of_others_stays(self):
        (self.dir / "mine").mkdir()
        (self.dir / "mine/package.json").write_text("{}")
        done = subprocess.run([BYOC, "pack", "--as", "npm", self.all / "host", "-o", self.dir / "mine"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([f.name for f in (self.dir / "mine").iterdir()], ["package.json"])

    def test_text_is_quoted(self):
        """What each world takes for more than text, in a description that may have it."""
        text = "<b> & 'x' ; @name@ ]]> `id` {a} %s é"
        for form, target in (("cmsis-pack", "cortex-m4f"), ("npm", "host"), ("cargo", "host"), ("platformio", "host")):
            package = self.pack(form, target, out=form, options=["--set", f"description={text}"])
            if form == "cmsis-pack":
                root = xml.etree.ElementTree.parse(package / "local.ds_cnn.pdsc").getroot()
                self.assertEqual(root.findtext("description"), text)
            elif form == "cargo":
                self.assertIn(f'description = "{text}"\n', (package / "Cargo.toml").read_text())
            else:
                file = package / ("package.json" if form == "npm" else "library.json")
                self.assertEqual(json.loads(file.read_text())["description"], text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
