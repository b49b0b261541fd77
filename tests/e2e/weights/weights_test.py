"""Weights in a file of their own: what is written, that code stays as it is, and a firmware that takes updates.

usage: weights_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish, run  # noqa: E402

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
SCHEMA = SOURCE / "sdk/model/import/tflite/schema.fbs"
KWS, OTHER = MODELS / "ds_cnn_int8.tflite", MODELS / "autoencoder_int8.tflite"
HEADER, SIGNED, CRC = 192, 128, 36
EXAMPLE = SOURCE / "examples/weights-update"
HERE = pathlib.Path(__file__).resolve().parent
P256 = ("EC", "-pkeyopt", "ec_paramgen_curve:P-256")
GNU = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]


def retrained(model, to):
    """The model with other weights: what a training run more leaves, as far as code is concerned."""
    data = bytearray(model.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["flatc", "-o", folder, "--json", "--raw-binary", "--strict-json", SCHEMA, "--", model],
                       check=True, stdout=subprocess.DEVNULL)
        tree = json.loads(pathlib.Path(folder, model.stem + ".json").read_text())
    # Only their bytes are changed: numbers of the rest may lose digits as JSON.
    for tensor in tree["subgraphs"][0]["tensors"]:
        weights = bytes(tree["buffers"][tensor.get("buffer", 0)].get("data", []))
        if tensor["type"] == "INT8" and len(weights) > 64:
            first = data.index(weights)
            for i in range(first, first + len(weights), 5):
                data[i] = (data[i] + 3) % 128
    to.parent.mkdir(exist_ok=True)
    to.write_bytes(data)
    return to


def rescaled(model, to, role, scale):
    """The model with another quantisation of its first input or output: what a new calibration leaves."""
    data = bytearray(model.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["flatc", "-o", folder, "--json", "--raw-binary", "--strict-json", SCHEMA, "--", model],
                       check=True, stdout=subprocess.DEVNULL)
        tree = json.loads(pathlib.Path(folder, model.stem + ".json").read_text())
    graph = tree["subgraphs"][0]
    # As JSON it has lost digits.
    was, found = graph["tensors"][graph[role][0]]["quantization"]["scale"][0], 0
    for at in range(0, len(data) - 3, 4):
        if abs(struct.unpack_from("<f", data, at)[0] - was) < 1e-6:
            struct.pack_into("<f", data, at, scale)
            found += 1
    assert found > 0
    to.write_bytes(data)
    return to


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def byoc(self, *arguments):
        done = finish(BYOC, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def export(self, model, name, *options, target="cortex-m4f", symbol="model"):
        folder = self.dir / name
        folder.mkdir(exist_ok=True)
        self.byoc("export", model, "--target", target, "-o", folder / f"{symbol}.a", "-q", "--name", symbol,
                  "--weights-blob", folder / "w.bin", *options)
        return folder / "w.bin"

    def refused(self, *arguments, says):
        done = finish(BYOC, *arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)

    def key(self, name="key.pem", *algorithm):
        subprocess.run(["openssl", "genpkey", "-algorithm", *(algorithm or ["ed25519"]), "-out", self.dir / name], check=True,
                       stderr=subprocess.DEVNULL)
        return self.dir / name


class File(Case):
    def test_header_says_what_is_in_it(self):
        data = self.export(KWS, "a", "--weights-sequence", 7).read_bytes()
        version, header, flags, sequence, align, size = struct.unpack_from("<HHIIIQ", data, 8)
        offset, crc, payload = struct.unpack_from("<IIQ", data, 32)
        self.assertEqual((data[:8], version, header, flags, sequence), (b"BYOCWTS\0", 1, HEADER, 0, 7))
        self.assertEqual((size, offset % align, size % 64), (len(data), 0, 0))
        head = bytearray(data[:SIGNED])
        head[CRC:CRC + 4] = bytes(4)
        self.assertEqual(crc, zlib.crc32(data[offset:offset + payload], zlib.crc32(head)))
        self.assertEqual(data[64:96].hex(), hashlib.sha256(KWS.read_bytes()).hexdigest())
        self.assertEqual(data[96:128], hashlib.sha256(data[offset:offset + payload]).digest())

    def test_constants_are_in_it_and_not_in_the_library(self):
        data = self.export(KWS, "a").read_bytes()
        shown = json.loads(self.byoc("inspect", "--json", self.dir / "a/w.bin").stdout)["blobs"][0]
        plain = self.dir / "plain.a"
        self.byoc("export", KWS, "--target", "cortex-m4f", "-o", plain, "-q", "--name", "model")
        manifest = json.loads((self.dir / "plain.json").read_text())
        self.assertEqual([c["symbol"] for c in shown["constants"]], [c["symbol"] for c in manifest["constants"]])
        nm = finish("arm-none-eabi-nm", "--defined-only", self.dir / "a/model.a").stdout
        for c in shown["constants"]:
            self.assertNotIn(f" {c['symbol']}\n", nm)
        self.assertIn("model_bind", nm)
        apart = json.loads((self.dir / "a/model.json").read_text())
        self.assertEqual(apart["bound_weights"], {"bytes": shown["payload_bytes"], "layout": shown["layout"]})
        self.assertEqual(apart["constants"], [])
        # The bytes themselves are those that the library would have.
        dump = self.dir / "constants.bin"
        first = shown["constants"][0]
        self.byoc("export", KWS, "--target", "cortex-m4f", "-o", f"{self.dir}/folder/", "-q", "--name", "model")
        subprocess.run(["arm-none-eabi-objcopy", "-O", "binary", f"--only-section=.rodata.{first['symbol']}",
                        self.dir / "folder/lib/model_constants.o", dump], check=True)
        at = shown["payload_offset"] + first["offset"]
        self.assertEqual(dump.read_bytes(), data[at:at + first["bytes"]])

    def test_signature_is_of_the_header(self):
        key = self.key()
        data = self.export(KWS, "a", "--weights-key", key).read_bytes()
        self.assertEqual(struct.unpack_from("<I", data, 12)[0], 1)
        (self.dir / "head").write_bytes(data[:SIGNED])
        (self.dir / "signature").write_bytes(data[SIGNED:HEADER])
        subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", self.dir / "public.pem"], check=True)
        verify = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", self.dir / "public.pem", "-rawin", "-in",
                  self.dir / "head", "-sigfile", self.dir / "signature"]
        self.assertEqual(finish(*verify).returncode, 0)
        (self.dir / "head").write_bytes(data[:SIGNED - 1] + bytes([data[SIGNED - 1] ^ 1]))
        self.assertNotEqual(finish(*verify).returncode, 0)

    def test_intel_hex_is_the_same_file(self):
        plain = self.export(KWS, "a").read_bytes()
        out = self.dir / "w.hex"
        self.byoc("export", KWS, "--target", "cortex-m4f", "-o", self.dir / "m.a", "-q", "--name", "model",
                  "--weights-blob", out, "--weights-address", "0x0801fff8")
        self.assertEqual(self.byoc("inspect", out).stdout, self.byoc("inspect", self.dir / "a/w.bin").stdout)
        subprocess.run(["arm-none-eabi-objcopy", "-I", "ihex", "-O", "binary", out, self.dir / "back.bin"], check=True)
        self.assertEqual((self.dir / "back.bin").read_bytes(), plain)
        subprocess.run(["arm-none-eabi-objcopy", "-I", "ihex", "-O", "elf32-littlearm", out, self.dir / "w.elf"],
                       check=True)
        self.assertIn("0801fff8", finish("arm-none-eabi-objdump", "-h", self.dir / "w.elf").stdout)


class Code(Case):
    def test_stays_as_it_is_when_weights_change(self):
        for target in ("cortex-m4f", "cortex-m55", "riscv32imc"):
            before = self.export(KWS, f"a_{target}", target=target).read_bytes()
            after = self.export(retrained(KWS, self.dir / "new" / KWS.name), f"b_{target}", target=target).read_bytes()
            self.assertNotEqual(before, after)
            self.assertEqual(before[48:64], after[48:64])
            for name in ("model.a", "model.h", "model_example_main.c"):
                self.assertEqual((self.dir / f"a_{target}" / name).read_bytes(),
                                 (self.dir / f"b_{target}" / name).read_bytes(), name)

    def test_other_code_is_another_layout(self):
        layouts = {self.export(KWS, name, *options, target=target).read_bytes()[48:64]
                   for name, options, target in (("a", [], "cortex-m4f"), ("b", [], "cortex-m55"),
                                                 ("c", ["--optimize", "speed"], "cortex-m4f"))}
        layouts.add(self.export(OTHER, "d").read_bytes()[48:64])
        self.assertEqual(len(layouts), 4)

    def test_another_scale_of_an_end_is_another_layout(self):
        """A program has the scales of inputs and outputs compiled in: it must not bind weights of others."""
        for source, role, word in ((KWS, "inputs", "input 0"), (OTHER, "outputs", "output 0")):
            before = self.export(source, f"before_{role}")
            after = self.export(rescaled(source, self.dir / source.name, role, 0.9), f"after_{role}")
            self.assertNotEqual(before.read_bytes()[48:64], after.read_bytes()[48:64], role)
            text = self.byoc("diff", before, after).stdout
            self.assertIn("another layout: code of the one refuses the other", text)
            self.assertRegex(text, rf"{word} '[^']+': i8, scale [\d.e-]+, zero point -?\d+ -> i8, scale 0.9, zero point")
            ends = json.loads(self.byoc("diff", "--json", before, after).stdout)["blobs"][0]["ends"]
            self.assertIn((role[:-1], 0), [(e["role"], e["index"]) for e in ends])
        before = self.dir / "before_inputs/w.bin"
        same = self.byoc("diff", before, self.export(retrained(KWS, self.dir / "new" / KWS.name), "c")).stdout
        self.assertNotIn("scale", same)

    def test_computes_the_same(self):
        for model in ("ds_cnn_int8.tflite", "resnet8_float.onnx", "lstm_int8.tflite", "stream_int8.tflite",
                      "unet_int8_qdq.onnx", "mobilenet_int4.tflite"):
            if not (MODELS / model).exists():
                continue
            for target in ("host", "cortex-m4f"):
                done = self.byoc("run", MODELS / model, "--target", target, "--bind-weights", "--compare", "--fill",
                                 "random:3")
                self.assertIn("agree with the evaluator", done.stdout)

    def test_a_folder_builds_from_its_sources(self):
        folder = self.dir / "folder"
        self.byoc("export", KWS, "--target", "cortex-m4f", "-o", f"{folder}/", "-q", "--name", "model",
                  "--weights-blob", self.dir / "w.bin")
        self.byoc("pack", folder, "-o", self.dir / "packed.a")
        self.assertIn(" T model_bind", finish("arm-none-eabi-nm", self.dir / "packed.a").stdout)


def der_integer(big_endian):
    """A number as DER has it: no leading zeros but for one in front of a set highest bit."""
    value = int.from_bytes(big_endian, "big")
    size = value.bit_length() // 8 + 1
    return b"\x02" + bytes([size]) + value.to_bytes(size, "big")


class Signed(Case):
    """Signatures after the export: by a key here, by a program that has the key, and the check by the public key."""

    def keys(self, name, *kind):
        private, public = self.dir / f"{name}.pem", self.dir / f"{name}.pub"
        subprocess.run(["openssl", "genpkey", "-algorithm", *kind, "-out", private], check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True)
        return private, public

    def signer(self, text):
        program = self.dir / "signer"
        program.write_text("#!/bin/sh\n" + text)
        program.chmod(0o755)
        return program

    def test_both_kinds_of_key(self):
        blob, out = self.export(KWS, "a", "--weights-sequence", 3), self.dir / "signed.bin"
        for name, kind in (("Ed25519", ("ed25519",)), ("ECDSA P-256", P256)):
            private, public = self.keys("own", *kind)
            self.byoc("sign", blob, "--key", private, "-o", out)
            self.assertIn(f"model: sequence 3, signed by this key ({name})",
                          self.byoc("verify", out, "--key", public).stdout)
            self.assertEqual(json.loads(self.byoc("inspect", "--json", out).stdout)["blobs"][0]["signature"], name)
            foreign = self.keys("foreign", *kind)[1]
            self.refused("verify", out, "--key", foreign, says=["has no signature by this key"])
            data = bytearray(out.read_bytes())
            data[HEADER - 1] ^= 1
            (self.dir / "bad.bin").write_bytes(data)
            self.refused("verify", self.dir / "bad.bin", "--key", public, says=["has no signature by this key"])
            # Whoever exports with the key gets what a later signature gives; ECDSA has a random number in it.
            exported = self.export(KWS, "b", "--weights-sequence", 3, "--weights-key", private).read_bytes()
            self.assertEqual(exported[:SIGNED], out.read_bytes()[:SIGNED])
            self.byoc("sign", blob, "--key", f"file:{private}", "-o", self.dir / "by_store.bin")
            self.byoc("verify", self.dir / "by_store.bin", "--key", public)

    def test_p256_is_what_others_verify(self):
        private, public = self.keys("own", *P256)
        data = self.export(KWS, "a", "--weights-key", private).read_bytes()
        self.assertEqual(struct.unpack_from("<I", data, 12)[0], 3)
        both = der_integer(data[SIGNED:SIGNED + 32]) + der_integer(data[SIGNED + 32:HEADER])
        (self.dir / "head").write_bytes(data[:SIGNED])
        (self.dir / "der").write_bytes(b"\x30" + bytes([len(both)]) + both)
        self.assertEqual(finish("openssl", "dgst", "-sha256", "-verify", public, "-signature", self.dir / "der",
                                self.dir / "head").returncode, 0)

    def test_a_program_signs(self):
        blob, out = self.export(KWS, "a"), self.dir / "signed.bin"
        private, public = self.keys("own", *P256)
        signer = self.signer(f'exec openssl dgst -sha256 -sign "{private}" "$1"\n')
        self.byoc("sign", blob, "--signer", signer, "--key", public, "-o", out)
        self.byoc("verify", out, "--key", public)
        edwards, edwards_public = self.keys("edwards", "ed25519")
        signer = self.signer(f'exec openssl pkeyutl -sign -rawin -inkey "{edwards}" -in "$1"\n')
        self.byoc("sign", blob, "--signer", signer, "--key", edwards_public, "-o", out)
        self.byoc("verify", out, "--key", edwards_public)
        self.refused("verify", out, "--key", public, says=["of another kind than the key", "found Ed25519"])
        bad = self.dir / "bad.bin"
        for text, says in (("echo no token >&2; exit 3\n", ["cannot sign", "no token", "exit code 3"]),
                           ("echo none\n", ["wrote no signature"]),
                           ("head -c 64 /dev/zero\n", ["signed with another key than --key says"])):
            self.refused("sign", blob, "--signer", self.signer(text), "--key", edwards_public, "-o", bad, says=says)
        self.assertFalse(bad.exists())

    @unittest.skipUnless(shutil.which("softhsm2-util") and shutil.which("pkcs11-tool"), "softhsm2 or opensc is not installed")
    def test_a_token_signs(self):
        """A key that never leaves its PKCS #11 token, by a URI and by a program."""
        blob, out, module = self.export(KWS, "a"), self.dir / "signed.bin", "/usr/lib/softhsm/libsofthsm2.so"
        (self.dir / "tokens").mkdir()
        (self.dir / "softhsm2.conf").write_text(f"directories.tokendir = {self.dir}/tokens\n")
        tool = ("pkcs11-tool", "--module", module, "--token-label", "release")
        with unittest.mock.patch.dict(os.environ, {"SOFTHSM2_CONF": str(self.dir / "softhsm2.conf")}):
            for command in (("softhsm2-util", "--init-token", "--free", "--label", "release", "--pin", "1234", "--so-pin", "5678"),
                            (*tool, "--login", "--pin", "1234", "--keypairgen", "--key-type", "EC:prime256v1", "--label", "weights",
                             "--id", "01"),
                            (*tool, "--read-object", "--type", "pubkey", "--id", "01", "-o", self.dir / "public.der"),
                            ("openssl", "pkey", "-pubin", "-inform", "DER", "-in", self.dir / "public.der", "-out",
                             self.dir / "public.pem")):
                subprocess.run(command, check=True, capture_output=True)
            public = self.dir / "public.pem"
            self.byoc("sign", blob, "--key", "pkcs11:token=release;object=weights;pin-value=1234", "-o", out)
            self.assertIn("signed by this key (ECDSA P-256)", self.byoc("verify", out, "--key", public).stdout)
            self.refused("sign", blob, "--key", "pkcs11:token=release;object=weights;pin-value=9999", "-o", self.dir / "bad.bin",
                         says=["pin-value=***: error: no private key can be read there"])
            subprocess.run((*tool, "--login", "--pin", "1234", "--keypairgen", "--key-type", "EC:secp384r1", "--label", "other", "--id",
                            "02"), check=True, capture_output=True)
            self.refused("sign", blob, "--key", "pkcs11:token=release;object=other;pin-value=1234", "-o", self.dir / "bad.bin",
                         says=["object=other;pin-value=***: error: is a key of another kind"])
            signer = self.signer(f'openssl dgst -sha256 -binary "$1" > {self.dir}/digest.bin\n'
                                 f'exec {" ".join(tool)} --login --pin 1234 --sign --mechanism ECDSA --id 01 --input-file {self.dir}/digest.bin\n')
            self.byoc("sign", blob, "--signer", signer, "--key", public, "-o", self.dir / "by_program.bin")
            self.byoc("verify", self.dir / "by_program.bin", "--key", public)

    def test_what_is_refused(self):
        blob, out = self.export(KWS, "a"), self.dir / "signed.bin"
        private, public = self.keys("own", *P256)
        self.refused("verify", blob, "--key", public, says=["is not signed"])
        self.refused("verify", blob, "--key", private, says=["cannot be read as a public key", "openssl pkey -pubout"])
        self.refused("verify", blob, says=["--manifest", "of weights --key"])
        (self.dir / "w.hex").write_text("")
        self.refused("sign", self.dir / "w.hex", "--key", private, "-o", out, says=["cannot be signed as Intel HEX"])
        other = self.keys("other", "EC", "-pkeyopt", "ec_paramgen_curve:P-384")[0]
        self.refused("sign", blob, "--key", other, "-o", out, says=["is a key of another kind"])
        self.refused("sign", blob, "--key", "pkcs11:object=none;pin-value=1234", "-o", out,
                     says=["pkcs11:object=none;pin-value=***: error: no private key can be read there"])
        self.assertFalse(out.exists())

    def test_every_blob_of_a_file(self):
        both, out = self.dir / "both.bin", self.dir / "signed.bin"
        both.write_bytes(self.export(KWS, "a", symbol="kws").read_bytes() + self.export(OTHER, "b", symbol="ad").read_bytes())
        private, public = self.keys("own", *P256)
        self.byoc("sign", both, "--key", private, "-o", out)
        text = self.byoc("verify", out, "--key", public).stdout
        self.assertIn("kws: ", text)
        self.assertIn("ad: ", text)


