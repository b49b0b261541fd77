// Squeeze and Unsqueeze: dims of 1 leave and enter the shape.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {
namespace {

// The positions of `rank` that the axes name. Error: one out of range or named twice.
Result<std::vector<bool>> read_axes(const Call& call, std::size_t rank) {
  const Result<std::vector<std::int64_t>> axes = call.integers(1);
  if (!axes) return failure;
  std::vector<bool> named(rank, false);
  for (const std::int64_t a : *axes) {
    const Result<std::size_t> at = call.axis(a, rank);
    if (!at) return failure;
    if (named[*at]) return call.error("an axis is named twice", std::to_string(a));
    named[*at] = true;
  }
  return named;
}

}  // namespace

Outcome squeeze(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  std::vector<bool> named(dims.size(), false);
  if (call.find(1) != nullptr) {
    const Result<std::vector<bool>> axes = read_axes(call, dims.size());
    if (!axes) return failure;
    named = *axes;
  } else {
    for (std::size_t i = 0; i < dims.size(); ++i) named[i] = dims[i] == 1;
  }
  Dims out;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!named[i])
      out.push_back(dims[i]);
    else if (dims[i] != 1)
      return call.error("squeezes a dim that is not 1", std::to_string(dims[i]) + " at axis " + std::to_string(i));
  }
  return same_bytes(call, std::move(out));
}

Outcome unsqueeze(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  const Result<std::vector<bool>> named =
      read_axes(call, dims.size() + static_cast<std::size_t>(call.in(1).type.elements()));
  if (!named) return failure;
  Dims out;
  std::size_t next = 0;
  for (const bool is_new : *named) out.push_back(is_new ? 1 : dims[next++]);
  return same_bytes(call, std::move(out));
}

}  // namespace byoc::evaluate
