#!/usr/bin/env python3
"""What `byoc check-plugin` says of what it ran: the table of what was claimed, what was claimed and never run, models of the
user's, a target that the plug-in takes, and libraries that its steps name."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BYOC = PLUGIN = MODELS = None

# Negates floats, or does more with them, for one target or for any, by a library of this machine's if it is told so.
SMALL = """
#include <stdexcept>
#include "byoc/plugin.hpp"
class Small final : public byoc::PluginCodegen {
 public:
  explicit Small(const byoc::PluginContext& context) : PluginCodegen(context) {
    if (REFUSES(target.name)) throw std::runtime_error("no floats there");
  }
  Verdict verdict(const Region& model, const Node& node) const override {
    if (node.domain == "" && expression(node.op) && model.nodes.size() >= LEAST_NODES && model.values[node.inputs[0]].dtype == byoc::DType::f32) return claim();
    return refuse(Reason::unsupported_op, "only Neg");
  }
  static const char* expression(std::string_view op) {
    if (op == "Neg") return "-in0[i]";
    if (!MORE) return nullptr;
    if (op == "Abs") return "in0[i] < 0 ? -in0[i] : in0[i]";
    if (op == "Relu") return "in0[i] < 0 ? 0 : in0[i]";
    return op == "Reciprocal" ? "1 / in0[i]" : nullptr;
  }
  bool compile(const Request& request, Host& host) override {
    byoc::CFile file(request, host, "small");
    if (LIBRARY[0] != 0) {
      host.artifact({byoc::codegen::ArtifactKind::link_library, LIBRARY}, {});
      file.append("extern const char* zlibVersion(void);\\n");
    }
    for (const Region& region : request.regions)
      for (std::uint32_t n = 0; n < region.nodes.size(); ++n) {
        const Node& node = region.nodes[n];
        Step step;
        step.inputs = {{node.inputs[0]}};
        step.outputs = {{node.outputs[0]}};
        step.nodes = {n};
        const std::string count = std::to_string(region.values[node.inputs[0]].elements());
        file.add(region, step, "  for (long i = 0; i < " + count + "; ++i) out0[i] = " + expression(node.op) + ";\\n" +
                                   (LIBRARY[0] != 0 ? "  if (zlibVersion()[0] == 0) return 1;\\n" : ""));
      }
    file.finish();
    return true;
  }
};
BYOC_PLUGIN(Small, {.id = "test.small", .name = "Small", .vendor = "byoc", .version = "1", .license = "MIT"});
"""


def check(*words):
    return subprocess.run([BYOC, "check-plugin", *map(str, words)], capture_output=True, text=True)


class Coverage(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)

    def build(self, refuses='(name) == "nowhere"', library="", least_nodes=1, more=False):
        (self.dir / "small.cpp").write_text(f'#define REFUSES(name) ({refuses})\n#define LIBRARY "{library}"\n'
                                            f"#define LEAST_NODES {least_nodes}\n#define MORE {int(more)}\n" + SMALL)
        subprocess.run(["g++", "-std=c++20", "-Wall", "-O1", "-fPIC", "-shared", "-fvisibility=hidden",
                        "-fvisibility-inlines-hidden", f"-I{SOURCE}/include", self.dir / "small.cpp", "-o",
                        self.dir / "small.so"], check=True)
        return self.dir / "small.so"

    def test_table(self):
        done = check(self.build(), "--only", "coverage", "--graphs", "3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\nclaimed and run\n  Neg f32: \d+ of \d+ nodes, \d+ of \d+ forms\n")

    # Whatever it claims of graphs of all kinds is run by itself, too, however few graphs of its own it has.
    def test_every_form_that_is_claimed_is_run(self):
        done = check(self.build(more=True), "--only", "coverage", "--graphs", "0", "--shapes", "0", "--strict")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = re.findall(r"\n  \w+ f32: \d+ of \d+ nodes, (\d+) of (\d+) forms", done.stdout)
        self.assertGreaterEqual(sum(int(run) for run, _ in lines), 4, done.stdout)
        for run, claimed in lines:
            self.assertEqual(run, claimed, done.stdout)

    # One that it takes only beside others cannot be run alone.
    def test_claimed_and_never_run(self):
        few = (self.build(least_nodes=2, more=True), "--only", "coverage", "--graphs", "0", "--shapes", "0")
        done = check(*few)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"warning: \w+ f32 is claimed and was never run with: the operator itself\n")
        done = check(*few, "--strict")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"V4: \w+ f32 is claimed and was never run with: the operator itself\n")

    def test_models(self):
        model = MODELS / "ds_cnn_int8.tflite"
        options = ("--only", "agreement", "--only", "coverage", "--graphs", "0", "--shapes", "0", "--model", model)
        done = check(PLUGIN, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = check(PLUGIN, "--plugin-option", "test.faulty.fault=conv-1x1", *options)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("ds_cnn_int8.tflite, region 1", done.stdout)
        done = check(self.build(), *options)
        self.assertIn("warning: a model was not run: ", done.stdout)
        self.assertIn("the plug-in claims nothing of this model", done.stdout)

    def test_a_target_that_it_takes(self):
        small = ("--only", "agreement", "--graphs", "2", "--shapes", "1")
        done = check(self.build('(name) != "cortex-m3"'), *small)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("note: the plug-in refuses target 'host'; it is checked for 'cortex-m3'", done.stderr)
        self.assertIn("target cortex-m3\n", done.stdout)
        done = check(self.build("true"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("O2: it creates no codegen", done.stdout)
        self.assertIn("target host\n", done.stdout)

    def test_a_library_that_steps_name(self):
        done = check(self.build(library="z"), "--only", "agreement", "--graphs", "2", "--shapes", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--byoc", required=True, type=os.path.abspath)
    parser.add_argument("--plugin", required=True, type=os.path.abspath)
    parser.add_argument("--models", required=True, type=lambda p: Path(p).absolute())
    arguments, rest = parser.parse_known_args()
    BYOC, PLUGIN, MODELS = arguments.byoc, arguments.plugin, arguments.models
    unittest.main(argv=sys.argv[:1] + rest)
