// Compiles what a codegen gave a FakeHost into a program, runs it (natively or in QEMU) and reads back the outputs.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/support/fake_host.hpp"

namespace byoc::test {

// How to compile and run for a target of the tests.
struct Machine {
  TargetSpec target;
  std::vector<std::string> compiler;  // command and flags
  std::string qemu;                   // machine of qemu-system-arm; "" runs natively
  bool is_cxx = false;                // generated C is compiled as C++
};

[[nodiscard]] Machine host_machine(std::string compiler = "cc");
[[nodiscard]] Machine cortex_m4f(bool clang = false);
[[nodiscard]] Machine cortex_m55(bool clang = false);
[[nodiscard]] Machine cortex_m0plus(bool clang = false);

struct RunOptions {
  bool use_overlays = false;        // an output that may start at an input's address does
  std::uint64_t memory_budget = 0;  // not 0: the codegen is asked again, for a plan that takes no more
};

struct RunResult {
  std::string error;  // "" if everything worked: what the compiler or the program said otherwise
  std::map<codegen::ValueId, std::vector<std::byte>> outputs;
  std::uint64_t instructions = 0;  // of all steps, on QEMU; to some dozens
  std::vector<codegen::Step> steps;
};

// Compiles `region` with `codegen`, which hands over C sources, for `machine` and runs it on the bytes of its inputs.
[[nodiscard]] RunResult run_generated(codegen::Codegen& codegen, const codegen::Region& region,
                                      const std::map<codegen::ValueId, std::vector<std::byte>>& inputs,
                                      const Machine& machine, const RunOptions& options = {});

}  // namespace byoc::test
