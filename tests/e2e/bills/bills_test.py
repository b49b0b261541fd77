"""Bills of materials: what they say against the files that were exported, and against the published schema where it is.

usage: bills_test.py BYOC SOURCE_DIR BUILD_DIR [unittest arguments]
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import run  # noqa: E402

BYOC, SOURCE, BUILD = (pathlib.Path(a).absolute() for a in sys.argv[1:4])
MODEL = SOURCE / "examples/demo/vibration_int8.onnx"
SCHEMAS = "@cyclonedx/cyclonedx-library"


def digest(name, data):
    return hashlib.new(name, data).hexdigest()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def export(self, form, *options, out="v.a", target="cortex-m4f", **environment):
        run(BYOC, "export", MODEL, "--name", "v", "--target", target, "-q", "-o", self.dir / out, "--sbom", form, *options,
            env={**os.environ, **environment})
        suffix = {"spdx": "spdx", "cyclonedx": "cdx", "slsa": "intoto"}[form.split("=")[0]]
        folder = self.dir / out if (self.dir / out).is_dir() else self.dir
        self.bill = folder / f"v.{suffix}.json"
        return json.loads(self.bill.read_text())

    def check_files(self, named):
        """{name: {algorithm: digest}} of a bill: all files of the export, as they are."""
        there = {str(f.relative_to(self.bill.parent)) for f in self.bill.parent.rglob("*") if f.is_file() and f != self.bill}
        self.assertEqual(set(named), there)
        for name, digests in named.items():
            for algorithm, value in digests.items():
                data = (self.bill.parent / name).read_bytes()
                self.assertEqual(value, digest(algorithm.lower().replace("-", ""), data), name)


class Spdx(Case):
    def test_document(self):
        for out in ("v.a", "folder"):
            with self.subTest(out):
                (self.dir / out).parent.mkdir(exist_ok=True)
                for old in self.dir.iterdir():
                    shutil.rmtree(old) if old.is_dir() else old.unlink()
                self.check(self.export("spdx", out=out))

    def check(self, bill):
        self.assertEqual((bill["spdxVersion"], bill["dataLicense"], bill["SPDXID"]),
                         ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertRegex(bill["documentNamespace"], r"^https://[^#]+-[0-9a-f]{8}-[0-9a-f]{4}-8")
        self.assertEqual(bill["creationInfo"], {"created": "1970-01-01T00:00:00Z", "creators": ["Tool: byoc-0.1.0"]})
        self.check_files({f["fileName"][2:]: {c["algorithm"]: c["checksumValue"] for c in f["checksums"]}
                          for f in bill["files"]})
        ids = [e["SPDXID"] for e in bill["packages"] + bill["files"]] + ["SPDXRef-DOCUMENT"]
        self.assertEqual(len(ids), len(set(ids)))
        for one in ids:
            self.assertRegex(one, r"^SPDXRef-[A-Za-z0-9.-]+$")
        for relation in bill["relationships"]:
            self.assertIn(relation["spdxElementId"], ids)
            self.assertIn(relation["relatedSpdxElement"], ids)
        kinds = {r["relationshipType"] for r in bill["relationships"]}
        self.assertEqual(kinds, {"DESCRIBES", "CONTAINS", "GENERATED_FROM", "STATIC_LINK", "BUILD_TOOL_OF"})
        for package in bill["packages"]:
            for field in ("name", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"):
                self.assertTrue(package[field], field)
        library = bill["packages"][0]
        sums = sorted(c["checksumValue"] for f in bill["files"] for c in f["checksums"] if c["algorithm"] == "SHA1")
        self.assertEqual(library["packageVerificationCode"]["packageVerificationCodeValue"],
                         digest("sha1", "".join(sums).encode()))
        model = next(p for p in bill["packages"] if p["SPDXID"] == "SPDXRef-model")
        self.assertEqual(model["checksums"][0]["checksumValue"], digest("sha256", MODEL.read_bytes()))
        self.assertEqual(model["licenseDeclared"], "NOASSERTION")
        kernels = next(p for p in bill["packages"] if p["name"] == "codegen c")
        self.assertEqual(kernels["licenseDeclared"], "Apache-2.0")

    def test_licence_of_a_plugin(self):
        plugin = self.dir / "hello.so"
        run("g++", "-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden", f"-I{SOURCE / 'include'}", SOURCE / "examples/hello-plugin/hello.cpp", "-o",
            plugin)
        for options in ((), ("--isolate",)):
            with self.subTest(options):
                bill = self.export("spdx", "--plugin", plugin, *options)
                code = next(p for p in bill["packages"] if p["name"] == "codegen org.example.hello")
                self.assertEqual(code["licenseDeclared"], "(Apache-2.0)")

    def test_licences_and_time(self):
        bill = self.export("spdx", "--model-licence", "MIT OR Apache-2.0", SOURCE_DATE_EPOCH="1700000000")
        self.assertEqual(bill["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        model = next(p for p in bill["packages"] if p["SPDXID"] == "SPDXRef-model")
        self.assertEqual(model["licenseDeclared"], "MIT OR Apache-2.0")


class CycloneDx(Case):
    def test_document(self):
        bill = self.export("cyclonedx", "--model-licence", "MIT")
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.6"))
        self.assertRegex(bill["serialNumber"], r"^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
        self.assertNotIn("timestamp", bill["metadata"])
        components = bill["components"]
        self.check_files({c["name"]: {h["alg"]: h["content"] for h in c["hashes"]} for c in components if c["type"] == "file"})
        model = next(c for c in components if c["type"] == "machine-learning-model")
        self.assertEqual(model["hashes"][0]["content"], digest("sha256", MODEL.read_bytes()))
        self.assertEqual(model["licenses"], [{"expression": "MIT"}])
        self.assertRegex(model["modelCard"]["modelParameters"]["inputs"][0]["format"], r"^f32\[[0-9,]+\]$")
        references = [c["bom-ref"] for c in components] + [bill["metadata"]["component"]["bom-ref"]]
        self.assertEqual(len(references), len(set(references)))
        for dependency in bill["dependencies"]:
            self.assertLessEqual({dependency["ref"], *dependency["dependsOn"]}, set(references))

    def test_published_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        modules = BUILD / "npm/cyclonedx"
        folder = modules / "node_modules" / SCHEMAS / "res/schema"
        if not folder.is_dir():
            try:
                run("npm", "install", "--silent", "--ignore-scripts", "--omit=optional", "--prefix", modules, SCHEMAS, timeout=120)
            except (AssertionError, subprocess.TimeoutExpired, FileNotFoundError):
                self.skipTest("the schema of CycloneDX is not installed and cannot be")
        schemas = [json.loads(f.read_text()) for f in folder.glob("*.schema.json")]
        schema = next(s for s in schemas if "bom-1.6" in s.get("$id", ""))
        store = {s["$id"]: s for s in schemas if "$id" in s}
        base = schema["$id"].rsplit("/", 1)[0]
        store.update({f"{base}/{f.name}": json.loads(f.read_text()) for f in folder.glob("*.schema.json")})
        store.update({f"{base}/{f.name.replace('.SNAPSHOT', '')}": json.loads(f.read_text())
                      for f in folder.glob("*.SNAPSHOT.schema.json")})
        resolver = jsonschema.RefResolver(schema["$id"], schema, store=store)
        for options in ((), ("--model-licence", "MIT")):
            bill = self.export("cyclonedx", *options, SOURCE_DATE_EPOCH="1700000000")
            jsonschema.Draft7Validator(schema, resolver=resolver).validate(bill)
        bill["components"][0]["type"] = "no such type"
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.Draft7Validator(schema, resolver=resolver).validate(bill)


class Slsa(Case):
    def test_statement(self):
        statement = self.export("slsa=https://ci.example.com/release")
        self.assertEqual(statement["_type"], "https://in-toto.io/Statement/v1")
        self.assertEqual(statement["predicateType"], "https://slsa.dev/provenance/v1")
        self.check_files({s["name"]: s["digest"] for s in statement["subject"]})
        definition = statement["predicate"]["buildDefinition"]
        self.assertEqual(set(definition), {"buildType", "externalParameters", "internalParameters", "resolvedDependencies"})
        self.assertEqual(definition["externalParameters"]["target"], "cortex-m4f")
        self.assertEqual(definition["resolvedDependencies"][0]["digest"]["sha256"], digest("sha256", MODEL.read_bytes()))
        self.assertEqual(statement["predicate"]["runDetails"], {"builder": {"id": "https://ci.example.com/release"}})

    def test_nobody_knows_the_platform_but_the_user(self):
        for form in ("slsa", "slsa=", "slsa=ours", "slsa=https://a b"):
            done = subprocess.run([BYOC, "export", MODEL, "--target", "cortex-m4f", "-q", "-o", self.dir / "x.a", "--sbom", form],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"only you know that (found '{form}', expected slsa=URI", done.stderr)
            self.assertFalse((self.dir / "x.a").exists())


class Outputs(Case):
    def test_same_bytes_again(self):
        texts = []
        for name in ("one", "two"):
            (self.dir / name).mkdir()
            zone = "Pacific/Kiritimati" if name == "two" else "UTC"
            run(BYOC, "export", MODEL, "--name", "v", "--target", "cortex-m4f", "-q", "-o", self.dir / name / "v.a", "--sbom",
                "spdx,cyclonedx,slsa=https://ci.example.com/release", env={**os.environ, "TZ": zone})
            texts.append([(self.dir / name / f"v.{s}.json").read_text() for s in ("spdx", "cdx", "intoto")])
        self.assertEqual(*texts)

    def refused(self, *options, out="v.a"):
        done = subprocess.run([BYOC, "export", MODEL, "--name", "v", "--target", "cortex-m4f", "-q", "-o", self.dir / out,
                               *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual([f.name for f in self.dir.iterdir() if f.name.startswith("v.") and f.suffix != ".onnx"], [])
        return done.stderr

    def test_unknown_form(self):
        self.assertIn("'--sbom': there is no such form (found 'xml', expected spdx, cyclonedx, slsa=URI)",
                      self.refused("--sbom", "xml"))

    def test_licence_that_is_none(self):
        self.assertIn("'--model-licence': has text that it cannot have (found 'free!', expected an SPDX licence expression",
                      self.refused("--sbom", "spdx", "--model-licence", "free!"))

    def test_twice(self):
        self.assertIn("would be written twice", self.refused("--sbom", "spdx,spdx"))

    def test_interpreted(self):
        done = subprocess.run([BYOC, "export", MODEL, "--executor", "interpreted", "-o", self.dir / "v.byocm", "--sbom", "spdx"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("'--sbom': is of what is compiled", done.stderr)

    def test_packed_again(self):
        """A folder with a bill in it is a folder that byoc pack takes, and its bill is of that folder alone."""
        self.export("spdx", out="folder")
        run(BYOC, "pack", self.dir / "folder", "-o", self.dir / "v.a")
        self.assertFalse((self.dir / "v.spdx.json").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
