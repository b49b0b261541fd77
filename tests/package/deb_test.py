#!/usr/bin/env python3
"""Makes the Debian packages and uses what is in them: the README's quick start, manual pages, completions, a program that is
linked with the library, an example of the documents. With --chroot FOLDER, which debootstrap made, they are installed there
by apt and removed again; else they are unpacked into an empty folder."""

import argparse
import glob
import gzip
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from commands import expect, run  # noqa: E402

NAMES = {"byoc", "byoc-doc", "libbyoc-dev", "libbyoc0.1"}


def make_packages(build, scratch):
    """gzip, because xz takes a minute."""
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", scratch / "packages", "-D",
        "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")
    packages = {Path(f).name.split("_")[0]: Path(f) for f in glob.glob(f"{scratch}/packages/*.deb")}
    expect(set(packages) == NAMES, f"packages are {sorted(packages)}")
    expect(packages["byoc-doc"].name.endswith("_all.deb"), "documents are of all architectures")
    return packages


def check_packages(packages):
    for name, file in packages.items():
        listed = run("dpkg-deb", "--contents", file)
        for wanted in ("copyright", "changelog.Debian.gz", "changelog.gz"):
            expect(f"./usr/share/doc/{name}/{wanted}\n" in listed, f"{name} has its {wanted}")
        expect(not re.search(r"^\S+ (?!root/root)", listed, re.M), f"{name}: everything is root's")
    expect(re.search(r"\./usr/lib/[a-z0-9_]+-linux-gnu/libbyoc\.so\.0\.1 ", run("dpkg-deb", "--contents", packages["libbyoc0.1"])),
           "the library is in the folder of its architecture")
    depends = run("dpkg-deb", "--field", packages["byoc"], "Depends")
    expect("libc6" in depends and "libclang-common-19-dev" in depends, f"byoc depends on {depends}")
    depends = run("dpkg-deb", "--field", packages["libbyoc-dev"], "Depends")
    expect("libbyoc0.1 (= 0.1.0-0upstream1)" in depends, f"libbyoc-dev depends on {depends}")
    if shutil.which("lintian"):
        said = run("lintian", "--allow-root", "--fail-on", "error,warning", *packages.values())
        print(said.strip() or "lintian is content")
    else:
        print("lintian is not installed")


def quick_start(root, model, scratch):
    """As in README.md, with what is installed below `root`."""
    byoc, usr = root / "usr/bin/byoc", root / "usr"
    run(byoc, "export", model, "--name", "kws", "--target", "cortex-m4f", "-o", scratch / "kws.a")
    expect((scratch / "kws.h").is_file(), "a header is beside the library")
    project = scratch / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(tool LANGUAGES CXX)\nfind_package(byoc REQUIRED)\n"
        "add_executable(tool main.cpp)\ntarget_link_libraries(tool PRIVATE byoc::byoc)\n")
    (project / "main.cpp").write_text(
        '#include <cstdio>\n#include <string>\n#include "byoc/byoc.hpp"\n'
        "int main() {\n  byoc::Diagnostics diags;\n  const auto target = byoc::find_target(\"cortex-m4f\", diags);\n"
        '  std::printf("%s %s\\n", std::string(byoc::version()).c_str(), target ? target->name.c_str() : "?");\n}\n')
    run("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={usr}")
    run("ninja", "-C", project / "build")
    expect("cortex-m4f" in run(project / "build/tool"), "a program that is linked with the library")


def check_command_line(usr):
    for name in ("byoc", "byoc-export", "byoc-pack"):
        with gzip.open(usr / f"share/man/man1/{name}.1.gz", "rt") as page:
            text = page.read()
        expect(text.count(".SH ") >= 4 and f"\n{name} \\- " in text, f"manual page of {name}")
    script = usr / "share/bash-completion/completions/byoc"
    said = run("bash", "-c", f"source {script}; COMP_WORDS=(byoc export x --tar); COMP_CWORD=3; _byoc; echo ${{COMPREPLY[@]}};"
               "COMP_WORDS=(byoc par); COMP_CWORD=1; _byoc; echo ${COMPREPLY[@]};"
               "COMP_WORDS=(byoc run x --target cortex-m55); COMP_CWORD=4; _byoc; echo ${COMPREPLY[@]}")
    expect(said.split("\n")[:3] == ["--target --tar-of", "partition", "cortex-m55"], f"bash completes: {said}")
    expect((usr / "share/zsh/vendor-completions/_byoc").read_text().startswith("#compdef byoc"), "zsh's completion")
    if shutil.which("zsh"):
        run("zsh", "-n", usr / "share/zsh/vendor-completions/_byoc")


