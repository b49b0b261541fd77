"""Text tests: %byoc is the tool, %t a scratch file, %S the test's folder. docs/testing.md says how to write one."""

import os

import lit.formats

config.name = "byoc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.test_source_root = config.source_root
config.test_exec_root = config.binary_root
config.substitutions += [
    ("%byoc", config.byoc),
    ("%models", config.source_root + "/../../examples/demo"),
]
# FileCheck, not, count
config.environment["PATH"] = "/usr/lib/llvm-19/bin" + os.pathsep + os.environ["PATH"]
if config.sanitized:
    config.available_features.add("sanitized")
