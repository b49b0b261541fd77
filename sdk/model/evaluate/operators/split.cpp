// Split along one axis, into given lengths or as evenly as the last piece allows.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {
namespace {

Result<std::vector<std::int64_t>> lengths(const Call& call, std::int64_t total) {
  const auto count = static_cast<std::int64_t>(call.node.outputs.size());
  if (call.find(1) == nullptr) {
    const std::int64_t each = (total + count - 1) / count;
    std::vector<std::int64_t> even(call.node.outputs.size(), each);
    even.back() = total - each * (count - 1);
    if (even.back() < 0)
      return call.error("the axis does not split into so many pieces", std::to_string(total),
                        std::to_string(count) + " pieces");
    return even;
  }
  Result<std::vector<std::int64_t>> given = call.integers(1);
  if (!given) return failure;
  std::int64_t left = total;
  for (const std::int64_t l : *given) {
    if (l < 0 || l > left)
      return call.error("the lengths of the pieces do not fit the axis", describe(*given), std::to_string(total));
    left -= l;
  }
  if (left != 0 || given->size() != call.node.outputs.size())
    return call.error("the lengths of the pieces do not fit the axis", describe(*given),
                      std::to_string(total) + " in " + std::to_string(count) + " pieces");
  return given;
}

}  // namespace

Outcome split(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), dims.size());
  const Result<Mover> mover = Mover::make(call, 0);
  if (!axis || !mover) return failure;
  const Result<std::vector<std::int64_t>> pieces = lengths(call, dims[*axis]);
  if (!pieces) return failure;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) (d < *axis ? outer : inner) *= d == *axis ? 1 : dims[d];
  std::vector<Tensor> out;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < pieces->size(); ++i) {
    if (!check_moved_quantisation(call, 0, i)) return failure;
    Dims part = dims;
    part[*axis] = (*pieces)[i];
    Result<Buffer> y = call.allocate(x.type.dtype, part, i);
    if (!y) return failure;
    const std::int64_t run = (*pieces)[i] * inner;
    for (std::int64_t o = 0; o < outer; ++o) mover->copy(x, (o * dims[*axis] + start) * inner, *y, o * run, run);
    start += (*pieces)[i];
    out.push_back(std::move(*y).finish());
  }
  return out;
}

}  // namespace byoc::evaluate
