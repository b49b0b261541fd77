"""A root folder that has the files of some Debian packages and nothing else, and commands in it.

The files are links to this machine's, so that nothing is copied or fetched. Needs root: commands run in mount namespaces of
their own, which end with them."""

import os
import re
import shutil
from pathlib import Path

from commands import finish, run

STATUS = Path("/var/lib/dpkg/status")
ALTERNATIVES = Path("/var/lib/dpkg/alternatives")
MACHINE = "/machine"  # where commands in the folder find this machine's files
# Mounts of a command: this machine's files, its processes and devices, a tree to read. $0 is the folder.
ENTER = """
mount --rbind / "$0/machine" && mount -o remount,bind,ro "$0/machine" && mount -t proc proc "$0/proc" &&
mount --rbind /dev "$0/dev" || exit 125
exec chroot "$0" "$@"
"""


def is_possible():
    """True where mounts and chroot are allowed."""
    if os.geteuid() != 0 or not STATUS.exists() or shutil.which("unshare") is None:
        return False
    return finish("unshare", "-m", "--propagation", "private", "mount", "-t", "tmpfs", "none", "/mnt").returncode == 0


def dependencies():
    """{package: names of packages that it needs} of those that are installed; of alternatives the installed one."""
    stanzas = [dict(re.findall(r"^([A-Z][\w-]*): (.*)$", text, re.M)) for text in STATUS.read_text().split("\n\n")]
    there = {s["Package"]: s for s in stanzas if s.get("Status", "").endswith(" installed")}
    provided = {name.split()[0]: package for package, s in there.items() for name in s.get("Provides", "").split(", ") if name}

    def first(alternatives):
        names = [re.split(r"[ :(]", a.strip())[0] for a in alternatives.split("|")]
        return next((n if n in there else provided[n] for n in names if n in there or n in provided), None)

    return {package: {first(a) for field in ("Depends", "Pre-Depends") for a in s.get(field, "").split(",") if a.strip()} - {None}
            for package, s in there.items()}


def closure(packages):
    """The packages with all that they need."""
    needed, found, open_names = dependencies(), set(), list(packages)
    while open_names:
        name = open_names.pop()
        if name not in needed:
            raise LookupError(f"the package {name} is not installed")
        if name not in found:
            found.add(name)
            open_names += needed[name]
    return found


def alternatives():
    """The links that update-alternatives made, as /usr/bin/cc. Its files list each as a name and a link, up to an empty line."""
    for file in ALTERNATIVES.iterdir():
        lines = file.read_text().split("\n\n")[0].splitlines()
        yield from map(Path, [lines[1], *lines[3::2]])


class Root:
    def __init__(self, folder, packages):
        """With the files of these packages; closure() gives those that they need."""
        self.folder = Path(folder)
        for name in ("machine", "proc", "dev", "tmp", "root", "usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "etc"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        # Links into that folder go on to files of packages, which are here or not.
        (self.folder / "etc/alternatives").symlink_to(f"{MACHINE}/etc/alternatives")
        for name in ("bin", "sbin", "lib", "lib64"):  # as Debian has them since 12
            (self.folder / name).symlink_to(f"usr/{name}")
        for line in sorted(set(run("dpkg-query", "-L", *sorted(packages)).splitlines())):
            if line.startswith("/") and line != "/.":
                self.add(Path(line))
        for link in alternatives():
            if link.exists() and os.path.lexists(f"{self.folder}{link.resolve()}"):
                self.add(link)

    def add(self, path):
        place = Path(f"{self.folder}{path}")
        if os.path.lexists(place) or path.is_relative_to("/etc/alternatives"):
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() and not path.is_symlink():
            place.mkdir()
        elif path.is_symlink():
            place.symlink_to(os.readlink(path))
        elif path.exists():
            place.symlink_to(f"{MACHINE}{path.resolve()}")

    def finish(self, *command):
        """The command's end, run in this root."""
        return finish("env", "-i", "HOME=/root", "PATH=/usr/sbin:/usr/bin", "PYTHONUTF8=1", "unshare", "-m", "--propagation",
                      "private", "sh", "-c", ENTER, self.folder, *command)

    def run(self, *command):
        """What the command said; it must end well."""
        done = self.finish(*command)
        if done.returncode != 0:
            raise AssertionError(f"ended with {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr
