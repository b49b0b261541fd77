#include "sdk/program/plan/read_constants.hpp"

#include <algorithm>

#include "sdk/model/ir/control.hpp"
#include "sdk/program/plan/control.hpp"

namespace byoc::plan {
namespace {

std::string add_constant(DType element, Blob bytes, const std::string& stem, NameTable& names,
                         const std::string& executor, plugin::Compilation& compilation) {
  ConstantArtifact c;
  c.symbol = names.claim(stem);
  c.element = element;
  c.align = 8;
  c.bytes = std::move(bytes);
  c.codegen = executor;
  compilation.constants.push_back(std::move(c));
  return compilation.constants.back().symbol;
}

bool all_equal(const std::vector<std::byte>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == bytes[0]; });
}

}  // namespace

void add_read_constants(const ir::Graph& graph, const std::string& prefix, NameTable& names,
                        const std::string& executor, plugin::Compilation& compilation) {
  for_each_graph(graph, [&](const ir::Graph& g) {
    plugin::GraphPart& part = &g == &graph ? compilation : compilation.bodies[&g];
    auto read = [&](ir::ValueId v, const char* stem) {
      // An alias that leads back to itself is the scheduler's to report.
      for (std::size_t hops = 0; part.aliases.contains(v) && hops < g.values.size(); ++hops) v = part.aliases[v];
      if (v == ir::kNoValue || !g.is_constant(v) || part.output_constants.contains(v)) return;
      part.output_constants.emplace(v, add_constant(g.values[v].type.dtype, g.values[v].constant->bytes, prefix + stem,
                                                    names, executor, compilation));
    };
    for (ir::ValueId v : g.outputs) read(v, "_output");
    for (const ir::State& s : g.states) read(s.next, "_next");
    for (const ir::Node& node : g.nodes)
      if (ir::is_control(node))
        for (ir::ValueId v : node.inputs) read(v, "_operand");
    // Constants that a codegen states to be aliases count as constants for the steps that read them.
    for (const plugin::Step& s : part.steps)
      for (const plugin::StepOperand& o : s.inputs)
        if (o.value != ir::kNoValue) read(o.value, "_operand");
  });
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    std::vector<std::byte> bytes = ir::initial_bytes(graph, graph.states[i]);
    if (!all_equal(bytes))
      compilation.state_constants.emplace(
          i, add_constant(graph.values[graph.states[i].value].type.dtype, Blob::own(std::move(bytes)),
                          prefix + "_initial", names, executor, compilation));
  }
}

}  // namespace byoc::plan