def check_documents(usr, scratch):
    folder = usr / "share/doc/byoc-doc"
    for page in ("README.md", "docs/packages.md", "docs/plugin-abi.md"):
        expect((folder / page).is_file(), f"{page} is among the documents")
    example = scratch / "hello"
    shutil.copytree(folder / "examples/hello-plugin", example)
    run("cmake", "-G", "Ninja", "-S", example, "-B", example / "build", f"-DCMAKE_PREFIX_PATH={usr}")
    run("ninja", "-C", example / "build")


def check_release(source, scratch):
    """The tarball of a commit does not depend on who makes it."""
    if not (source / ".git").exists():
        print("no tarball: this is no checkout")
        return
    texts = []
    for mask in ("022", "077"):
        folder = scratch / f"release-{mask}"
        folder.mkdir()
        texts.append(run("sh", "-c", f"umask {mask}; exec {source}/packaging/release.sh HEAD {folder}"))
    expect(texts[0] == texts[1] and "byoc-0.1.0.tar.gz" in texts[0], f"two tarballs are the same: {texts}")
    listed = run("tar", "-tzf", scratch / "release-077/byoc-0.1.0.tar.gz").splitlines()
    for wanted in ("CMakeLists.txt", "dev", "CHANGELOG.md", "docs/packages.md"):
        expect(f"byoc-0.1.0/{wanted}" in listed, f"{wanted} is in the tarball")


def in_chroot(chroot, packages, model):
    """By apt, in a bare system; what is left afterwards is what was there."""
    def there(*command):
        return run("chroot", chroot, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                   *command)

    place = Path(chroot, "tmp/packages")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for file in packages.values():
        shutil.copy(file, place)
    shutil.copy(model, place / "kws.tflite")
    before = set(there("find", "/usr", "/etc", "-name", "*byoc*").split())
    there("apt-get", "install", "-y", "-q", "--no-install-recommends", *(f"/tmp/packages/{f.name}" for f in packages.values()),
          "gcc-arm-none-eabi", "libnewlib-arm-none-eabi")
    there("sh", "-c", "cd /tmp/packages && byoc export kws.tflite --target cortex-m4f -o kws.a && test -s kws.h")
    there("sh", "-c", "cd /tmp/packages && arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard -I. "
          "kws_example_main.c kws.a -lm --specs=nosys.specs -o kws.elf && byoc verify kws.elf --manifest kws.json")
    there("apt-get", "purge", "-y", "-q", *NAMES)
    left = set(there("find", "/usr", "/etc", "-name", "*byoc*").split()) - before
    expect(not left, f"nothing is left after the removal, but {sorted(left)}")
    print("installed, used and removed in the chroot")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--chroot", type=Path)
    arguments = parser.parse_args()
    for program in ("cpack", "dpkg-deb", "dpkg-shlibdeps"):
        if shutil.which(program) is None:
            print(f"{program} is not installed")
            return 77
    build = arguments.build.absolute()
    model = build / "networks/ds_cnn_int8.tflite"
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        packages = make_packages(build, scratch)
        check_packages(packages)
        if arguments.chroot:
            in_chroot(arguments.chroot.absolute(), packages, model)
            return 0
        root = scratch / "root"
        for file in packages.values():
            run("dpkg-deb", "--extract", file, root)
        check_command_line(root / "usr")
        quick_start(root, model, scratch)
        check_documents(root / "usr", scratch)
        check_release(arguments.source.absolute(), scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
