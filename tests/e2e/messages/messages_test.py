"""Mistakes that newcomers make, and the answers: the whole of them, word by word.

usage: messages_test.py BYOC SOURCE_DIR [unittest arguments]

Each row has a command line, the exit code, and the lines on standard error. "*" stands for any text; files of a command
line are in its working folder. Other tests hold the same messages by their kind; here is what a person sees.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

BYOC, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
HELP = "note: byoc export --help has its options"
SUFFIXES = ".a, .o, .so, .tar or a folder (name/)"

ROWS = [
    ("a command", "exprot", 2,
     ["error: 'exprot': is not a command of byoc; did you mean export? (expected export, run, *, completion)",
      "note: byoc --help says what they do"]),
    ("nothing but a model", "export kws.onnx", 2, ["error: 'export': --target and --output are missing", HELP]),
    ("an option", "export kws.onnx -t cortex-m4f -o k.a --taget x", 2,
     ["error: '--taget': is not an option of export; did you mean --target?", HELP]),
    ("an option in the place of one that is needed", "export kws.onnx --taget cortex-m4f -o k.a", 2,
     ["error: '--taget': is not an option of export; did you mean --target?", HELP]),
    ("a choice", "export kws.onnx -t cortex-m4f --optimize fast -o k.a", 2,
     ["error: '--optimize': has an unknown value (found 'fast', expected balanced, size or speed)", HELP]),
    ("the other spelling", "export kws.onnx -t cortex-m4f --optimise speed -q -o k.a", 0, []),
    ("a chip without its last letters", "export kws.onnx -t stm32f446 -o k.a", 1,
     ["error: unknown target; did you mean stm32f446re? (found 'stm32f446', expected *, a chip or board of byoc targets, *"]),
    ("a chip that byoc does not know", "export kws.onnx -t attiny85 -o k.a", 1,
     ["error: unknown target (found 'attiny85', expected *, a chip or board of byoc targets, *"]),
    ("a model of Keras", "export m.keras -t cortex-m4f -o k.a", 1,
     ["m.keras: error: is a Keras model, and byoc reads ONNX and TFLite (expected a .tflite of "
      "tf.lite.TFLiteConverter.from_keras_model(*"]),
    ("an older model of Keras", "export m.h5 -t cortex-m4f -o k.a", 1,
     ["m.h5: error: is an HDF5 file, as Keras writes models, and byoc reads ONNX and TFLite (expected a .tflite of "
      "tf.lite.TFLiteConverter.from_keras_model(*"]),
    ("a text", "export notes.txt -t cortex-m4f -o k.a", 1,
     ["notes.txt: error: is not an ONNX model, or a truncated one: a field is damaged or runs past the end of its "
      "message"]),
    ("C sources as one file", "export kws.onnx -t cortex-m4f -o x.c", 1,
     [f"x.c: error: the output has an unknown suffix (found .c, expected {SUFFIXES}; a folder has C sources: x/)"]),
    ("another suffix", "export kws.onnx -t cortex-m4f -o x.lib", 1,
     [f"x.lib: error: the output has an unknown suffix (found .lib, expected {SUFFIXES})"]),
    ("a folder that is not there", "export kws.onnx -t cortex-m4f -q -o none/deeper/x.a", 0, []),
    ("a library where a folder is packed", "pack k.a -o p.a", 2,
     ["error: 'FOLDER': 'k.a' is a file (expected a folder, as 'byoc export ... -o kws/' writes it)",
      "note: byoc pack --help has its options"]),
    ("less flash than is needed", "export kws.onnx -t cortex-m4f --max-flash 1KiB -o k.a", 1,
     ["kws.onnx: error: the library does not fit into memory pool 'flash' of target 'cortex-m4f' (found * bytes, code *, "
      "constants *, expected at most 1024 bytes, * fewer)"]),
    ("more RAM than any chip of the core has", "export huge.byoc -t cortex-m4f -q -o h.a", 0,
     ["huge.byoc: warning: the model needs more RAM than any chip with a cortex-m4f that byoc knows (found 2,400,016 bytes, "
      "expected at most *,* bytes, those of *)"]),
    ("more RAM than the chip has", "export huge.byoc -t stm32f446re -q -o h.a", 0,
     ["huge.byoc: warning: the model needs more RAM than stm32f446re has (found 2,400,016 bytes, expected at most 131,072 "
      "bytes)"]),
    ("an operator that nobody has", "export custom.byoc -t cortex-m4f -o k.a", 1,
     ["custom.byoc: error: 'tflite.mine': no codegen supports operator mine: c: the c backend has no operator tflite.mine; "
      "llvm: the llvm backend has no operator tflite.mine (expected a plug-in that has it: docs/writing-a-codegen.md)"]),
    ("a run to compare with alone", "report one.json", 1,
     ["error: 'report': two saved runs are needed (found one, expected BEFORE.json AFTER.json, which byoc run --stats wrote, "
      "or the command from-log)"]),
]

FILES = {
    "notes.txt": b"hello world\n",
    "k.a": b"!<arch>\n",
    "m.h5": b"\x89HDF\r\n\x1a\n" + bytes(20),
    "huge.byoc": b'graph "huge" {\n  input %x "x" : f32[1,300000]\n  %y = Relu.14(%x)\n  output %y\n}\n',
    "custom.byoc": b'graph "m" {\n  input %x "x" : f32[1,4]\n  %y : f32[1,4] = tflite.mine.1(%x)\n  output %y\n}\n',
}


def is_line(line, pattern):
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), line) is not None


class Messages(unittest.TestCase):
    def folder(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        shutil.copy(SOURCE / "examples/demo/vibration_int8.onnx", folder / "kws.onnx")
        for name, content in FILES.items():
            (folder / name).write_bytes(content)
        with zipfile.ZipFile(folder / "m.keras", "w") as keras:
            keras.writestr("metadata.json", "{}")
            keras.writestr("model.weights.h5", "x")
        return folder

    def test_rows(self):
        for name, command, code, lines in ROWS:
            with self.subTest(name):
                done = subprocess.run([BYOC, *command.split()], cwd=self.folder(), text=True, capture_output=True,
                                      stdin=subprocess.DEVNULL, timeout=120, check=False)
                said = done.stderr.splitlines()
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(len(said), len(lines), done.stderr)
                for line, pattern in zip(said, lines):
                    self.assertTrue(is_line(line, pattern), f"found    {line}\nexpected {pattern}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
