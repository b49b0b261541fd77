"""Cores as chips have them, from outside: what runs on them, what is refused before the board, what a library wants.

usage: cores_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish, run  # noqa: E402

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute(), pathlib.Path(sys.argv[3])
DEMO = SOURCE / "examples/demo/vibration_int8.onnx"
KWS = MODELS / "ds_cnn_int8.tflite"


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def export(self, target, name="m", model=DEMO, *options):
        run(BYOC, "export", model, "--target", target, "--name", name, "-q", "-o", self.dir / f"{name}.a", *options)
        return self.dir / f"{name}.a"


class Runs(Case):
    """In QEMU, with the extensions taken out of the core that the target does not have."""

    def test_on_cores_that_lack_something(self):
        for target in ("cortex-m33-nodsp-soft", "cortex-m33+nodsp", "cortex-m55+nomve", "cortex-m55+nofp"):
            said = run(BYOC, "run", KWS, "--target", target, "--compare", "--fill", "random:1", "--no-profile")
            self.assertIn("agree with the evaluator", said, target)

    def test_a_library_without_dsp_takes_no_object_with_it(self):
        """Whoever brings the code: a vendor's object, or the user's own."""
        source, vendor = self.dir / "dsp.c", self.dir / "dsp.o"
        source.write_text("#include <arm_acle.h>\nint g(int a, int b) { return __smlad(a, b, 0); }\n")
        run("arm-none-eabi-gcc", "-mcpu=cortex-m33", "-mthumb", "-O2", "-c", source, "-o", vendor)
        self.export("cortex-m33-soft", "m", DEMO, "--add-file", vendor)
        done = finish(BYOC, "export", DEMO, "--target", "cortex-m33-nodsp-soft", "--name", "m", "-q", "-o",
                      self.dir / "n.a", "--add-file", vendor)
        self.assertEqual(done.returncode, 1)
        self.assertIn("DSP extension (Tag_DSP_extension) (found used, expected not there in cortex-m33", done.stderr)

    def test_a_description_says_it_by_its_features(self):
        board = self.dir / "board.json"
        board.write_text(json.dumps({"extends": "cortex-m33-soft", "name": "board", "isa": ["thumb", "hwdiv"],
                                     "gnu_flags": ["-mcpu=cortex-m33+nodsp", "-mthumb", "-mfloat-abi=soft"]}))
        for toolchain in ("clang", "gnu"):
            library = self.export(board, "m", DEMO, "--toolchain", toolchain)
            self.assertNotIn("smlad", finish("arm-none-eabi-objdump", "-d", library).stdout)


class WrongCore(Case):
    def compiles(self, flags):
        (self.dir / "main.c").write_text('#include "m.h"\nint main(void) { return m_run == 0; }\n')
        done = finish("arm-none-eabi-gcc", *flags.split(), "-mthumb", "-I", self.dir, "-c", self.dir / "main.c", "-o",
                      self.dir / "main.o")
        return done.returncode == 0, done.stderr

    def test_the_header_stops_the_compiler(self):
        for target, good, bad in (("cortex-m4", "-mcpu=cortex-m4", "-mcpu=cortex-m3"),
                                  ("cortex-m33-soft", "-mcpu=cortex-m33", "-mcpu=cortex-m33+nodsp"),
                                  ("cortex-m55", "-mcpu=cortex-m55 -mfloat-abi=hard",
                                   "-mcpu=cortex-m55+nomve.fp -mfloat-abi=hard")):
            self.export(target)
            self.assertTrue(self.compiles(good)[0], target)
            ok, said = self.compiles(bad)
            self.assertFalse(ok, target)
            self.assertIn("the compiler makes code for another core", said)

    def test_verify_compares_with_the_chip(self):
        library = self.export("cortex-m33-soft")
        (self.dir / "main.c").write_text('extern int m_run(void);\nint _start(void) { return m_run(); }\n')
        elf = self.dir / "fw.elf"
        run("arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", self.dir / "main.c", library, "-nostartfiles",
            "--specs=nosys.specs", "-Wl,-Ttext=0", "-o", elf)
        verify = (BYOC, "verify", elf, "--manifest", self.dir / "m.json")
        self.assertIn("for cortex-m33-soft", run(*verify, "--target", "cortex-m33-soft"))
        done = finish(*verify, "--target", "cortex-m3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("CPU architecture (Tag_CPU_arch) (found v8-M.main, expected what cortex-m3 executes", done.stderr)
        self.assertIn("DSP extension", finish(*verify, "--target", "cortex-m33-nodsp-soft").stderr)

    def test_cmake_warns(self):
        project = self.dir / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\n"
            f"set(BYOC_PROGRAM {BYOC})\ninclude({SOURCE}/cmake/ByocAddModel.cmake)\n"
            f"byoc_add_model(m MODEL {DEMO} FOR ${{FOR}})\n")
        for core, warns in (("cortex-m33", True), ("cortex-m0plus", True), ("cortex-m4f", False), ("cortex-m33+nodsp", True)):
            shutil.rmtree(project / "build", ignore_errors=True)
            said = run("cmake", "-S", project, "-B", project / "build", f"-DFOR={core}",
                       f"-DCMAKE_TOOLCHAIN_FILE={SOURCE}/toolchains/cortex-m4f.cmake")
            self.assertEqual("makes code for a core that cannot run" in " ".join(said.split()), warns, core + said)


    def test_headers_of_firmware_are_found(self):
        (self.dir / "main.c").write_text('#include "byoc/rt/profile.h"\nint main(void) { return 0; }\n')
        (self.dir / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\nfind_package(byoc REQUIRED)\n"
            "add_library(p OBJECT main.c)\ntarget_link_libraries(p PRIVATE byoc::rt)\n")
        run("cmake", "-S", self.dir, "-B", self.dir / "build", f"-Dbyoc_DIR={SOURCE}/cmake",
            f"-DCMAKE_TOOLCHAIN_FILE={SOURCE}/toolchains/cortex-m4f.cmake")
        run("cmake", "--build", self.dir / "build")


class Packages(Case):
    def test_an_m33_without_dsp_takes_no_dsp_code(self):
        for target in ("cortex-m33-soft", "cortex-m33-nodsp-soft"):
            run(BYOC, "export", DEMO, "--target", target, "--name", "m", "-q", "-o", f"{self.dir / target}/")
        (self.dir / "main.c").write_text('#include "m.h"\nint main(void) { return m_run(0, 0, 0); }\n')
        (self.dir / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\nfind_package(m REQUIRED)\n"
            "add_executable(p main.c)\ntarget_link_libraries(p PRIVATE m::m)\n"
            "target_link_options(p PRIVATE --specs=nosys.specs)\n")
        for targets, flags, dsp in ((["cortex-m33-soft"], "-mcpu=cortex-m33+nodsp", None),
                                    (["cortex-m33-soft", "cortex-m33-nodsp-soft"], "-mcpu=cortex-m33+nodsp", False),
                                    (["cortex-m33-soft", "cortex-m33-nodsp-soft"], "-mcpu=cortex-m33", True)):
            package, build = self.dir / "package", self.dir / "build"
            for folder in (package, build):
                shutil.rmtree(folder, ignore_errors=True)
            run(BYOC, "pack", "--as", "cmake", *(f"{self.dir / t}/" for t in targets), "-o", package)
            done = finish("cmake", "-S", self.dir, "-B", build, f"-DCMAKE_PREFIX_PATH={package}", "-DCMAKE_SYSTEM_NAME=Generic",
                          "-DCMAKE_C_COMPILER=arm-none-eabi-gcc", f"-DCMAKE_C_FLAGS={flags} -mthumb",
                          "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY")
            if dsp is None:
                self.assertNotEqual(done.returncode, 0, done.stdout)
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            run("cmake", "--build", build)
            code = finish("arm-none-eabi-objdump", "-d", build / "p").stdout
            self.assertEqual(re.search(r"\t(smlad|smuad|sxtb16|pkhbt|qadd)\b", code) is not None, dsp, flags)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
