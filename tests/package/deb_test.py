#!/usr/bin/env python3
"""Makes the Debian packages and uses what is in them: an export, manual pages, completions, a program that is linked with the
library, an example of the documents. With --chroot FOLDER, which debootstrap made, they are installed there by apt, the
README's commands are run with them, and they are removed again; else they are unpacked into an empty folder."""

import argparse
import glob
import gzip
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "docs")]
import markdown_page  # noqa: E402
import readme_test  # noqa: E402
from commands import expect, finish, run  # noqa: E402

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
    """An export and a program, with what is installed below `root`."""
    byoc, usr = root / "usr/bin/byoc", root / "usr"
    expect("path" not in run("readelf", "--dynamic", byoc), "the program has no path to libraries of its own")
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
    expect("complete -c byoc" in (usr / "share/fish/vendor_completions.d/byoc.fish").read_text(), "fish's completion")
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


def in_chroot(chroot, packages, readme):
    """By apt, in a bare system; what is left afterwards is what was there."""
    prefix = ("chroot", chroot, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin")

    def there(*command):
        return run(*prefix, *command)

    place = Path(chroot, "tmp/packages")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for file in packages.values():
        shutil.copy(file, place)
    before = set(there("find", "/usr", "/etc", "-name", "*byoc*").split())
    timed("apt install", there, "sh", "-c", "apt-get install -y -q /tmp/packages/*.deb")
    walk_readme(prefix, there, readme)
    there("apt-get", "purge", "-y", "-q", *NAMES)
    left = set(there("find", "/usr", "/etc", "-name", "*byoc*").split()) - before
    expect(not left, f"nothing is left after the removal, but {sorted(left)}")
    print("installed, used and removed in the chroot")


def walk_readme(prefix, there, readme):
    """The commands of README.md, where nothing but the packages and, for a plug-in, CMake and a compiler is installed."""
    timed("cmake, make, g++", there, "apt-get", "install", "-y", "-q", "--no-install-recommends", "cmake", "make", "g++")
    folder = there("sh", "-c", "cd $(mktemp -d) && ln -s /usr/share/doc/byoc-doc/examples examples && pwd").strip()

    def execute(text):
        start = time.monotonic()
        done = finish(*prefix, "bash", "-c", f"exec 2>&1; cd {folder} || exit\n{text}")
        print(f"{time.monotonic() - start:6.1f} s  {text}")
        return done.returncode, done.stdout

    errors = list(readme_test.check_commands(markdown_page.code_blocks(readme.read_text()), execute))
    expect(not errors, "\n".join(errors))


def timed(what, command, *arguments):
    start = time.monotonic()
    command(*arguments)
    print(f"{time.monotonic() - start:6.1f} s  {what}")


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
            in_chroot(arguments.chroot.absolute(), packages, arguments.source / "README.md")
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