class Refused(Case):
    def test_forms_and_executors_that_do_not_bind(self):
        out = self.dir / "w.bin"
        common = ("export", KWS, "--target", "host", "-q", "--weights-blob", out)
        self.refused(*common, "-o", self.dir / "m.so", says=["--weights-blob", "loaders of this form", ".a, .o"])
        self.refused(*common, "-o", self.dir / "m.tar", says=["--weights-blob", "loaders of this form"])
        self.refused(*common, "-o", self.dir / "m.a", "--executor", "graph",
                     says=["is for executors that bind constants (found graph, expected aot, vm or interpreted)"])
        self.assertFalse(out.exists())

    def test_options_without_a_file(self):
        for option, value in (("--weights-key", "k.pem"), ("--weights-sequence", 1), ("--weights-address", 16)):
            self.refused("export", KWS, "--target", "host", "-q", "-o", self.dir / "m.a", option, value,
                         says=[option, "there is none", "--weights-blob"])
        self.refused("export", KWS, "--target", "host", "-q", "-o", self.dir / "m.a", "--weights-blob",
                     self.dir / "w.bin", "--weights-address", 16, says=["only Intel HEX has addresses"])

    def test_keys_that_are_none(self):
        common = ("export", KWS, "--target", "host", "-q", "-o", self.dir / "m.a", "--weights-blob", self.dir / "w.bin",
                  "--weights-key", self.dir / "key.pem")
        (self.dir / "key.pem").write_text("no key\n")
        self.refused(*common, says=["key.pem", "cannot be read as a key", "openssl genpkey"])
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:x", "-out",
                        self.dir / "key.pem"], check=True)
        self.refused(*common, says=["found a key with a pass phrase"])
        subprocess.run(["openssl", "genpkey", "-algorithm", "x25519", "-out", self.dir / "key.pem"], check=True)
        self.refused(*common, says=["is a key of another kind", "X25519"])
        self.assertFalse((self.dir / "w.bin").exists())

    def test_no_constant_that_could_leave(self):
        model = self.dir / "empty.byoc"
        model.write_text('graph "g" {\n  input %x : f32[4]\n  %y = Relu.13(%x)\n  output %y\n}\n')
        self.refused("export", model, "--target", "host", "-q", "-o", self.dir / "m.a", "--weights-blob",
                     self.dir / "w.bin", says=["no constant of the model can leave the library"])

    def test_damaged_files(self):
        good = self.export(KWS, "a").read_bytes()
        offset = struct.unpack_from("<I", good, 32)[0]
        for damage, says in (
                (lambda d: d[:100], "cut off in a header"), (lambda d: d[:2000], "is cut off, or its header is damaged"),
                (lambda d: d[:8] + b"\x02\x00" + d[10:], "weights of another version"),
                (lambda d: d[:offset + 9] + bytes([d[offset + 9] ^ 4]) + d[offset + 10:], "its CRC32 is another one"),
                (lambda d: d[:100] + bytes([d[100] ^ 4]) + d[101:], "its CRC32 is another one"),
                (lambda d: d + b"x", "has bytes behind its last blob"),
                (lambda d: d.replace(b'{"model"', b'{"modem"'), "directory"),
                (lambda d: re.sub(rb'"offset":\d{5},', b'"offset":99999,', d), "is not in the payload")):
            (self.dir / "bad.bin").write_bytes(damage(good))
            self.refused("diff", self.dir / "bad.bin", self.dir / "a/w.bin", says=["bad.bin", says])
        self.refused("diff", KWS, self.dir / "a/w.bin", says=["is no file of weights (found a TFLite model", "--weights-blob"])
        # Behind the payload everything may be cut off.
        (self.dir / "short.bin").write_bytes(good[:offset + struct.unpack_from("<Q", good, 40)[0]])
        self.byoc("inspect", self.dir / "short.bin")

    def test_damaged_hex(self):
        hex_file = self.dir / "w.hex"
        self.byoc("export", KWS, "--target", "cortex-m4f", "-o", self.dir / "m.a", "-q", "--weights-blob", hex_file)
        text = hex_file.read_text()
        for damage, says in ((lambda t: t.replace("00", "01", 3), "line 1"), (lambda t: t[:-20], "Intel HEX"),
                             (lambda t: "\n".join(t.split("\n")[:-2]), "no record of the end"),
                             (lambda t: ":00000006FA\n" + t, "is a record that Intel HEX does not have (found type 6, expected type 0 to 5)"),
                             (lambda t: t.replace(":00000001FF", ":020000044000BA\n:0100000000FF\n:00000001FF"),
                              "has gaps between its addresses")):
            (self.dir / "bad.hex").write_text(damage(text))
            self.refused("diff", self.dir / "bad.hex", hex_file, says=["bad.hex", says])
        # Segments and a start address, as objcopy writes for a memory of less than a megabyte.
        (self.dir / "low.hex").write_text(":020000021000EC\n:0400000300000000F9\n" + text)
        self.byoc("diff", self.dir / "low.hex", hex_file)

    def test_a_library_that_would_have_to_bind_is_not_run(self):
        self.export(KWS, "a", target="host")
        self.refused("run", self.dir / "a/model.a", says=["its weights are a file of their own", "--bind-weights"])


