"""What tests of plug-ins have in common: a folder of their own, and plug-ins built in it."""

import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
FLAGS = {".c": ["gcc", "-std=c11", "-O1", "-Wno-infinite-recursion"],
         ".cpp": ["g++", "-std=c++20", "-O0", "-fvisibility-inlines-hidden"]}


def build_plugin(name, folder, *options):
    """Builds tests/abi/plugins/<name> as `folder`/<stem>.so, and gives its path."""
    source = SOURCE / "tests/abi/plugins" / name
    plugin = Path(folder, source.stem + ".so")
    subprocess.run([*FLAGS[source.suffix], "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
                    "-pthread", f"-I{SOURCE / 'include'}", *options, source, "-o", plugin], check=True)
    return plugin


class PluginCase(unittest.TestCase):
    """Its tests share `folder`, which has the PLUGINS."""
    PLUGINS = ()

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        for name in cls.PLUGINS:
            build_plugin(name, cls.folder)
