// Pads of zeros in front of convolutions become the convolutions' own padding: no copy of the image, and no memory for
// it.
//
// Why it is exact: let z be the number that the Pad writes, zero (of quantised values the zero point). A tap of the
// Conv that reads one of these elements adds w * (z - zero) = 0; a tap in the Conv's own padding adds nothing. So with
// the Pad's widths added to the Conv's own, each tap adds what it did, at the same place in the order of the sum:
// integers are the same, and so are floats, to which no term or one of +0 is added (a sum that starts at +0 is never
// -0). A weight that is infinite or NaN is the exception that docs/graph-language.md leaves open.
#include <algorithm>
#include <cstring>
#include <optional>

#include "sdk/codegen/optimise/rewrites.hpp"

namespace byoc::optimise {
namespace {

using Integers = std::vector<std::int64_t>;

bool known(DType t) { return t == DType::f32 || t == DType::i8 || t == DType::u8 || t == DType::i16; }

// Zero as the tensor has it; without a sign, which would show in sums of nothing else.
bool pads_with_zero(const Editable& edit, const ir::Node& pad) {
  const ir::ValueId fill = pad.input(2);
  if (fill == ir::kNoValue) return true;
  const ir::TensorType& x = edit.type(pad.inputs[0]);
  if (!edit.graph().is_constant(fill) || edit.type(fill).dtype != x.dtype || edit.type(fill).elements() != 1)
    return false;
  const auto zero = x.quantisation ? static_cast<std::uint64_t>(x.quantisation->zero_points[0]) : 0;
  const auto bytes = edit.graph().values[fill].constant->bytes.bytes();
  return std::memcmp(bytes.data(), &zero, bytes.size()) == 0;  // little-endian, as all tensors are
}

// The spatial pads [begin ..., end ...] of a Pad in front of `conv`; nothing where it pads anything else.
std::optional<Integers> spatial_pads(const Editable& edit, const ir::Node& pad, const ir::Node& conv) {
  const auto pads = ir::constant_integers(edit.graph(), pad.input(1));
  const std::size_t rank = edit.type(pad.inputs[0]).dims->size();
  if (!pads || pad.input(3) != ir::kNoValue || pads->size() != 2 * rank || rank < 3) return std::nullopt;
  const std::size_t first = conv.text("data_layout", "NCHW") == "NHWC" ? 1 : 2;
  Integers out;
  for (std::size_t i = 0; i < pads->size(); ++i) {
    const std::size_t d = i % rank;
    if (d >= first && d < first + rank - 2)
      out.push_back((*pads)[i]);
    else if ((*pads)[i] != 0)
      return std::nullopt;
  }
  return out;
}

// The pads of the Conv with the Pad in it: at most what its kernel reaches, for a window that lies in padding
// altogether is more than kernels expect.
std::optional<Integers> joined_pads(const Editable& edit, const ir::Node& pad, const ir::Node& conv) {
  const ir::TensorType &x = edit.type(pad.inputs[0]), &padded = edit.type(pad.outputs[0]);
  if (!known(x.dtype) || edit.graph().is_constant(pad.inputs[0]) || x.quantisation != padded.quantisation)
    return std::nullopt;
  if (pad.text("mode", "constant") != "constant" || !pads_with_zero(edit, pad)) return std::nullopt;
  const auto more = spatial_pads(edit, pad, conv);
  if (!more) return std::nullopt;
  const std::size_t n = more->size() / 2;
  const Integers kernel = conv.integers("kernel_shape", {});
  const Integers dilations = conv.integers("dilations", Integers(n, 1));
  Integers pads = conv.integers("pads", Integers(2 * n, 0));
  if (kernel.size() != n || dilations.size() != n || pads.size() != 2 * n) return std::nullopt;
  for (std::size_t i = 0; i < pads.size(); ++i) {
    pads[i] += (*more)[i];
    if ((*more)[i] < 0 || pads[i] > (kernel[i % n] - 1) * dilations[i % n]) return std::nullopt;
  }
  return pads;
}

}  // namespace

void fold_pads(Editable& edit, RewriteSummary& summary) {
  for (ir::NodeId n = 0; n < edit.graph().nodes.size(); ++n) {
    if (!edit.may_change(n) || !edit.node(n).is("", "Conv")) continue;
    const ir::ValueId padded = edit.node(n).inputs[0];
    const ir::NodeId p = edit.producer(padded);
    if (p == ir::kNoNode || !edit.node(p).is("", "Pad")) continue;
    if (!edit.is_inside(padded) || !edit.is_read_once(padded, n, 0)) continue;
    auto pads = joined_pads(edit, edit.node(p), edit.node(n));
    if (!pads) continue;
    edit.change(n).attributes["pads"] = std::move(*pads);
    edit.set_input(n, 0, edit.node(p).inputs[0]);
    edit.moved.fused[padded] = edit.node(n).outputs[0];
    edit.absorb(p, n);
    ++summary.count;
    summary.tensor_bytes += edit.type(padded).bytes();
  }
}

}  // namespace byoc::optimise
