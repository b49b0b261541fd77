"""A model.tar in the projects that read it, built as each of them builds and run in QEMU on inputs with known outputs:
Zephyr's (CMake over sources and objects), the bare-metal Makefiles (src/*.c alone, GNU C99, with --whole-archive or
without), Arduino's sketch (all files in one folder, no include paths, C++).

usage: projects_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import json
import os
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import run  # noqa: E402

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute(), pathlib.Path(sys.argv[3])
FIRMWARE = SOURCE / "examples/firmware"
VECTORS = 3

# Where the memories of two boards of QEMU's are, and how much is there; the Cortex-M55 starts in its secure addresses.
BOARDS = {"mps2-an386": {}, "mps3-an547": {"0x00000000, LENGTH = 4M": "0x10000000, LENGTH = 512K",
                                           "0x20000000, LENGTH = 4M": "0x30000000, LENGTH = 512K"}}

MAKEFILE = """BUILD_DIR := build
CC = arm-none-eabi-gcc
PKG_CFLAGS = -g -Wall -Werror -O2 -mcpu=cortex-m55 -mthumb -mfloat-abi=hard -std=gnu99 \\
  -I$(abspath $(BUILD_DIR))/codegen/host/include -I{firmware} -Iinclude
CODEGEN_SRCS = $(wildcard $(abspath $(BUILD_DIR))/codegen/host/src/*.c)
CODEGEN_OBJS = $(subst .c,.o,$(CODEGEN_SRCS))
$(BUILD_DIR)/demo: main.c {firmware}/startup.c {firmware}/console.c $(BUILD_DIR)/libcodegen.a
\t$(CC) $(PKG_CFLAGS) -o $@ {whole} $^ {end} -lm -nostartfiles -specs=nosys.specs -static -T board.ld
$(BUILD_DIR)/libcodegen.a: $(CODEGEN_SRCS)
\tcd $(abspath $(BUILD_DIR)/codegen/host/src) && $(CC) -c $(PKG_CFLAGS) $(CODEGEN_SRCS)
\tarm-none-eabi-ar -cr $(abspath $(BUILD_DIR)/libcodegen.a) $(CODEGEN_OBJS)
"""

CMAKE = """cmake_minimum_required(VERSION 3.13.1)
project(from_a_model LANGUAGES C)
file(GLOB_RECURSE tvm_model_srcs model/codegen/host/src/*.c model/codegen/host/lib/*.o)
add_library(tvm_model STATIC ${tvm_model_srcs})
target_include_directories(tvm_model PUBLIC model/codegen/host/include)
target_compile_options(tvm_model PRIVATE -Wno-unused-variable)
file(GLOB_RECURSE app_srcs src/**.c)
add_executable(app ${app_srcs})
target_include_directories(app PRIVATE include)
target_link_libraries(app PRIVATE tvm_model)
target_link_options(app PRIVATE -nostartfiles --specs=nosys.specs -T ${CMAKE_SOURCE_DIR}/board.ld -Wl,--gc-sections)
"""

# By structs, as the mains of all these projects call a model.
BY_STRUCTS = """
  struct tvmgen_{name}_inputs inputs = {{.{input} = input_data[i]}};
  struct tvmgen_{name}_outputs outputs = {{.{output} = output_data}};
  const int status = tvmgen_{name}_run(&inputs, &outputs);
"""
# By pointers, as a sketch does.
BY_POINTERS = """
  const int status = tvmgen_{name}___tvm_main__(input_data[i], output_data);
"""

MAIN = """#include <string.h>
#include "{tvmgen}"
{console}
#include "{data}"
#define RESET() {reset}
int main(void) {{
  for (int pass = 0, i = 0; pass < 2; i == {vectors} - 1 ? ++pass, i = 0 : ++i) {{
    if (i == 0 && RESET() != 0) return 4;
    static char output_data[sizeof expected[0]];
{call}
    if (sizeof input_data[i] != TVMGEN_{upper}_{input_upper}_SIZE) return 2;
    if (status != 0 || memcmp(output_data, expected[i], sizeof output_data) != 0) return 3;
  }}
  console_text("as expected");
  return 0;
}}
"""


class Projects(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def unpack(self, network, target, folder, name="default", options=()):
        """The archive as the generators open it: uncompressed."""
        run(BYOC, "export", MODELS / f"{network}.tflite", "--target", target, "--name", name, "-q", "-o",
            self.dir / "model.tar", *options)
        with tarfile.TarFile(self.dir / "model.tar") as archive:
            archive.extractall(folder)
        module = json.loads((folder / "metadata.json").read_text())["modules"][name]
        self.assertEqual(module["style"], "full-model")
        return module["memory"]["functions"]["main"][0]

    def write_main(self, path, main, network, call=BY_STRUCTS, name="default", data="data.h", tvmgen=None,
                   console='#include "console.h"', reset="0"):
        (input_name,), (output_name,) = main["inputs"], main["outputs"]
        text = MAIN.format(call=call.format(name=name, input=input_name, output=output_name), name=name, reset=reset,
                           vectors=VECTORS, upper=name.upper(), input_upper=input_name.upper(), console=console,
                           data=data, tvmgen=tvmgen or f"tvmgen_{name}.h")
        path.write_text(text)

        def rows(stem):
            vectors = [(MODELS / f"golden/{network}/{stem}_{i}.raw").read_bytes() for i in range(VECTORS)]
            body = ",\n".join("{" + ",".join(map(str, v)) + "}" for v in vectors)
            return f"[{VECTORS}][{len(vectors[0])}] = {{{body}}};\n"

        folder = path.parent.parent / "include" if data == "data.h" and path.parent.name == "src" else path.parent
        folder.mkdir(exist_ok=True)
        (folder / pathlib.Path(data).name).write_text("static unsigned char input_data" + rows("input") +
                                                      "static const unsigned char expected" + rows("output"))

    def write_board(self, path, board):
        text = (FIRMWARE / "mps2-an386.ld").read_text()
        for old, new in BOARDS[board].items():
            self.assertIn(old, text)
            text = text.replace(old, new)
        path.write_text(text)

    def run_board(self, elf, board):
        self.assertIn("as expected", run("qemu-system-arm", "-M", board, "-nographic", "-semihosting", "-kernel", elf,
                                         timeout=60))

    def make(self, whole_archive):
        main = self.unpack("ds_cnn_int8", "cortex-m55", self.dir / "build", "detection")
        self.write_main(self.dir / "main.c", main, "ds_cnn_int8", name="detection")
        self.write_board(self.dir / "board.ld", "mps3-an547")
        whole, end = ("-Wl,--whole-archive", "-Wl,--no-whole-archive") if whole_archive else ("", "")
        (self.dir / "Makefile").write_text(MAKEFILE.format(firmware=FIRMWARE, whole=whole, end=end))
        run("make", "-C", self.dir)
        self.run_board(self.dir / "build/demo", "mps3-an547")

    def test_a_makefile_of_sources(self):
        self.make(whole_archive=False)

    def test_a_makefile_that_links_everything(self):
        self.make(whole_archive=True)

    def test_cmake_over_sources_and_objects(self):
        for flavour in ("source", "objects"):
            with self.subTest(flavour):
                project = self.dir / flavour
                main = self.unpack("ds_cnn_int8", "cortex-m4f", project / "model", options=("--tar-of", flavour))
                (project / "src").mkdir()
                self.write_main(project / "src/main.c", main, "ds_cnn_int8")
                for file in ("startup.c", "console.c", "console.h"):
                    shutil.copy(FIRMWARE / file, project / "src")
                self.write_board(project / "board.ld", "mps2-an386")
                (project / "CMakeLists.txt").write_text(CMAKE)
                run("cmake", "-S", project, "-B", project / "b",
                    f"-DCMAKE_TOOLCHAIN_FILE={SOURCE}/toolchains/cortex-m4f.cmake")
                run("cmake", "--build", project / "b")
                self.run_board(project / "b/app", "mps2-an386")

    def sketch(self, network, reset):
        """Every file of the library beside the others in src/model, every #include rewritten to a path that is there."""
        main = self.unpack(network, "cortex-m4", self.dir / "mlf")
        self.assertGreater(main["workspace_size_bytes"], 0)
        sketch = self.dir / "sketch"
        model = sketch / "src/model"
        model.mkdir(parents=True)
        for file in (self.dir / "mlf/codegen/host").rglob("*.[ch]"):
            self.assertFalse((model / file.name).exists(), file)
            shutil.copy(file, model)
        for file in model.iterdir():
            lines = []
            for line in file.read_text().splitlines():
                found = re.search(r'#include\s*[<"]([^>]*)[>"]', line)
                lines.append(f'#include "{found.group(1)}"' if found else line)
            file.write_text("\n".join(lines) + "\n")
        self.write_main(sketch / "sketch.cpp", main, network, BY_POINTERS, data="data.inc", reset=reset,
                        tvmgen="src/model/tvmgen_default.h", console='extern "C" void console_text(const char*);')
        flags = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft", "-Os", "-ffunction-sections", "-fdata-sections"]
        objects = []
        for file in [*model.glob("*.c"), sketch / "sketch.cpp", FIRMWARE / "startup.c", FIRMWARE / "console.c"]:
            objects.append(self.dir / (file.stem + ".o"))
            compiler = "arm-none-eabi-g++ -fno-exceptions" if file.suffix == ".cpp" else "arm-none-eabi-gcc"
            run(*compiler.split(), *flags, "-c", file, "-o", objects[-1])
        self.write_board(self.dir / "board.ld", "mps2-an386")
        run("arm-none-eabi-gcc", *flags, "-nostartfiles", "--specs=nosys.specs", "-T", self.dir / "board.ld",
            "-Wl,--gc-sections", "-Wl,--defsym=__exidx_start=0,--defsym=__exidx_end=0", *objects, "-lm", "-o",
            self.dir / "sketch.elf")
        self.run_board(self.dir / "sketch.elf", "mps2-an386")

    def test_a_sketch(self):
        self.sketch("ds_cnn_int8", reset="0")

    def test_a_sketch_of_a_model_that_keeps_something(self):
        self.sketch("stream_int8", reset="tvmgen_default_reset()")

    def test_a_program_that_brings_its_memory_loses_nothing(self):
        """The workspace of tvmgen_<model>_run is not in a program that calls <model>_run."""
        self.unpack("ds_cnn_int8", "cortex-m4f", self.dir / "mlf")
        host = self.dir / "mlf/codegen/host"
        (self.dir / "main.c").write_text('#include "default.h"\nvoid *volatile keep;\n'
                                         "int main(void) { keep = (void *)default_run; return 0; }\n")
        flags = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-ffunction-sections",
                 "-fdata-sections"]
        run("arm-none-eabi-gcc", *flags, f"-I{host}/include", "--specs=nosys.specs", self.dir / "main.c",
            *host.glob("src/*.c"), "-lm", "-Wl,--gc-sections", "-o", self.dir / "main.elf")
        names = run("arm-none-eabi-nm", self.dir / "main.elf").split()
        self.assertIn("default_run", names)
        self.assertNotIn("workspace", names)
        self.assertNotIn("tvmgen_default_run", names)

    def test_templates_are_c(self):
        """Against the names of TVM's C runtime that they use, declared as it declares them."""
        self.unpack("ds_cnn_int8", "cortex-m4f", self.dir / "mlf")
        crt = self.dir / "tvm/runtime/crt"
        crt.mkdir(parents=True)
        (crt / "logging.h").write_text("#define TVM_CRT_LOG_LEVEL_WARN 2\n")
        (crt / "error_codes.h").write_text("#pragma once\ntypedef enum { kTvmErrorNoError, kTvmErrorPlatformCheckFailure, "
                                           "kTvmErrorPlatformNoMemory } tvm_crt_error_t;\n")
        (crt / "platform.h").write_text(
            "#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <tvm/runtime/crt/error_codes.h>\n"
            "typedef struct { int32_t device_type, device_id; } DLDevice;\n"
            "void __attribute__((noreturn)) TVMPlatformAbort(tvm_crt_error_t code);\n"
            "tvm_crt_error_t TVMPlatformMemoryAllocate(size_t bytes, DLDevice device, void **out);\n"
            "tvm_crt_error_t TVMPlatformMemoryFree(void *memory, DLDevice device);\n"
            "tvm_crt_error_t TVMPlatformTimerStart();\n"
            "tvm_crt_error_t TVMPlatformTimerStop(double *seconds);\n"
            "tvm_crt_error_t TVMPlatformGenerateRandom(uint8_t *buffer, size_t bytes);\n")
        for name in ("crt_config.h", "platform.c"):
            (self.dir / ("t_" + name)).write_text((self.dir / f"mlf/templates/{name}.template").read_text())
            run("arm-none-eabi-gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{self.dir}", "-fsyntax-only", "-x",
                "c", self.dir / ("t_" + name))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
