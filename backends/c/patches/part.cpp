#include "backends/c/patches/part.hpp"

#include "backends/c/operators.hpp"
#include "backends/layers/recorder.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;

// The window of a node as it is for some of its rows.
void set_pads(const Region& region, Node& node, const UnitRows& rows) {
  const std::size_t n = region.values[node.inputs[0]].dims.size() - 2;
  auto pads = node.integers("pads", std::vector<std::int64_t>(2 * n, 0));
  pads[0] = rows.pad_top;
  pads[n] = rows.pad_bottom;
  node.attributes["pads"] = pads;
}

}  // namespace

PartLowering::PartLowering(const codegen::Request& request, const Region& region, const ChosenKernels& chosen)
    : request_(request), whole_(region), chosen_(chosen), scratch_(region) {
  for (Node& n : scratch_.nodes) {
    n.inputs.clear();
    n.outputs.clear();
  }
  scratch_.groups.clear();
}

std::optional<PartLowering::Part> PartLowering::lower(const Unit& unit, const UnitRows& rows, codegen::Host* to) {
  for (const codegen::NodeId n : unit.nodes) {
    scratch_.nodes[n] = whole_.nodes[n];
    scratch_.values[whole_.nodes[n].outputs[0]].dims[1] = rows.out;
  }
  for (std::size_t i = 0; i < unit.inputs.size(); ++i) scratch_.values[unit.inputs[i]].dims[1] = rows.in[i];
  if (const Node& first = whole_.nodes[unit.nodes[0]];
      first.find<std::vector<std::int64_t>>("kernel_shape") || first.op == "Conv")
    set_pads(whole_, scratch_.nodes[unit.nodes[0]], rows);
  scratch_.inputs = unit.inputs;
  scratch_.outputs = {unit.output};

  Recorder recorder(to);
  KnownConstants nobodys;
  Emitter emitter(request_, recorder, scratch_, to == nullptr ? nobodys : known_, chosen_);
  bool ok = true;
  for (const codegen::NodeId n : unit.nodes) {
    const Node& node = scratch_.nodes[n];
    const Lowering* lowering = find_lowering(node.domain, node.op);
    ok = ok && lowering != nullptr && lowering->accepts(scratch_, node, request_.target).claimed &&
         lowering->lower(emitter, node);
  }
  for (const codegen::NodeId n : unit.nodes) {
    scratch_.nodes[n].inputs.clear();
    scratch_.nodes[n].outputs.clear();
    const auto v = whole_.nodes[n].outputs[0];
    scratch_.values[v].dims = whole_.values[v].dims;
  }
  for (const codegen::ValueId v : unit.inputs) scratch_.values[v].dims = whole_.values[v].dims;
  if (!ok || recorder.steps.size() != 1 || !recorder.private_values.empty() || recorder.has_instance ||
      !recorder.aliases.empty() || recorder.steps[0].outputs.size() != 1)
    return std::nullopt;
  return Part{std::move(recorder.steps[0]), emitter.take_definitions()};
}

PartWorkspace workspaces_of(PartLowering& parts) {
  return [&parts](const Unit& unit, const UnitRows& rows) -> std::optional<std::uint64_t> {
    const auto part = parts.lower(unit, rows, nullptr);
    if (!part) return std::nullopt;
    return workspace_bytes(part->step);
  };
}

}  // namespace byoc::c