class Difference(Case):
    def test_says_what_changed_and_makes_a_delta(self):
        old = self.export(KWS, "a")
        new = self.export(retrained(KWS, self.dir / "new" / KWS.name), "b", "--weights-sequence", 1)
        delta = self.dir / "update.delta"
        text = self.byoc("diff", old, new, "-o", delta).stdout
        self.assertIn("the same layout", text)
        self.assertIn("sequence 0 -> 1", text)
        self.assertRegex(text, r"model_conv_0_weights \(i8, \d+ bytes\): changed, \d+ bytes differ")
        shown = json.loads(self.byoc("diff", "--json", old, new).stdout)["blobs"][0]
        a, b = old.read_bytes(), new.read_bytes()
        first, size = struct.unpack_from("<I", a, 32)[0], struct.unpack_from("<Q", a, 40)[0]
        changed = sum(x != y for x, y in zip(a[first:first + size], b[first:first + size]))
        self.assertEqual(shown["changed_bytes"], changed)
        self.assertEqual(sum(c["changed_bytes"] for c in shown["constants"]), changed)
        self.byoc("diff", old, delta, "--apply", "-o", self.dir / "made.bin")
        self.assertEqual((self.dir / "made.bin").read_bytes(), b)
        self.refused("diff", new, delta, "--apply", "-o", self.dir / "x", says=["a delta of another file"])
        self.refused("diff", old, KWS, "--apply", "-o", self.dir / "x", says=["is no delta of weights"])
        data = delta.read_bytes()
        delta.write_bytes(data[:200] + bytes([data[200] ^ 1]) + data[201:])
        self.refused("diff", old, delta, "--apply", "-o", self.dir / "x", says=["'delta of weights': is damaged"])
        delta.write_bytes(data[:8] + b"\x02" + data[9:])
        self.refused("diff", old, delta, "--apply", "-o", self.dir / "x", says=["'delta of weights': is of another version"])
        # More than records and the old file give.
        body = data[32:40] + struct.pack("<I", 0xFFFFFFFF) + data[44:]
        delta.write_bytes(data[:12] + struct.pack("<I", zlib.crc32(body)) + data[16:32] + body)
        self.refused("diff", old, delta, "--apply", "-o", self.dir / "x", says=["is a damaged delta"])
        self.assertFalse((self.dir / "x").exists())

    def test_a_small_change_is_a_small_delta(self):
        old = self.export(KWS, "a").read_bytes()
        new = self.export(KWS, "b", "--weights-sequence", 1)
        self.byoc("diff", self.dir / "a/w.bin", new, "-o", self.dir / "d")
        self.assertLess((self.dir / "d").stat().st_size, 200)
        self.assertGreater(len(old), 20000)

    def test_models_and_layouts(self):
        a, b = self.export(KWS, "a", symbol="kws"), self.export(OTHER, "b", symbol="ad")
        both = self.dir / "both.bin"
        both.write_bytes(a.read_bytes() + b.read_bytes())
        text = self.byoc("diff", a, both).stdout
        self.assertIn("ad: only in the second file", text)
        self.assertIn("kws: only in the first file", self.byoc("diff", both, b).stdout)
        self.assertEqual(len(json.loads(self.byoc("inspect", "--json", both).stdout)["blobs"]), 2)
        c = self.export(KWS, "c", "--optimize", "speed", symbol="kws")
        self.assertIn("another layout", self.byoc("diff", a, c).stdout)


