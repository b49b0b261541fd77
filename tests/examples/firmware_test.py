#!/usr/bin/env python3
"""Installs byoc, then configures, builds and runs examples/firmware in a clean folder with find_package(byoc).

The answers are compared with numpy's.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from commands import run  # noqa: E402


def expected_lines(source):
    table = json.loads((source / "examples/demo/signals/signals.json").read_text())
    for index, signal in enumerate(table["signals"][:4]):
        best = max(range(len(table["classes"])), key=lambda i: signal["int8"][i])
        yield index, table["classes"][best], signal["int8"][best] * 100


def check_output(source, output):
    for index, name, percent in expected_lines(source):
        match = re.search(rf"^signal {index}: +(\d+) % {name}\r?$", output, re.MULTILINE)
        if match is None or abs(int(match.group(1)) - percent) > 1.5:
            sys.exit(f"signal {index}: expected '{percent:.0f} % {name}', found:\n{output}")


def check_other_packs(source, prefix, scratch):
    """The model as one object: the same answers, and every constant where it was exported to."""
    for pack in ("o",):
        folder = scratch / f"pack_{pack}"
        run("cmake", "-G", "Ninja", "-S", source / "examples/firmware", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DPACK={pack}", f"-DCMAKE_TOOLCHAIN_FILE={prefix}/share/byoc/toolchains/cortex-m4f.cmake")
        run("cmake", "--build", folder)
        check_output(source, run("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel",
                                 folder / "firmware.elf", timeout=60))
        run(prefix / "bin/byoc", "verify", folder / "firmware.elf", "--manifest", folder / "vibration/vibration.json")


PROJECT = """cmake_minimum_required(VERSION 3.25)
project(packs LANGUAGES C)
find_package(byoc REQUIRED)
link_directories(${CMAKE_SOURCE_DIR})
byoc_add_model(folder MODEL v ${EXTRA})
byoc_add_model(shared MODEL v PACK so)
byoc_add_model(object MODEL v PACK o)
byoc_add_model(direct MODEL ${MODEL} FOR host PACK so NAME v)
foreach(pack folder shared object direct)
  add_executable(with_${pack} main.c)
  target_link_libraries(with_${pack} PRIVATE ${pack})
endforeach()
# What the manifest lists comes with a static library and an object; a shared library has it already.
target_link_libraries(with_shared PRIVATE answer)
target_link_libraries(with_direct PRIVATE answer)
"""


def check_folders_and_shared_libraries(source, prefix, scratch):
    """byoc_add_model() on a folder that was exported, in every pack, and what its manifest wants linked."""
    project, model = scratch / "packs", source / "examples/demo/vibration_int8.onnx"
    project.mkdir()
    run(prefix / "bin/byoc", "export", model, "--target", "host", "--name", "v", "-q", "-o", project / "v/")
    (project / "answer.c").write_text("int answer(void) { return 42; }\n")
    run("cc", "-c", project / "answer.c", "-o", project / "answer.o")
    run("ar", "rcs", project / "libanswer.a", project / "answer.o")
    manifest = json.loads((project / "v/v.json").read_text())
    (project / "v/v.json").write_text(json.dumps({**manifest, "link_libraries": ["answer"]}))
    (project / "main.c").write_text('#include "v.h"\nint answer(void);\n'
                                    "int main(void) { return v_run == 0 || answer() != 42; }\n")
    (project / "CMakeLists.txt").write_text(PROJECT)
    configure = ("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
                 f"-DMODEL={model}")
    run(*configure)
    run("cmake", "--build", project / "build")
    for pack in ("folder", "shared", "object", "direct"):
        run(project / "build" / f"with_{pack}")
    if "no work to do" not in run("cmake", "--build", project / "build"):
        sys.exit("a second build did work")
    (project / "v/src/v.c").touch()
    if "Exporting v" not in run("cmake", "--build", project / "build"):
        sys.exit("a folder that changed was not packed again")
    shutil.rmtree(project / "build")
    failed = subprocess.run([*map(str, configure), "-DEXTRA=FOR;host"], capture_output=True, text=True)
    if failed.returncode == 0 or "FOR is for a model" not in failed.stderr:
        sys.exit(f"a folder was packed for a target of its user's: {failed.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--build", required=True, type=Path, help="build folder of byoc")
    arguments = parser.parse_args()
    source = arguments.source
    with tempfile.TemporaryDirectory() as scratch:
        prefix, folder = Path(scratch, "installed"), Path(scratch, "build")
        run("cmake", "--install", arguments.build, "--prefix", prefix)
        installed = prefix / "share/doc/byoc/examples/firmware"
        said = run("cmake", "-G", "Ninja", "-S", installed, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
                   f"-DCMAKE_TOOLCHAIN_FILE={prefix}/share/byoc/toolchains/cortex-m4f.cmake")
        if "Warning" in said:
            sys.exit(said)
        cache = (folder / "CMakeCache.txt").read_text()
        if f"BYOC_PROGRAM:FILEPATH={prefix}/bin/byoc" not in cache:
            sys.exit("the project did not find the installed byoc")
        run("cmake", "--build", folder)
        image = folder / "firmware.elf"
        check_output(source, run("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", image,
                                 timeout=60))
        # Nothing to do the second time; a newer byoc exports and links again.
        if "no work to do" not in run("cmake", "--build", folder):
            sys.exit("a second build did work")
        before = image.stat().st_mtime_ns
        (prefix / "bin" / "byoc").touch()
        run("cmake", "--build", folder)
        if image.stat().st_mtime_ns == before:
            sys.exit("a newer byoc did not make a new firmware")
        check_other_packs(source, prefix, Path(scratch))
        check_folders_and_shared_libraries(source, prefix, Path(scratch))


if __name__ == "__main__":
    main()
