#include "sdk/codegen/plugin/abi/abi_read.hpp"

#include <algorithm>

#include "sdk/codegen/plugin/abi/abi_values.hpp"

namespace byoc::plugin {
namespace {

// Longer lists than a step could have.
constexpr std::uint32_t kMostOfAStep = 1u << 20;
constexpr std::uint32_t kMostAxes = 64;
constexpr std::uint32_t kMostLoops = 16;

BrokenRule broken(std::string what, std::string found = {}, std::string expected = {}) {
  return {std::move(what), std::move(found), std::move(expected)};
}

template <class T>
bool is_list(const T* items, std::uint32_t count, std::uint32_t most) {
  return count <= most && (count == 0 || items != nullptr);
}

Fault read_constant(const byoc_artifact_t& a, Artifact& out) {
  out.constant.element = static_cast<DType>(a.element);
  if (auto fault = broken_rule(out.constant)) return fault;
  out.constant.align = a.align != 0 ? a.align : std::max(1u, bit_width(out.constant.element) / 8);
  if (a.region.size != 0) out.constant.region = to_text(a.region);
  out.constant.model_data = (a.flags & BYOC_ARTIFACT_MODEL_DATA) != 0;
  return std::nullopt;
}

Fault read_source(const byoc_artifact_t& a, Artifact& out) {
  out.source.name = out.name;
  out.source.symbol = to_text(a.symbol);
  out.source.shared = (a.flags & BYOC_ARTIFACT_SHARED) != 0;
  out.source.standard = to_text(a.standard);
  out.source.include_directories = to_texts(a.include_directories, a.include_count);
  out.source.effort = static_cast<codegen::Effort>(a.effort);
  return broken_rule(out.source);
}

Fault read_other(const byoc_artifact_t& a, Artifact& out) {
  out.other.kind = static_cast<codegen::ArtifactKind>(a.kind);
  out.other.name = out.name;
  out.other.defines = to_texts(a.defines, a.define_count);
  if (a.kind == BYOC_ARTIFACT_LLVM_BITCODE) {
    out.other.shared = (a.flags & BYOC_ARTIFACT_SHARED) != 0;
    if (out.other.shared) out.other.symbol = to_text(a.symbol);
    out.other.effort = static_cast<codegen::Effort>(a.effort);
  }
  return broken_rule(out.other);
}

Fault read_operands(const std::string& step, const byoc_operand_t* const* list, std::uint32_t count,
                    std::vector<codegen::Operand>& out) {
  const std::string of = " of step '" + step + "'";
  if (count > kMostOfAStep)
    return broken("there are too many operands" + of, std::to_string(count), "at most " + std::to_string(kMostOfAStep));
  if (!is_list(list, count, kMostOfAStep)) return broken("the list of operands" + of + " is none");
  for (std::uint32_t i = 0; i < count; ++i) {
    byoc_operand_t o;
    if (!read_struct(list[i], o) || o.kind > BYOC_OPERAND_PRIVATE) return broken("an operand" + of + " is none");
    if (o.layout != 0 || o.offset != 0 || o.strides != nullptr)
      return broken("an operand" + of + " has an offset, strides or a layout, which this host does not have yet");
    if (o.kind == BYOC_OPERAND_VALUE && o.id == codegen::kNoValue) return broken("an operand" + of + " has no id");
    out.push_back(o.kind == BYOC_OPERAND_VALUE ? codegen::Operand{o.id, 0} : codegen::Operand{codegen::kNoValue, o.id});
  }
  return std::nullopt;
}

}  // namespace

Fault read(const byoc_artifact_t* from, Artifact& out) {
  byoc_artifact_t a;
  if (!read_struct(from, a)) return broken("hands over an artifact that is none");
  if (a.kind < BYOC_ARTIFACT_C_SOURCE || a.kind > BYOC_ARTIFACT_LICENCE)
    return broken("hands over an artifact of an unknown kind", std::to_string(a.kind));
  constexpr std::uint64_t kFlags = BYOC_ARTIFACT_SHARED | BYOC_ARTIFACT_MODEL_DATA;  // LOCAL is reserved
  if ((a.flags & ~kFlags) != 0) return broken("sets unknown flags of an artifact", std::to_string(a.flags & ~kFlags));
  out.kind = a.kind;
  out.promised = a.size;
  out.name = to_text(a.kind == BYOC_ARTIFACT_CONSTANT ? a.symbol : a.name);
  if (a.kind == BYOC_ARTIFACT_CONSTANT) out.constant.symbol = out.name;
  switch (a.kind) {
    case BYOC_ARTIFACT_CONSTANT: return read_constant(a, out);
    case BYOC_ARTIFACT_C_SOURCE: return read_source(a, out);
    case BYOC_ARTIFACT_C_HEADER: return broken_name(out.name, a.kind);
    default: return read_other(a, out);
  }
}

Fault read(const byoc_arrangement_t* from, codegen::Arrangement& out) {
  byoc_arrangement_t a;
  if (!read_struct(from, a) || !is_list(a.axes, a.axis_count, kMostLoops) ||
      !is_list(a.loops, a.loop_count, kMostLoops))
    return broken("gives an arrangement that is none");
  out.element_size = a.element_size;
  out.offset = a.offset;
  for (std::uint32_t i = 0; i < a.axis_count; ++i) out.axes.push_back({a.axes[i].extent, a.axes[i].stride});
  for (std::uint32_t i = 0; i < a.loop_count; ++i)
    out.loops.push_back({a.loops[i].count, a.loops[i].axis, a.loops[i].step});
  return std::nullopt;
}

Fault read(const byoc_private_value_t* from, codegen::PrivateValue& out) {
  byoc_private_value_t v;
  if (!read_struct(from, v)) return broken("declares a private value that is none");
  out = {v.bytes, v.align, to_texts(v.pools, v.pool_count)};
  return std::nullopt;
}

Fault read(const byoc_private_layout_t* from, codegen::PrivateLayout& out) {
  byoc_private_layout_t l;
  if (!read_struct(from, l) || !is_list(l.strides, l.stride_count, kMostAxes))
    return broken("gives a layout that is none");
  out = {l.private_value, l.base, std::vector<std::int64_t>(l.strides, l.strides + l.stride_count)};
  return std::nullopt;
}

Fault read(const byoc_instance_t* from, codegen::Instance& out) {
  byoc_instance_t i;
  if (!read_struct(from, i)) return broken("declares an instance that is none");
  out = {i.bytes,          i.align,           to_text(i.init),
         to_text(i.reset), to_text(i.deinit), to_texts(i.pools, i.pool_count),
         to_text(i.device)};
  return std::nullopt;
}

Fault read(const byoc_step_t* from, codegen::Step& out) {
  byoc_step_t s;
  if (!read_struct(from, s) || !is_list(s.workspaces, s.workspace_count, kMostOfAStep) ||
      !is_list(s.overlays, s.overlay_count, kMostOfAStep) || !is_list(s.nodes, s.node_count, kLongestList))
    return broken("hands over a step that is none");
  if ((s.flags & BYOC_STEP_ASYNC) != 0 || s.wait.size != 0)
    return broken("step '" + to_text(s.symbol) + "' is asynchronous, which this host does not have yet");
  if ((s.flags & ~std::uint64_t{BYOC_STEP_INSTANCE}) != 0)
    return broken("sets unknown flags of step '" + to_text(s.symbol) + "'", std::to_string(s.flags));
  out.symbol = to_text(s.symbol);
  out.kernel = to_text(s.kernel);
  out.uses_instance = (s.flags & BYOC_STEP_INSTANCE) != 0;
  out.macs = s.macs;
  out.instructions = s.instructions;
  out.kernel_bytes = s.kernel_bytes;
  out.remark = to_text(s.remark);
  out.failure = to_text(s.failure);
  out.nodes.assign(s.nodes, s.nodes + s.node_count);
  if (auto fault = read_operands(out.symbol, s.inputs, s.input_count, out.inputs)) return fault;
  if (auto fault = read_operands(out.symbol, s.outputs, s.output_count, out.outputs)) return fault;
  for (std::uint32_t i = 0; i < s.workspace_count; ++i) {
    byoc_workspace_t w;
    if (!read_struct(s.workspaces[i], w)) return broken("a workspace of step '" + out.symbol + "' is none");
    out.workspaces.push_back({w.bytes, w.align, to_texts(w.pools, w.pool_count)});
  }
  for (std::uint32_t i = 0; i < s.overlay_count; ++i)
    out.overlays.push_back({s.overlays[i].output, s.overlays[i].input, s.overlay_leads ? s.overlay_leads[i] : 0});
  return std::nullopt;
}

Fault read(const byoc_verdict_t* from, NodeVerdict& out) {
  byoc_verdict_t v;
  if (!read_struct(from, v)) return broken("gave a verdict that is none");
  if (v.claimed > 1) return broken("gave a verdict that is neither yes nor no", std::to_string(v.claimed));
  out.node = v.node;
  out.verdict = {.claimed = v.claimed != 0,
                 .reason = static_cast<codegen::Reason>(v.reason),
                 .text = to_text(v.text),
                 .exactness = static_cast<codegen::Exactness>(v.exactness),
                 .tolerance = v.tolerance,
                 .cost = v.cost,
                 .priority = v.priority};
  return broken_rule(out.verdict);
}

}  // namespace byoc::plugin
