"""Many exports at once: a run here, and build files for ninja, make and Slurm, which all give the same bytes.

usage: batch_test.py BYOC SOURCE_DIR [unittest arguments]
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish  # noqa: E402

BYOC, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
DEMO = SOURCE / "examples/demo"


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name, "a folder")
        self.dir.mkdir()
        for name in ("vibration_int8.onnx", "vibration_float.onnx"):
            shutil.copy(DEMO / name, self.dir)

    def matrix(self, **fields):
        path = self.dir / "matrix.json"
        path.write_text(json.dumps({"models": ["vibration_int8.onnx", {"model": "vibration_float.onnx", "name": "f"}],
                                    "targets": ["cortex-m4f", "riscv32imc"], **fields}))
        return path

    def done(self, *command, **options):
        result = finish(*command, **options)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def libraries(self, folder="out"):
        return {str(p.relative_to(self.dir / folder)): p.read_bytes() for p in (self.dir / folder).rglob("*.a")}


class Run(Case):
    def test_exports_every_row(self):
        results = self.dir / "results.json"
        shown = self.done(BYOC, "batch", self.matrix(), "--run", "-o", results, cwd=self.dir).stdout
        self.assertIn("4 of 4 exported", shown)
        self.assertEqual(set(self.libraries()), {f"{t}/{m}.a" for t in ("cortex-m4f", "riscv32imc")
                                                 for m in ("vibration_int8", "f")})
        rows = json.loads(results.read_text())["rows"]
        self.assertEqual([(r["name"], r["target"], r["ok"]) for r in rows],
                         [(m, t, True) for m in ("vibration_int8", "f") for t in ("cortex-m4f", "riscv32imc")])
        for r in rows:
            self.assertEqual(r["bytes"], pathlib.Path(r["output"]).stat().st_size)
        # The same as one export by itself.
        alone = self.dir / "alone.a"
        self.done(BYOC, "export", self.dir / "vibration_float.onnx", "--target", "riscv32imc", "--name", "f", "-q", "-o",
                  alone)
        self.assertEqual(alone.read_bytes(), self.libraries()["riscv32imc/f.a"])

    def test_goes_on_after_a_failure(self):
        (self.dir / "broken.tflite").write_text("no model")
        results = self.dir / "results.json"
        matrix = self.matrix(models=["broken.tflite", "vibration_int8.onnx"], targets=["cortex-m4f"],
                             variants={"usual": [], "tight": ["--max-ram", "10"], "odd": ["--nonsense"]})
        done = finish(BYOC, "batch", matrix, "--run", "-o", results, cwd=self.dir)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 of 6 exported", done.stdout)
        self.assertIn("broken.tflite: error: 'cortex-m4f, usual'", done.stderr)
        rows = {(r["name"], r["variant"]): r for r in json.loads(results.read_text())["rows"]}
        self.assertTrue(rows["vibration_int8", "usual"]["ok"])
        self.assertEqual(rows["vibration_int8", "tight"]["cause"], "memory")
        self.assertEqual(rows["broken", "usual"]["cause"], "model")
        self.assertIn("nonsense", rows["vibration_int8", "odd"]["error"])
        self.assertEqual(set(self.libraries()), {"cortex-m4f/usual/vibration_int8.a"})


class Emit(Case):
    def test_all_forms_give_the_same_bytes(self):
        matrix = self.matrix(variants={"balanced": [], "size": ["--optimize", "size"]},
                             exclude=[{"model": "f", "variant": "size"}, {"target": "riscv32imc", "variant": "size"}])
        self.done(BYOC, "batch", matrix, "--run", "-q", cwd=self.dir)
        expected = self.libraries()
        self.assertEqual(len(expected), 5)
        for form, file in (("ninja", "build.ninja"), ("make", "Makefile"), ("slurm", "job.sh")):
            with self.subTest(form):
                shutil.rmtree(self.dir / "out")
                self.done(BYOC, "batch", matrix, "--emit", form, "-o", self.dir / file)
                self.build(form)
                self.assertEqual(self.libraries(), expected)

    def build(self, form):
        if form == "ninja":
            self.done("ninja", cwd=self.dir)
            self.assertIn("no work to do", self.done("ninja", cwd=self.dir).stdout)
            (self.dir / "vibration_float.onnx").touch()
            self.assertIn("[2/2]", self.done("ninja", cwd=self.dir).stdout)
        elif form == "make":
            self.done("make", "-s", "-j3", cwd=self.dir)
            self.assertIn("Nothing to be done", self.done("make", cwd=self.dir).stdout)
        else:
            if shutil.which("shellcheck"):
                self.done("shellcheck", self.dir / "job.sh")
            else:
                print("shellcheck is not installed: the script is run, and not read")
            for row in range(5):
                self.done("bash", self.dir / "job.sh", env={**os.environ, "SLURM_ARRAY_TASK_ID": str(row)})
            self.assertEqual(finish("bash", self.dir / "job.sh", "9").returncode, 2)
            self.assertIn("#SBATCH --array=0-4\n", (self.dir / "job.sh").read_text())

    def test_ninja_knows_descriptions_of_targets(self):
        self.dir = self.dir.rename(self.dir.parent / "plain")  # spaces in a target's name begin options
        shutil.copy(SOURCE / "toolchains/cortex-m4f.json", self.dir / "board.json")
        self.done(BYOC, "batch", self.matrix(targets=["board.json"]), "--emit", "ninja", "-o", self.dir / "build.ninja")
        self.done("ninja", cwd=self.dir)
        (self.dir / "board.json").touch()
        self.assertIn("[2/2]", self.done("ninja", cwd=self.dir).stdout)


class Wrong(Case):
    def test_says_what_is_wrong(self):
        for fields, says in (({"models": 1}, "'models': has the wrong type"), ({"targets": "x"}, "'targets'"),
                             ({"colour": 1}, "'colour'"), ({"variants": []}, "'variants'"), ({"pack": "zip"}, "pack"),
                             ({"output": 3}, "output"), ({"models": [3]}, "a path or an object for each model"), ({"models": None}, "'models': has the wrong type"), ({"models": []}, "has no row"),
                             ({"models": [{"model": "x.onnx", "name": "a-b"}]}, "no C identifier (found 'a-b')"),
                             ({"models": [{"name": "a"}]}, "'model': is missing"),
                             ({"exclude": [{"shape": "x"}]}, "'shape': is not a field of a row in 'exclude'"),
                             ({"exclude": [{}]}, "no row"), ({"variants": {}}, "'variants': is empty"),
                             ({"models": ["a/x.onnx", "b/x.onnx"]}, "two rows have this output"),
                             ({"variants": {"a b": []}}, "no C identifier (found 'a b')"),
                             ({"exclude": 1}, "'exclude'")):
            with self.subTest(says):
                done = finish(BYOC, "batch", self.matrix(**fields), "--run", cwd=self.dir)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("matrix.json: error:", done.stderr)
                self.assertIn(says, done.stderr)
        (self.dir / "matrix.json").write_text("{")
        self.assertIn("is no JSON", finish(BYOC, "batch", self.dir / "matrix.json", "--run").stderr)
        done = finish(BYOC, "batch", self.matrix(options=["a\nb"]), "--emit", "make", "-o", self.dir / "Makefile")
        self.assertIn("the end of a line cannot stand in a build file", done.stderr)
        for name, form in (("w;touch${IFS}PWNED;true${IFS}.onnx", "make"), ("a=b.onnx", "make"), ("a|b.onnx", "make")):
            (self.dir / name).write_bytes(b"")
            done = finish(BYOC, "batch", self.matrix(models=[name]), "--emit", form, "-o", self.dir / "Makefile")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("a build file cannot be told this name", done.stderr)
        for command in (["--emit", "ninja"], [], ["--emit", "cmake", "-o", "x"], ["--run", "--emit", "ninja", "-o", "x"]):
            self.assertEqual(finish(BYOC, "batch", self.matrix(), *command).returncode, 2, command)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
