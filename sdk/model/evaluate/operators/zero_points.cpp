#include "sdk/model/evaluate/operators/zero_points.hpp"

namespace byoc::evaluate {

Result<std::vector<std::size_t>> parameter_indexes(const Call& call, std::size_t matrix, std::size_t parameter,
                                                   Side side) {
  Dims dims = *call.in(matrix).type.dims;
  const Dims& given = *call.in(parameter).type.dims;
  std::vector<std::size_t> out(static_cast<std::size_t>(call.in(matrix).type.elements()), 0);
  if (call.in(parameter).type.elements() == 1) return out;
  // A vector is a row on the left and a column on the right.
  if (dims.size() == 1) dims.insert(side == Side::left ? dims.begin() : dims.end(), 1);
  const auto rows = static_cast<std::size_t>(dims[dims.size() - 2]);
  const auto columns = static_cast<std::size_t>(dims.back());
  Dims for_each = dims;
  for_each[dims.size() - (side == Side::left ? 1 : 2)] = 1;
  const std::size_t count = side == Side::left ? rows : columns;
  const bool vector = given == Dims{static_cast<std::int64_t>(count)};
  if (!vector && given != for_each)
    return call.error("input " + std::to_string(parameter) + " must have one element, or one for each " +
                          (side == Side::left ? "row" : "column"),
                      describe(call.in(parameter)), describe(for_each));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t in_matrix = side == Side::left ? i / columns % rows : i % columns;
    out[i] = in_matrix + (vector ? 0 : i / (rows * columns) * count);
  }
  return out;
}

}  // namespace byoc::evaluate
