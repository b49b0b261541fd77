// The contents of the caller's instance: the codegens' own instances one after the other, then the model's states.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::plan {

struct InstanceLayout {
  std::vector<std::uint64_t> codegens;  // offsets, for each of Compilation::instances
  std::vector<std::uint64_t> states;    // offsets, for each of Graph::states
  std::uint64_t bytes = 0;              // 0: the model is stateless
  std::uint32_t align = 8;
};

// `graph` is the model's own.
[[nodiscard]] InstanceLayout instance_layout(const ir::Graph& graph, const std::vector<plugin::InstanceArtifact>&);

}  // namespace byoc::plan
