#!/usr/bin/env python3
"""Makes the release archive in build/release, and uses it in a root folder where only glibc is installed: exports with each
backend, and what is in it. Exported libraries equal those of the build, byte for byte."""

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import small_root  # noqa: E402
from commands import expect, run  # noqa: E402

SKIPPED = 77
# Commands in the root; {model} is an int8 network, {float} a float one.
EXPORTS = (("cortex-m4f", "{model}"), ("riscv32imc", "{model}"), ("host", "{float}"))


def make_archive(source, build):
    folder = build / "release"
    shutil.rmtree(folder, ignore_errors=True)
    said = run(sys.executable, source / "packaging/archive.py", "--build", build, "--out", folder)
    print(said.strip())
    return next(folder.glob("*.tar.gz")), said


def check_sums(archive):
    run("sha256sum", "--check", f"{archive.name}.sha256", cwd=archive.parent)


def check_page(source, said):
    """docs/install.md states the size and the version of glibc."""
    page = (source / "docs/install.md").read_text()
    size, unpacked, glibc = re.search(r": (\d+) MB, unpacked (\d+) MB, glibc (\S+) or newer", said).groups()
    expect(f"glibc {glibc} or newer" in page, f"docs/install.md names glibc {glibc}")
    stated = re.search(r"has (\d+) MB, unpacked (\d+) MB", page)
    expect(stated, "docs/install.md states the size: 'has N MB, unpacked N MB'")
    for told, found in zip(stated.groups(), (size, unpacked)):
        expect(abs(int(told) - int(found)) <= 0.1 * int(found), f"docs/install.md states {told} MB, found {found} MB")


def check_contents(folder):
    for name in ("bin/byoc", "bin/byoc-cc", "include/byoc/byoc.hpp", "include/byoc/abi/abi.h", "lib/cmake/byoc/byoc-config.cmake",
                 "share/byoc/include/byoc/rt/profile.h", "share/byoc/toolchains/cortex-m4f.cmake", "share/man/man1/byoc.1.gz",
                 "share/man/man1/byoc-export.1.gz", "share/bash-completion/completions/byoc", "share/zsh/site-functions/_byoc", "share/fish/vendor_completions.d/byoc.fish",
                 "share/doc/byoc/LICENSE", "share/doc/byoc/docs/guide.md", "share/doc/byoc/examples/demo/vibration_int8.onnx", "share/doc/byoc/action/action.yml",
                 "share/doc/byoc/NOTICE/llvm-19-dev.txt", "share/doc/byoc/NOTICE/libstdc++6.txt", "share/doc/byoc/NOTICE/GPL-3",
                 "share/doc/byoc/NOTICE/libnewlib-dev.txt"):
        expect((folder / name).exists(), f"{name} is in the archive")
    expect(not list(folder.rglob("libc.so*")) and not list(folder.rglob("ld-linux*")), "glibc is not in it")
    expect(".debug_info" not in run("readelf", "--wide", "--sections", folder / "bin/byoc"), "the program is stripped")


def check_owner(archive):
    with tarfile.open(archive) as tar:
        for entry in tar:
            expect(entry.uid == 0 and entry.gid == 0 and not entry.mode & 0o022, f"{entry.name} is root's, who alone can write it")
            expect(entry.name.startswith(archive.name.removesuffix(".tar.gz")), f"{entry.name} is in the one folder")


def use(root, build, scratch):
    """Commands where nothing but glibc is installed, no C library's headers and no shell."""
    byoc = "/opt/byoc/bin/byoc"
    expect(re.fullmatch(r"byoc [\d.]+\n", root.run(byoc, "--version")), "it has a version")
    expect("nucleo-f446re" in root.run(byoc, "targets"), "it lists boards")
    models = {"model": build / "networks/ds_cnn_int8.tflite", "float": Path(root.folder, "opt/byoc/share/doc/byoc/examples/demo/vibration_float.onnx")}
    for name, model in models.items():
        shutil.copy(model, root.folder / "tmp" / f"{name}{model.suffix}")
    for target, model in EXPORTS:
        file = Path(model.format(model="model.tflite", float="float.onnx"))
        root.run(byoc, "export", f"/tmp/{file}", "--target", target, "-o", f"/tmp/{target}.a")
        run(build / "bin/byoc", "export", root.folder / "tmp" / file, "--target", target, "-o", scratch / f"{target}.a")
        expect((root.folder / f"tmp/{target}.a").read_bytes() == (scratch / f"{target}.a").read_bytes(),
               f"the library for {target} is the one that the build writes")
    expect("wrote  /tmp/c/" in root.run(byoc, "export", "/tmp/model.tflite", "--target", "c", "-o", "/tmp/c/"), "C sources")
    expect("all code" in root.run(byoc, "inspect", "/tmp/cortex-m4f.a"), "inspect lists the sizes")
    for target, wanted in (("cortex-m4f", "qemu-system-arm"), ("host", "gcc")):
        said = root.finish(byoc, "run", "/tmp/model.tflite", "--target", target)
        expect(said.returncode == 1 and f"expected {wanted}" in said.stderr, f"a run names what it needs: {said.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--build", required=True, type=Path)
    arguments = parser.parse_args()
    source, build = arguments.source.resolve(), arguments.build.resolve()
    if not Path("/usr/include/newlib").is_dir() or not Path("/usr/lib/picolibc").is_dir():
        print("skipped: the packages libnewlib-arm-none-eabi and picolibc-riscv64-unknown-elf are not installed")
        return SKIPPED
    archive, said = make_archive(source, build)
    check_sums(archive)
    check_page(source, said)
    check_owner(archive)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        subprocess.run(["tar", "-xzf", archive, "-C", scratch], check=True)
        unpacked = scratch / archive.name.removesuffix(".tar.gz")
        check_contents(unpacked)
        if not small_root.is_possible():
            print("not used in a root of its own: that needs root, unshare and mounts")
            return 0
        root = small_root.Root(scratch / "root", ["libc6"])
        (root.folder / "opt").mkdir()
        unpacked.rename(root.folder / "opt/byoc")
        use(root, build, scratch)
        print("used in a root that has glibc alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
