"""What packages say of themselves for supply chains, and that nothing of a machine is in them.

usage: supply_test.py BYOC SOURCE_DIR MODELS_DIR BUILD_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parent))
from forms_case import BYOC, MODELS, Case, run  # noqa: E402

FORMS = {"arduino": "cortex-m4f", "bazel": "cortex-m4f", "cargo": "cortex-m4f", "cmake": "cortex-m4f",
         "cmsis-pack": "cortex-m4f", "esp-idf": "riscv32imc", "npm": "host", "pkgconfig": "cortex-m4f",
         "platformio": "cortex-m4f", "wheel": "host", "zephyr": "cortex-m4f"}
ARCHIVES = {"arduino": "zip", "cmsis-pack": "pack", "npm": "tgz", "wheel": "whl"}


class Bills(Case):
    def test_every_form_has_them(self):
        for form, target in FORMS.items():
            with self.subTest(form):
                package = self.pack(form, target, out=form, options=["--set", "sbom=spdx,cyclonedx", "--set",
                                                                             "model_licence=MIT"])
                bills = {f.name: json.loads(f.read_text()) for f in package.rglob("ds_cnn.*.json") if "sbom" in str(f.parent)}
                self.assertEqual(set(bills), {"ds_cnn.spdx.json", "ds_cnn.cdx.json"})
                spdx = bills["ds_cnn.spdx.json"]
                stated = {f["fileName"].removeprefix("./"): {c["algorithm"]: c["checksumValue"] for c in f["checksums"]}
                          for f in spdx["files"]}
                there = {str(f.relative_to(package)) for f in package.rglob("*") if f.is_file()}
                others = {f for f in there if "sbom" not in f and not f.endswith(("RECORD", ".byoc-package.json"))}
                self.assertEqual(set(stated), others)
                for name, sums in stated.items():
                    self.assertEqual(sums["SHA256"], hashlib.sha256((package / name).read_bytes()).hexdigest(), name)
                model = next(p for p in spdx["packages"] if p["SPDXID"] == "SPDXRef-model")
                self.assertEqual(model["licenseDeclared"], "MIT")
                kernels = next(p for p in spdx["packages"] if p["name"] == "codegen c")
                self.assertIn("Apache-2.0", kernels["licenseDeclared"])
                # What the package's own record has of its files covers them.
                if form == "wheel":
                    self.assertIn(".dist-info/sboms/ds_cnn.spdx.json,sha256=",
                                  next(package.rglob("RECORD")).read_text())

    def test_several_targets(self):
        package = self.pack("cmake", "cortex-m4f", "host", options=["--set", "sbom=cyclonedx"])
        for target in ("cortex-m4f", "host"):
            bill = json.loads((package / f"sbom/{target}/ds_cnn.cdx.json").read_text())
            self.assertEqual(bill["specVersion"], "1.6")

    def test_none_without_being_asked(self):
        self.assertEqual(list(self.pack("cmake", "host").rglob("sbom")), [])

    def test_refused(self):
        for field in ("sbom=swid", "sbom=slsa=https://ci.example.com", "sbom=spdx,spdx"):
            self.assertIn("'--set sbom': has text that it cannot have", self.refused("--as", "cmake", self.all / "host", "--set",
                                                                                     field))
        self.assertIn("expected an SPDX licence expression",
                      self.refused("--as", "cmake", self.all / "host", "--set", "model_licence=<x>"))


class Sources(Case):
    def test_none_of_what_is_no_c(self):
        """The library is whole all the same; what is missing is said."""
        folder = self.dir / "llvm"
        run(BYOC, "export", MODELS / "ds_cnn_int8.tflite", "--name", "ds_cnn", "--target", "host", "-q", "-o", folder,
            "--prefer", "llvm,c")
        done = subprocess.run([BYOC, "pack", "--as", "arduino", folder, "-o", self.dir / "package"], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"warning: '--as arduino': there are no sources for other boards in it, for not all code "
                                      r"is C \(found \w+ of codegen 'llvm', expected folders that byoc export --prefer c wrote\)")
        self.assertFalse((self.dir / "package/src/fallback").exists())
        self.assertTrue(list((self.dir / "package").rglob("libds_cnn.a")))
        done = subprocess.run([BYOC, "pack", "--as", "arduino", self.all / "host", "-o", self.dir / "with"], capture_output=True,
                              text=True)
        self.assertEqual(done.stderr, "")
        self.assertTrue((self.dir / "with/src/fallback").is_dir())


class Reprotest(Case):
    # Of another user, host name and kernel there is none in a container; orders of directories need FUSE.
    LEFT_OUT = ("user_group", "domain_host", "fileordering", "kernel", "aslr")

    def test_every_form(self):
        """Packed twice by reprotest: time, zone, locale, mask, number of CPUs, folder, home, PATH and environment differ."""
        if shutil.which("reprotest") is None or shutil.which("faketime") is None:
            self.skipTest("reprotest or faketime is not installed")
        source = self.dir / "source"
        source.mkdir()
        for target in set(FORMS.values()):
            shutil.copytree(self.all / target, source / target)
        lines = ["set -e", "mkdir -p out"]
        for form, target in FORMS.items():
            for out in (form, *([f"{form}.{ARCHIVES[form]}"] if form in ARCHIVES else [])):
                lines.append(f"{BYOC} pack --as {form} {target} --set sbom=spdx,cyclonedx -o out/{out}")
        lines.append("find out -type f | LC_ALL=C sort | xargs sha256sum > sums.txt")
        (source / "pack.sh").write_text("\n".join(lines) + "\n")
        said = run("reprotest", "--no-diffoscope", "--vary=" + ",".join(f"-{v}" for v in self.LEFT_OUT), "-c", "sh pack.sh",
                   source, "sums.txt")
        self.assertIn("Reproduction successful", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
