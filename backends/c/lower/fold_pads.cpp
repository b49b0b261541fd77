#include "backends/c/lower/fold_pads.hpp"

#include <algorithm>
#include <cstring>

#include "backends/c/lower/movement.hpp"
#include "backends/c/lower/operands.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::NodeId;
using codegen::Region;
using codegen::Value;
using codegen::ValueId;

// Zero as the tensor has it; without a sign, which would show in sums of nothing else.
bool pads_with_zero(const Region& region, const Node& pad) {
  const Value& x = region.values[pad.inputs[0]];
  const Value* fill = given_input(region, pad, 2);
  if (fill == nullptr) return true;
  if (!fill->is_constant || fill->dtype != x.dtype || fill->elements() != 1) return false;
  std::uint64_t bits = 0;
  std::memcpy(&bits, fill->data.data(), std::min(fill->data.size(), sizeof bits));
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bit_width(x.dtype));
  return bits == (zero_bits(x) & mask);
}

// The spatial pads [begin ..., end ...] of a Pad in front of `conv`; nothing where it pads anything else.
std::optional<Dims> spatial_pads(const Region& region, const Node& pad, const Node& conv) {
  const auto pads = constant_integers(region, pad, 1);
  const std::size_t rank = region.values[pad.inputs[0]].dims.size();
  if (!pads || given_input(region, pad, 3) || pads->size() != 2 * rank || rank < 3) return std::nullopt;
  const std::size_t first = conv.text("data_layout", "NCHW") == "NHWC" ? 1 : 2;
  Dims out;
  for (std::size_t i = 0; i < pads->size(); ++i) {
    const std::size_t d = i % rank;
    if (d >= first && d < first + rank - 2)
      out.push_back((*pads)[i]);
    else if ((*pads)[i] != 0)
      return std::nullopt;
  }
  return out;
}

// The Conv with the Pad in it, or nothing.
std::optional<Node> folded(const Region& region, const Node& pad, const Node& conv, const TargetSpec& target) {
  const Value &x = region.values[pad.inputs[0]], &padded = region.values[pad.outputs[0]];
  const bool known = x.dtype == DType::f32 || x.dtype == DType::i8 || x.dtype == DType::u8 || x.dtype == DType::i16;
  if (!known || x.is_constant || x.quantisation != padded.quantisation) return std::nullopt;
  if (pad.text("mode", "constant") != "constant" || !pads_with_zero(region, pad)) return std::nullopt;
  const auto more = spatial_pads(region, pad, conv);
  if (!more) return std::nullopt;
  const std::size_t n = more->size() / 2;
  const Dims kernel = conv.integers("kernel_shape", {});
  const Dims dilations = conv.integers("dilations", Dims(n, 1));
  Dims pads = conv.integers("pads", Dims(2 * n, 0));
  if (kernel.size() != n || dilations.size() != n || pads.size() != 2 * n) return std::nullopt;
  for (std::size_t i = 0; i < pads.size(); ++i) {
    pads[i] += (*more)[i];
    if ((*more)[i] < 0 || pads[i] > (kernel[i % n] - 1) * dilations[i % n]) return std::nullopt;
  }
  Node out = conv;
  out.inputs[0] = pad.inputs[0];
  out.attributes["pads"] = pads;
  const Lowering* lowering = find_lowering(conv.domain, conv.op);
  if (lowering == nullptr || !lowering->accepts(region, out, target).claimed) return std::nullopt;
  return out;
}

}  // namespace

std::optional<FoldedPads> fold_pads(const Region& region, const TargetSpec& target) {
  std::vector<std::size_t> uses(region.values.size(), 0);
  for (const Node& n : region.nodes)
    for (const ValueId v : n.inputs)
      if (v != codegen::kNoValue) ++uses[v];
  for (const ValueId v : region.outputs) ++uses[v];

  std::map<ValueId, NodeId> pad_of;  // by what it makes
  for (NodeId i = 0; i < region.nodes.size(); ++i) {
    const Node& n = region.nodes[i];
    if (n.domain.empty() && n.op == "Pad" && uses[n.outputs[0]] == 1) pad_of[n.outputs[0]] = i;
  }
  std::optional<FoldedPads> out;
  for (NodeId i = 0; i < region.nodes.size() && !pad_of.empty(); ++i) {
    const Node& conv = region.nodes[i];
    if (!conv.domain.empty() || conv.op != "Conv") continue;
    const auto pad = pad_of.find(conv.inputs[0]);
    if (pad == pad_of.end()) continue;
    auto node = folded(region, region.nodes[pad->second], conv, target);
    if (!node) continue;
    if (!out) out = FoldedPads{region, {}};
    out->region.nodes[i] = std::move(*node);
    out->region.nodes[pad->second].inputs.clear();
    out->conv_of[pad->second] = i;
  }
  return out;
}

}  // namespace byoc::c
