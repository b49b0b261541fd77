"""One library for several levels of x86-64: the highest that is there runs, in every form and however it is loaded.

usage: multiversion_test.py BYOC [QEMU]

Linked statically and as a shared library, on this machine and on processors that QEMU has; each level also by a call of
its own. Exit code 77: this machine is none of x86-64, or numpy is not there.
"""

import platform
import shutil
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from layers_test import chain, convolution, run, write_graph

if platform.machine() != "x86_64":
    print("skipped: for x86-64")
    sys.exit(77)

MAIN = """#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "m.h"

/* argv[1]: the level whose code is called by its own name; "": the model as programs call it. argv[2]: where the outputs go;
 * then a file for each input. */
static union { unsigned char bytes[M_WORKSPACE_SIZE + 1]; long long align; } workspace __attribute__((aligned(64)));
extern int32_t m_v2_run(const m_inputs_t *, const m_outputs_t *, void *);
extern int32_t m_v3_run(const m_inputs_t *, const m_outputs_t *, void *);
extern int32_t m_v4_run(const m_inputs_t *, const m_outputs_t *, void *);

int main(int argc, char **argv) {
  static unsigned char in[@INPUTS@][1 << 16] __attribute__((aligned(64)));
  static unsigned char out[@OUTPUTS@][1 << 16] __attribute__((aligned(64)));
  static const unsigned sizes[@OUTPUTS@] = {@SIZES@};
  m_inputs_t inputs;
  m_outputs_t outputs;
  int i, status;
  FILE *f;
  for (i = 3; i < argc; ++i) {
    f = fopen(argv[i], "rb");
    if (f == NULL) return 2;
    (void)!fread(in[i - 3], 1, sizeof in[0], f);
    fclose(f);
  }
  for (i = 0; i < @INPUTS@; ++i) ((const void **)&inputs)[i] = in[i];
  for (i = 0; i < @OUTPUTS@; ++i) ((void **)&outputs)[i] = out[i];
  if (argv[1][0] == '2') status = m_v2_run(&inputs, &outputs, workspace.bytes);
  else if (argv[1][0] == '3') status = m_v3_run(&inputs, &outputs, workspace.bytes);
  else if (argv[1][0] == '4') status = m_v4_run(&inputs, &outputs, workspace.bytes);
  else status = m_run(&inputs, &outputs, workspace.bytes);
  if (status != 0) return 3;
  f = fopen(argv[2], "wb");
  for (i = 0; i < @OUTPUTS@; ++i) fwrite(out[i], 1, sizes[i], f);
  fclose(f);
  printf("%d", (int)m_level());
  return 0;
}
"""


