// The calls of a graph.json, with their arguments made once: packed functions (byoc/rt/packed.h) and copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/rt/packed.h"
#include "sdk/run/calls/model_functions.hpp"

namespace byoc::calls {

// An argument of a packed function: the beginning of a buffer.
struct PackedTensor {
  std::uint32_t buffer = 0;
  std::uint8_t code = 0, bits = 0;
  std::uint16_t lanes = 1;
  std::vector<std::int64_t> shape;
};
// Nullopt on overflow.
[[nodiscard]] std::optional<std::uint64_t> bytes_of(const PackedTensor&);

struct PackedCall {
  std::string function;                // "": the second tensor becomes a copy of the first
  std::vector<std::uint32_t> tensors;  // of the graph's
};

class PackedCalls {
 public:
  PackedCalls() = default;
  PackedCalls(PackedCalls&&) = delete;  // arguments point into it

  // Gives the calls whose function the library does not have. Tensors and buffers are in range, copies of one size.
  [[nodiscard]] std::vector<std::size_t> load(const Find& find, std::vector<PackedTensor> tensors,
                                              std::vector<PackedCall> calls, std::span<void* const> buffers);
  [[nodiscard]] std::size_t size() const { return calls_.size(); }
  [[nodiscard]] std::optional<CallError> run(std::size_t call);
  [[nodiscard]] std::span<byoc_dl_tensor_t> tensors() { return tensors_; }
  [[nodiscard]] std::span<const byoc_dl_tensor_t> tensors() const { return tensors_; }

 private:
  struct Call {
    std::string name;
    byoc_packed_function_t function = nullptr;  // null: a copy
    std::vector<byoc_packed_value_t> args;
    std::vector<std::int32_t> codes;
    std::size_t bytes = 0;  // of a copy
  };
  std::vector<PackedTensor> described_;  // shapes are there
  std::vector<byoc_dl_tensor_t> tensors_;
  std::vector<Call> calls_;
};

}  // namespace byoc::calls
