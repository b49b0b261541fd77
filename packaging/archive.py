#!/usr/bin/env python3
"""Makes a release archive, which runs where it is unpacked: `./dev release`.

The archive has what `cmake --install` installs, the libraries that not every Linux has, the headers that its compiler reads, manual pages, completions, and the licences of all of that.
Prints the archive's name, its sizes and the version of glibc that it needs.
"""

import argparse
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# glibc's own libraries have to be those of the machine's loader.
GLIBC = re.compile(r"(ld-linux.*|linux-vdso|libc|libm|libdl|libpthread|librt|libresolv)\.so\.\d+")
CLANG_HEADERS = "/usr/lib/llvm-19/lib/clang/19/include"
# Header folders, and the packages that have them: Clang's own, then those of C libraries.
HEADERS = {CLANG_HEADERS: "libclang-common-19-dev", "/usr/include/newlib": "libnewlib-dev",
           "/usr/lib/picolibc/riscv64-unknown-elf/include": "picolibc-riscv64-unknown-elf", "/usr/include": "libc6-dev"}
# Packages that are compiled into the program.
INSIDE = ("llvm-19-dev", "libclang-19-dev", "liblld-19-dev", "nlohmann-json3-dev", "libcli11-dev", "libasio-dev",
          "libflatbuffers-dev")
# Where each shell looks for the completion of a command.
COMPLETIONS = {"bash": "share/bash-completion/completions/byoc", "zsh": "share/zsh/site-functions/_byoc",
               "fish": "share/fish/vendor_completions.d/byoc.fish"}


def said(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True).stdout


def needed_libraries(program):
    """{name: file} of the shared libraries that are loaded with the program, without glibc's."""
    found = dict(re.findall(r"^\s+(\S+) => (/\S+)", said("ldd", program), re.M))
    return {name: Path(file).resolve() for name, file in found.items() if not GLIBC.fullmatch(name)}


def package_of(file):
    """The Debian package of a file. dpkg knows libraries by their path before /lib became a link."""
    for path in (str(file), str(file).removeprefix("/usr")):
        done = subprocess.run(["dpkg-query", "-S", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":")[0].split(",")[0]
    sys.exit(f"archive.py: {file}: found no Debian package that has it; its licence is not known")


def files_of(package, folder):
    """The files of a package below a folder."""
    return [Path(line) for line in said("dpkg-query", "-L", package).splitlines()
            if line.startswith(f"{folder}/") and Path(line).is_file()]


def newest_glibc(files):
    versions = {tuple(map(int, v.split("."))) for file in files
                for v in re.findall(r"GLIBC_([\d.]+)", said("readelf", "--wide", "--version-info", file))}
    return ".".join(map(str, max(versions)))


def add_libraries(stage):
    """Where the program's RPATH leads, which sdk/app/cli sets."""
    folder = stage / "lib/byoc"
    folder.mkdir(parents=True, exist_ok=True)
    libraries = needed_libraries(stage / "bin/byoc")
    for name, file in libraries.items():
        shutil.copy(file, folder / name)
        (folder / name).chmod(0o755)
    return libraries


def add_headers(stage):
    for folder, package in HEADERS.items():
        files = files_of(package, folder)
        if not files:
            sys.exit(f"archive.py: {folder}: found no files of the package {package}; install it")
        for file in files:
            copy = Path(f"{stage}/lib/byoc/root{file}")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
            copy.chmod(0o644)


def add_licences(stage, packages):
    """What Debian states of each package, and the licences that those texts refer to."""
    folder = stage / "share/doc/byoc/NOTICE"
    folder.mkdir(parents=True)
    common = set()
    for package in sorted(packages):
        text = Path("/usr/share/doc", package, "copyright").read_text(errors="replace")
        (folder / f"{package}.txt").write_text(text)
        common |= set(re.findall(r"/usr/share/common-licenses/([A-Z][\w.-]*\w)", text))
    for name in sorted(common):
        if Path("/usr/share/common-licenses", name).is_file():  # some texts name one that Debian does not have
            shutil.copy(Path("/usr/share/common-licenses", name), folder / name)


def add_command_line(stage):
    """Manual pages and completions, which are what the program says of itself."""
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([sys.executable, HERE / "command_line.py", stage / "bin/byoc", made], check=True)
        shutil.copytree(Path(made, "man"), stage / "share/man/man1")
    for shell, place in COMPLETIONS.items():
        (stage / place).parent.mkdir(parents=True, exist_ok=True)
        (stage / place).write_text(said(stage / "bin/byoc", "completion", shell))


def fill(build, stage):
    """The archive's folder; gives the version of glibc that it needs."""
    for component in ("byoc", "doc"):
        said("cmake", "--install", build, "--prefix", stage, "--component", component)
    shutil.copytree(ROOT / "include/byoc", stage / "include/byoc")
    libraries = add_libraries(stage)
    add_headers(stage)
    add_licences(stage, {*map(package_of, libraries.values()), *HEADERS.values(), *INSIDE})
    add_command_line(stage)
    return newest_glibc([stage / "bin/byoc", *sorted((stage / "lib/byoc").glob("*.so*"))])


def pack(stage, archive, seconds):
    """The same bytes for the same files: sorted, nobody's, of one time."""
    with open(archive, "wb") as out:
        tar = subprocess.Popen(["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw",
                                f"--mtime=@{seconds}", "--format=gnu", "-C", stage.parent, "-cf", "-", stage.name],
                               stdout=subprocess.PIPE)
        subprocess.run(["gzip", "-6n"], stdin=tar.stdout, stdout=out, check=True)
        if tar.wait() != 0:
            sys.exit(f"archive.py: {archive}: tar ended with {tar.returncode}")


def released_at():
    """Seconds since 1970 of the commit, or of the list of changes where this is no checkout."""
    done = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False)
    return done.stdout.strip() or str(int((ROOT / "CHANGELOG.md").stat().st_mtime))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args()
    build, out = arguments.build.resolve(), arguments.out.resolve()
    version = said(build / "bin/byoc", "--version").split()[-1]
    name = f"byoc-{version}-linux-{platform.machine()}"
    out.mkdir(parents=True, exist_ok=True)
    archive = out / f"{name}.tar.gz"
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        stage = Path(scratch, name)
        glibc = fill(build, stage)
        pack(stage, archive, released_at())
        unpacked = sum(f.stat().st_size for f in stage.rglob("*") if f.is_file() and not f.is_symlink())
    said_sum = said("sha256sum", archive).split()[0]
    Path(f"{archive}.sha256").write_text(f"{said_sum}  {archive.name}\n")
    print(f"{archive.name}: {archive.stat().st_size / 1e6:.0f} MB, unpacked {unpacked / 1e6:.0f} MB, glibc {glibc} or newer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
