#include "backends/layers/laid_out_host.hpp"

namespace byoc::layers {
namespace {

// The strides in bytes of the graph's value, [batch, channels, spatial], in memory with its channels last.
std::vector<std::int64_t> strides_in_memory(const codegen::Value& turned) {
  const std::vector<std::int64_t>& memory = turned.dims;
  std::vector<std::int64_t> dense(memory.size(), static_cast<std::int64_t>(bit_width(turned.dtype) / 8));
  for (std::size_t d = memory.size() - 1; d-- > 0;) dense[d] = dense[d + 1] * memory[d + 1];
  std::vector<std::int64_t> out{dense[0], dense.back()};
  out.insert(out.end(), dense.begin() + 1, dense.end() - 1);
  return out;
}

}  // namespace

void LaidOutHost::constant_from_value(const codegen::ConstantDecl& decl, const codegen::Region& region,
                                      codegen::ValueId id, std::uint64_t offset, std::uint64_t length) {
  if (is_of_graph(id))
    to_.constant_from_value(decl, graph_, id, offset, length);
  else
    to_.constant(decl, region.values[id].data.subspan(offset, length));
}

void LaidOutHost::constant_arranged(const codegen::ConstantDecl& decl, const codegen::Region& region,
                                    codegen::ValueId id, const codegen::Arrangement& how) {
  if (is_of_graph(id))
    to_.constant_arranged(decl, graph_, id, how);
  else
    to_.constant_owned(decl, codegen::arranged(how, region.values[id].data));
}

std::uint32_t LaidOutHost::storage(codegen::ValueId v) {
  const auto [at, fresh] = storage_.try_emplace(v, 0);
  if (!fresh) return at->second;
  const codegen::Value& value = laid_out_.region.values[v];
  constexpr std::uint32_t kAlign = 16;  // as the values of the graph
  at->second = to_.private_value({.bytes = value.bytes(), .align = kAlign});
  if (is_of_graph(v)) to_.stored_privately(graph_, v, {at->second, 0, strides_in_memory(value)});
  return at->second;
}

void LaidOutHost::step(const codegen::Region&, const codegen::Step& step) {
  codegen::Step out = step;
  for (auto* operands : {&out.inputs, &out.outputs})
    for (codegen::Operand& o : *operands)
      if (o.value != codegen::kNoValue)
        o = laid_out_.is_own[o.value] ? codegen::Operand{codegen::kNoValue, storage(o.value)}
                                      : codegen::Operand{laid_out_.values[o.value]};
  out.nodes.clear();
  for (const codegen::NodeId n : step.nodes)
    out.nodes.insert(out.nodes.end(), laid_out_.origins[n].begin(), laid_out_.origins[n].end());
  to_.step(graph_, out);
}

void LaidOutHost::diag(codegen::Severity severity, const codegen::Region&, codegen::NodeId node,
                       std::string_view text) {
  to_.diag(severity, graph_, node < laid_out_.origins.size() ? laid_out_.origins[node].back() : node, text);
}

}  // namespace byoc::layers