class Firmware(Case):
    """examples/weights-update in QEMU: one image, and slots that are written without it."""

    def build(self, model, key, *options):
        """The example, which trusts the key, and the model's first weights."""
        self.slot = {"A": self.export(model, "a", *options)}
        public = subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"], check=True,
                                stdout=subprocess.PIPE).stdout[-32:]
        (self.dir / "a/public_key.inc").write_text(", ".join(map(str, public)) + "\n")
        return self.link(*(EXAMPLE / f for f in ("main.c", "ed25519.c", "sha2.c")), self.dir / "a/model.a")

    def link(self, main, *libraries_and_options):
        firmware, elf = SOURCE / "examples/firmware", self.dir / "firmware.elf"
        run(*GNU, "-Os", "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", firmware, "-I", self.dir / "a", main,
            firmware / "console.c", firmware / "startup.c", *libraries_and_options, "-nostartfiles", "-T",
            firmware / "mps2-an386.ld", "-Wl,--gc-sections", "-lm", "-o", elf)
        return elf

    def boot(self, elf, a=None, b=None, least=0):
        command = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", str(elf)]
        for address, data in ((0x200000, a), (0x280000, b), (0x2f0000, struct.pack("<I", least))):
            if data is not None:
                path = self.dir / f"slot_{address:x}.bin"
                path.write_bytes(data)
                command += ["-device", f"loader,file={path},addr={address:#x},force-raw=on"]
        done = finish(*command, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = done.stdout + done.stderr  # semihosting writes to the latter
        return {k.strip(): int(v) for k, v in re.findall(r"^([\w ]+): *(\d+)", said, re.MULTILINE)}

    def test_takes_an_update_and_refuses_what_is_damaged(self):
        key = self.key()
        elf = self.build(KWS, key, "--weights-key", key)
        a = self.slot["A"].read_bytes()
        newer = self.export(retrained(KWS, self.dir / "new" / KWS.name), "b", "--weights-key", key, "--weights-sequence", 1)
        b = newer.read_bytes()
        self.assertEqual((self.dir / "a/model.a").read_bytes(), (self.dir / "b/model.a").read_bytes())
        only_a = self.boot(elf, a)
        self.assertEqual((only_a["run before binding"], only_a["slot A"], only_a["slot B"]), (108, 0, 101))
        self.assertEqual((only_a["slots"], only_a["chosen"], only_a["run"]), (0, 0, 0))
        damaged = bytearray(b)
        damaged[5000] ^= 0x10
        beside = self.boot(elf, a, bytes(damaged))
        self.assertEqual((beside["slot B"], beside["chosen"], beside["answer"]), (106, 0, only_a["answer"]))
        both = self.boot(elf, a, b)
        self.assertEqual((both["slot A"], both["slot B"], both["chosen"]), (0, 0, 1))
        self.assertNotEqual(both["answer"], only_a["answer"])
        # No way back: what is older than the number in flash is refused, whatever else there is.
        self.assertEqual(self.boot(elf, a, b, least=1)["chosen"], 1)
        rollback = self.boot(elf, a, least=1)
        self.assertEqual((rollback["slot A"], rollback["run"]), (107, 108))
        # What the other model's weights compute is what the other model computes.
        self.assertEqual(self.boot(elf, b)["answer"], both["answer"])

    def test_takes_only_what_its_key_signed(self):
        ours = self.key()
        elf = self.build(KWS, ours)
        unsigned, signed = self.slot["A"], self.dir / "signed.bin"
        for refused, key in ((False, ours), (True, self.key("foreign.pem")), (True, self.key("p256.pem", *P256))):
            with self.subTest(key=key.name):
                self.byoc("sign", unsigned, "--key", key, "-o", signed)
                said = self.boot(elf, signed.read_bytes())
                self.assertEqual((said["slot A"], said["run"]), (107, 108) if refused else (0, 0))
        self.byoc("sign", unsigned, "--key", ours, "-o", signed)
        for at in (SIGNED, SIGNED + 63):  # R and S
            damaged = bytearray(signed.read_bytes())
            damaged[at] ^= 0x10
            self.assertEqual(self.boot(elf, bytes(damaged))["slot A"], 107)

    def test_the_payload_is_the_one_that_was_signed(self):
        key = self.key()
        elf = self.build(KWS, key, "--weights-key", key)
        other = bytearray(self.slot["A"].read_bytes())
        before = zlib.crc32(other[SIGNED:])
        # The polynomial of CRC-32, the lowest bit of a byte first: no CRC sees it.
        for i, byte in enumerate(int(f"{0x104c11db7:033b}"[::-1], 2).to_bytes(5, "little")):
            other[5000 + i] ^= byte
        self.assertEqual(zlib.crc32(other[SIGNED:]), before)
        self.assertEqual(self.boot(elf, bytes(other))["slot A"], 107)

    def test_signatures_as_others_make_and_judge_them(self):
        program = self.dir / "verify"
        run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-fsanitize=undefined", "-fno-sanitize-recover", "-I", EXAMPLE,
            HERE / "verify_file.c", EXAMPLE / "ed25519.c", EXAMPLE / "sha2.c", "-o", program)
        order = 2 ** 252 + 27742317777372353535851937790883648493
        for size in (1, 47, 48, 63, 64, 111, 112, 128, 1000):  # with the 64 bytes before it: about the ends of blocks
            message, key = random.Random(size).randbytes(size), self.key()
            paths = [self.dir / name for name in ("public", "signature", "message")]
            der = subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"], check=True, stdout=subprocess.PIPE)
            paths[0].write_bytes(der.stdout[-32:])
            paths[2].write_bytes(message)
            run("openssl", "pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", paths[2], "-out", paths[1])
            good = paths[1].read_bytes()
            # The same number modulo the order would be another signature of the message.
            larger = (int.from_bytes(good[32:], "little") + order).to_bytes(32, "little")
            for signature, is_right in ((good, 1), (good[:32] + larger, 0), (bytes([good[0] ^ 1]) + good[1:], 0),
                                        (b"\xff" * 32 + good[32:], 0)):
                paths[1].write_bytes(signature)
                self.assertEqual(run(program, *paths).split(),
                                 [hashlib.sha256(message).hexdigest(), hashlib.sha512(message).hexdigest(), str(is_right)])

    def evaluated(self, symbol, model):
        """The answer that two_models.c gives for the model."""
        size = re.search(r"#define \w+_INPUT_\w+_SIZE (\d+)", (self.dir / f"a/{symbol}.h").read_text()).group(1)
        data = self.dir / "input.raw"
        data.write_bytes(bytes(i * 7 & 255 for i in range(int(size))))
        self.byoc("run", model, "--executor", "interpreted", "--input", data, "--output-dir", self.dir / "out", "-q")
        total = 0
        for byte in (self.dir / "out/output_0.raw").read_bytes().ljust(4096, b"\0"):
            total = (31 * total + byte) & 0xffffffff
        return total & 0xffffff

    def test_two_models_bind_one_file(self):
        models = {"one": KWS, "two": OTHER}
        both = b"".join(self.export(model, "a", symbol=name).read_bytes() for name, model in models.items())
        elf = self.link(HERE / "two_models.c", *(self.dir / f"a/{name}.a" for name in models))
        said = self.boot(elf, both)
        self.assertEqual([said[what] for what in ("bind one", "unbound two", "bind two", "run one", "run two")],
                         [0, 108, 0, 0, 0])
        self.assertEqual([said[f"answer {name}"] for name in models], [self.evaluated(*each) for each in models.items()])

    def test_says_what_is_wrong(self):
        elf = self.build(KWS, self.key())
        a = self.slot["A"].read_bytes()
        other = self.export(OTHER, "c").read_bytes()
        offset = struct.unpack_from("<I", a, 32)[0]
        self.assertEqual(self.boot(elf, a)["slot A"], 107)  # not signed: the firmware's own check
        self.assertEqual(self.boot(elf, other)["slot A"], 104)
        self.assertEqual(self.boot(elf, other + a)["slot A"], 107)  # found behind another model's
        self.assertEqual(self.boot(elf, b"\xff" * 4096)["slot A"], 101)
        self.assertEqual(self.boot(elf, a[:8] + b"\x02" + a[9:])["slot A"], 102)
        self.assertEqual(self.boot(elf, a[:offset + 3] + b"\0" * 8 + a[offset + 11:])["slot A"], 106)
        far = bytearray(a)
        struct.pack_into("<I", far, 32, 0x7ff00)
        self.assertEqual(self.boot(elf, bytes(far))["slot A"], 103)
        self.assertEqual(self.boot(elf, a)["run"], 108)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
