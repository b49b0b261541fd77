// The program around the model: its fixed source files (firmware/) and the C generated for one model.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byoc/interface.hpp"

namespace byoc {

// {file name, text} of firmware/.
std::span<const std::pair<std::string_view, std::string_view>> firmware_files();

// One piece of dump.bin: `tensor` was written with `bytes` bytes from its first element on.
struct DumpPiece {
  std::uint32_t step = 0;
  const StoredTensor* tensor = nullptr;  // in the ModelInterface
  std::uint64_t bytes = 0;
};

// The tensors that can be dumped, in the order of dump.bin.
[[nodiscard]] std::vector<DumpPiece> dump_pieces(const ModelInterface&);

// The way in which the program around the model runs it.
struct RunPlan {
  bool traced = false;   // with room for a count of each step
  std::size_t runs = 1;  // of one instance, one after the other
  bool reset = false;    // before each run but the first
  bool watched = false;  // step by step, each in memory of its own (firmware/watch.c), instead of a run
  bool fed = false;      // watched, with feed.bin
};

// A variable of model_glue.c that belongs into a RAM pool beside the first: a workspace, or the instance.
struct PoolVariable {
  std::string name;  // "workspace_dtcm"
  std::string pool;
  std::uint64_t bytes = 0;
  [[nodiscard]] std::string section() const { return ".bss." + name; }
};
[[nodiscard]] std::vector<PoolVariable> pool_variables(const ModelInterface&);

// Both include the model's header by this name.
inline constexpr const char* kModelHeader = "model.h";

// model_glue.c: buffers, tables and calls behind firmware/harness.h.
[[nodiscard]] std::string model_glue(const ModelInterface&, const RunPlan&, const std::vector<DumpPiece>& dumps);

// A header of a library whose own is not there: pointers without their types.
[[nodiscard]] std::string model_header(const ModelInterface&);

// model_stub.c: defines the model's functions with nothing in them.
[[nodiscard]] std::string model_stub(const ModelInterface&);

}  // namespace byoc
