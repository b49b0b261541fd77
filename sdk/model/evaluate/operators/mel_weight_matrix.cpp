// MelWeightMatrix: triangles over the bins of a spectrum, with corners at equal distances on the mel scale.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::evaluate {
namespace {

double to_mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double to_hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

}  // namespace

Outcome mel_weight_matrix(const Call& call) {
  std::vector<double> in;
  for (std::size_t i = 0; i < 5; ++i) {
    const Result<double> value = call.scalar(i);
    if (!value) return failure;
    in.push_back(*value);
  }
  const auto bins = static_cast<std::int64_t>(in[0]), length = static_cast<std::int64_t>(in[1]);
  const double rate = in[2], low = to_mel(in[3]), high = to_mel(in[4]);
  const std::int64_t number = call.node.integer("output_datatype", 1);
  const DType dtype = ir::onnx_type(number);
  if (dtype == DType::undefined)
    return call.error("attribute output_datatype is not an element type that is supported", ir::onnx_type_name(number));
  if (bins < 0 || length < 0 || !(rate > 0)) return call.error("the sizes and the rate must be positive");
  const std::int64_t rows = length / 2 + 1;
  if (!call.allocate(DType::f64, {rows, bins})) return failure;
  std::vector<std::int64_t> corner;
  for (std::int64_t i = 0; i < bins + 2; ++i) {
    const double mel = static_cast<double>(i) * ((high - low) / static_cast<double>(bins + 2)) + low;
    const double bin = std::floor(static_cast<double>(length + 1) * to_hertz(mel) / rate);
    if (!(bin >= 0) || bin >= static_cast<double>(rows))
      return call.error("a band lies outside of the spectrum", std::to_string(bin), "0 to " + std::to_string(rows - 1));
    corner.push_back(static_cast<std::int64_t>(bin));
  }
  std::vector<double> y(static_cast<std::size_t>(rows * bins), 0.0);
  for (std::int64_t i = 0; i < bins; ++i) {
    const std::int64_t left = corner[static_cast<std::size_t>(i)], centre = corner[static_cast<std::size_t>(i + 1)],
                       right = corner[static_cast<std::size_t>(i + 2)];
    const auto at = [&](std::int64_t row) -> double& { return y[static_cast<std::size_t>(row * bins + i)]; };
    if (centre == left) at(centre) = 1;
    for (std::int64_t j = left; centre > left && j <= centre; ++j)
      at(j) = static_cast<double>(j - left) / static_cast<double>(centre - left);
    for (std::int64_t j = centre; j < right; ++j)
      at(j) = static_cast<double>(right - j) / static_cast<double>(right - centre);
  }
  return single(call.from_reals(dtype, {rows, bins}, y));
}

}  // namespace byoc::evaluate