def command(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def own_level():
    flags = set(Path("/proc/cpuinfo").read_text().split("flags", 1)[1].splitlines()[0].split())
    levels = {2: {"ssse3", "sse4_1", "sse4_2", "popcnt", "cx16", "lahf_lm"}, 3: {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe", "abm"},
              4: {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}
    best = 0
    for level, needed in levels.items():
        if not needed <= flags:
            break
        best = level
    return best


class Check:
    def __init__(self, byoc, folder):
        self.byoc, self.folder = byoc, folder
        self.model = folder / "m.byoc"
        write_graph(self.model, (convolution, chain, convolution), 5)

    def export(self, out, target="host", levels="v2,v3,v4"):
        command(self.byoc, "export", self.model, "--target", target, "--multiversion", levels, "-q", "--force", "-o",
                self.folder / out)

    def tensors(self):
        """What each level says by itself, and the files of the inputs."""
        import json
        manifest = json.loads((self.folder / "m.json").read_text())
        rng = random.Random(9)
        self.inputs = []
        for i, t in enumerate(manifest["inputs"]):
            import array
            values = array.array("f", [rng.uniform(-1, 1) for _ in range(t["bytes"] // 4)])
            path = self.folder / f"in{i}.raw"
            path.write_bytes(values.tobytes())
            self.inputs.append(path)
        self.sizes = [t["bytes"] for t in manifest["outputs"]]
        self.names = [t["name"] for t in manifest["inputs"]]
        self.expected = {}
        for level, target in ((0, "host"), (2, "x86-64-v2"), (3, "x86-64-v3"), (4, "x86-64-v4")):
            if level > own_level():
                continue
            out = self.folder / f"by{level}"
            given = [f"--input={n}={f}" for n, f in zip(self.names, self.inputs)]
            command(self.byoc, "run", self.model, "--target", target, *given, "--output-dir", out, "-q")
            files = sorted(out.glob("output_*.raw"), key=lambda f: int(f.stem.split("_")[1]))
            self.expected[level] = b"".join(f.read_bytes() for f in files)
        if len(set(self.expected.values())) < 2:
            sys.exit("all levels give the same bits: the model shows nothing")

    def program(self, name, *link):
        text = MAIN.replace("@INPUTS@", str(len(self.inputs))).replace("@OUTPUTS@", str(len(self.sizes)))
        main = self.folder / "main.c"
        main.write_text(text.replace("@SIZES@", ", ".join(map(str, self.sizes))))
        command("cc", "-O1", "-w", "-I", self.folder, main, *link, "-o", self.folder / name, "-lm")
        return self.folder / name

    def found(self, program, forced="", *before):
        out = self.folder / "found.raw"
        level = command(*before, program, forced, out, *self.inputs)
        return int(level), out.read_bytes()

    def expect(self, what, found, level, code):
        if found[0] != level:
            sys.exit(f"{what}: level {found[0]}, expected {level}")
        if code in self.expected and found[1] != self.expected[code]:
            sys.exit(f"{what}: not what level {code} computes by itself")


def main():
    byoc, qemu = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    own = own_level()
    with tempfile.TemporaryDirectory() as temporary:
        check = Check(byoc, Path(temporary))
        check.export("m.a")
        check.tensors()
        programs = {"linked": check.program("linked", check.folder / "m.a"),
                    "static": check.program("static", check.folder / "m.a", "-static"),
                    "position-independent": check.program("pie", check.folder / "m.a", "-pie", "-fPIE")}
        for name, program in programs.items():
            check.expect(name, check.found(program), own, own)
            for level in (2, 3, 4):
                if level <= own:
                    check.expect(f"{name}, called {level}", check.found(program, str(level)), own, level)
        # On processors of QEMU's: those that it has.
        for cpu, level in (("Nehalem", 2), ("Haswell", 3), ("core2duo", 0)):
            if not qemu:
                print("skipped: qemu-x86_64 is not there")
                break
            check.expect(f"QEMU {cpu}", check.found(programs["static"], "", qemu, "-cpu", cpu), level, level)
        # Loaded, and linked as a shared library with its symbols bound to itself.
        given = [f"--input={n}={f}" for n, f in zip(check.names, check.inputs)]
        for out in ("m.so", "m.o", "m.tar"):
            check.export(out)
            folder = check.folder / f"ran_{out}"
            command(byoc, "run", check.folder / out, *given, "--output-dir", folder, "-q")
            files = sorted(folder.glob("output_*.raw"), key=lambda f: int(f.stem.split("_")[1]))
            if b"".join(f.read_bytes() for f in files) != check.expected[own]:
                sys.exit(f"{out}: not what level {own} computes by itself")
        shared = check.folder / "libm_bound.so"
        command("cc", "-shared", "-Wl,-Bsymbolic", "-Wl,--whole-archive", check.folder / "m.a", "-Wl,--no-whole-archive", "-o", shared)
        check.expect("-Bsymbolic", check.found(check.program("bound", shared, f"-Wl,-rpath,{check.folder}")), own, own)
        # Without the levels that the target has itself.
        check.export("m.a", "x86-64-v2", "v2,v3")
        header = (check.folder / "m.h").read_text()
        if "m_level(void)" not in header:
            sys.exit("m.h does not declare m_level()")
        for arguments, said in ((("host", "v5"), "is no level of x86-64"), (("x86-64-v3", "v2"), "is below the target's own level"),
                                (("cortex-m4f", "v3"), "is of x86-64 with an operating system"),
                                (("host", "v3", "--executor", "vm"), "is for the executor aot"),
                                (("host", "v3", "--profile-hook"), "is not with --profile-hook")):
            target, levels, *further = arguments
            done = subprocess.run([byoc, "export", check.model, "--target", target, "--multiversion", levels, "-q", "-o",
                                   check.folder / "bad.a", *further], capture_output=True, text=True)
            if done.returncode == 0 or said not in done.stderr:
                sys.exit(f"{arguments}: expected '{said}', found {done.stderr}")
    print(f"level {own} here, every level by its own name, in .a, .o, .so and .tar")


if __name__ == "__main__":
    main()
