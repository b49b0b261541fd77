// Pad: constant, reflect, edge or wrap. Negative pads cut first; what is left is what the others repeat.
#include <algorithm>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

enum class PadMode { constant, reflect, edge, wrap, symmetric };

Result<PadMode> read_mode(const Call& call) {
  const std::string name = call.node.text("mode", "constant");
  if (name == "constant") return PadMode::constant;
  if (name == "reflect") return PadMode::reflect;
  if (name == "edge") return PadMode::edge;
  if (name == "wrap") return PadMode::wrap;
  if (name == "symmetric") return PadMode::symmetric;  // TFLite's
  return call.error("unknown mode", name, "constant, reflect, edge, wrap or symmetric");
}

struct Pads {
  Dims before, out;
  Dims cut, kept;  // elements that negative pads take off the beginning, and what they leave
};

Result<Pads> read_pads(const Call& call) {
  const Dims& from = *call.in(0).type.dims;
  const std::size_t rank = from.size();
  const auto values = call.integers(1);
  if (!values) return failure;
  std::vector<std::int64_t> axes;
  if (call.find(3) != nullptr) {
    const auto given = call.integers(3);
    if (!given) return failure;
    axes = *given;
  } else {
    for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  }
  if (values->size() != 2 * axes.size())
    return call.error("pads has the wrong length", std::to_string(values->size()), std::to_string(2 * axes.size()));
  Pads p{Dims(rank, 0), from, Dims(rank, 0), from};
  std::vector<bool> named(rank, false);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Result<std::size_t> d = call.axis(axes[i], rank);
    if (!d) return failure;
    if (named[*d]) return call.error("an axis is named twice", std::to_string(axes[i]));
    named[*d] = true;
    const std::int64_t before = (*values)[i];
    const std::int64_t after = (*values)[axes.size() + i];
    p.before[*d] = before;
    if (__builtin_add_overflow(p.out[*d], before, &p.out[*d]) || __builtin_add_overflow(p.out[*d], after, &p.out[*d]) ||
        p.out[*d] < 0)
      return call.error(
          "pads give a size that is negative or too large",
          std::to_string(before) + " and " + std::to_string(after) + " around " + std::to_string(from[*d]));
    p.cut[*d] = std::min(from[*d], -std::min<std::int64_t>(before, 0));
    p.kept[*d] = std::max<std::int64_t>(0, from[*d] - p.cut[*d] + std::min<std::int64_t>(after, 0));
  }
  return p;
}

// The input index that output index `at` of a dim reads; -1 for the constant. Reflection does not repeat the edge, and
// goes back and forth where the padding is longer than the input.
std::int64_t source(PadMode mode, std::int64_t at, std::int64_t size) {
  if (at >= 0 && at < size) return at;
  if (mode == PadMode::constant || size == 0) return -1;
  if (mode == PadMode::edge) return at < 0 ? 0 : size - 1;
  if (mode == PadMode::wrap) return (at % size + size) % size;
  if (mode == PadMode::symmetric) {
    const std::int64_t turn = (at % (2 * size) + 2 * size) % (2 * size);
    return std::min(turn, 2 * size - 1 - turn);
  }
  if (size == 1) return 0;
  const std::int64_t period = 2 * (size - 1);
  const std::int64_t within = (at % period + period) % period;
  return std::min(within, period - within);
}

// The bytes of what constant padding writes: the value operand, else the zero point, else zero.
Result<std::vector<std::byte>> fill(const Call& call, std::size_t element) {
  std::vector<std::byte> bytes(element);
  if (call.find(2) != nullptr) {
    if (!call.same_dtype(0, 2)) return failure;
    if (call.in(2).type.elements() != 1)
      return call.error("the padding value must have one element", describe(call.in(2)));
    std::copy_n(call.in(2).bytes.data(), element, bytes.begin());
  } else if (is_quantised(call)) {
    const Result<Affine> out = affine_output(call);
    if (!out) return failure;
    std::memcpy(bytes.data(), &out->zero_point, element);  // little-endian, as all tensors are
  }
  return bytes;
}

}  // namespace

Outcome pad(const Call& call) {
  const Tensor& x = call.in(0);
  const Result<PadMode> mode = read_mode(call);
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mode || !mover || !check_moved_quantisation(call, 0)) return failure;
  const Result<Pads> pads = read_pads(call);
  if (!pads) return failure;
  const Result<std::vector<std::byte>> constant = fill(call, mover->size());
  if (!constant) return failure;
  Result<Buffer> y = call.allocate(x.type.dtype, pads->out);
  if (!y) return failure;
  const Dims& from = *x.type.dims;
  for (std::size_t d = 0; d < from.size(); ++d)
    if (pads->kept[d] == 0 && pads->out[d] != 0 && *mode != PadMode::constant)
      return call.error("cannot pad an empty dim from its own elements", describe(x));
  const Dims read = row_major_strides(from);
  const Dims write = row_major_strides(pads->out);
  const std::int64_t count = y->type.elements();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < from.size() && at >= 0; ++d) {
      const std::int64_t first = std::max<std::int64_t>(pads->before[d], 0);
      const std::int64_t s = source(*mode, i / write[d] % pads->out[d] - first, pads->kept[d]);
      at = s < 0 ? -1 : at + (s + pads->cut[d]) * read[d];
    }
    if (at < 0)
      mover->set(*y, i, constant->data());
    else
      mover->copy(x, at, *y, i);
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
