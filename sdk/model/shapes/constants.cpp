#include "sdk/model/shapes/constants.hpp"

#include "sdk/model/evaluate/call.hpp"

namespace byoc::shapes {

std::optional<std::vector<double>> constant_numbers(const Inference& call, std::size_t i) {
  const ir::ValueId v = call.node.input(i);
  if (!call.graph.is_constant(v)) return std::nullopt;
  // Mapped bytes need not be aligned.
  const auto bytes = call.graph.values[v].constant->bytes.bytes();
  return evaluate::reals({call.in(i), Blob::own(std::vector<std::byte>(bytes.begin(), bytes.end()))});
}

}  // namespace byoc::shapes
