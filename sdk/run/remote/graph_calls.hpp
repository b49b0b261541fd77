// The calls of a graph, in the process of the model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "byoc/rt/packed.h"
#include "sdk/run/remote/protocol.hpp"

namespace byoc::remote {

class GraphCalls {
 public:
  GraphCalls() = default;
  GraphCalls(GraphCalls&&) = delete;  // calls point into it

  // `graph` has no problem, and outlives it; `buffers` are those of all inputs, outputs and workspaces, `library` is
  // what dlopen() gave. Says what went wrong.
  [[nodiscard]] std::string load(void* library, const PackedGraph& graph, std::span<void* const> buffers);
  // Runs the graph. Returns an error, or "".
  [[nodiscard]] std::string run();

 private:
  struct Call {
    const std::string* name = nullptr;
    byoc_packed_function_t function = nullptr;  // null: a copy
    std::vector<byoc_packed_value_t> args;
    std::vector<std::int32_t> codes;
    std::size_t bytes = 0;  // of a copy
  };
  std::vector<byoc_dl_tensor_t> tensors_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<Call> calls_;
};

}  // namespace byoc::remote
