#include "sdk/program/plan/instance.hpp"

#include <algorithm>

#include "sdk/program/plan/memory.hpp"

namespace byoc::plan {

InstanceLayout instance_layout(const ir::Graph& graph, const std::vector<plugin::InstanceArtifact>& instances) {
  InstanceLayout out;
  auto place = [&](std::uint64_t bytes, std::uint32_t align) {
    const std::uint64_t offset = (out.bytes + align - 1) / align * align;
    out.bytes = offset + bytes;
    out.align = std::max(out.align, align);
    return offset;
  };
  for (const plugin::InstanceArtifact& i : instances) out.codegens.push_back(place(i.decl.bytes, i.decl.align));
  for (const ir::State& s : graph.states) out.states.push_back(place(graph.values[s.value].type.bytes(), kValueAlign));
  // Functions to be called make a model stateful too, whatever they keep.
  if (!instances.empty() || !graph.states.empty()) out.bytes = std::max<std::uint64_t>(out.bytes, 1);
  return out;
}

}  // namespace byoc::plan
