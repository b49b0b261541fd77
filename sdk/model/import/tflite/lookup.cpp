#include "sdk/model/import/tflite/lookup.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace byoc::tflite {
namespace {

constexpr std::int64_t kLowest = -128, kHighest = 127;

}  // namespace

void look_up(OperatorImport& op, ir::ValueId x, ir::ValueId y,
             const std::function<std::int64_t(std::int64_t)>& function) {
  std::vector<std::byte> table;
  for (std::int64_t q = kLowest; q <= kHighest; ++q)
    table.push_back(static_cast<std::byte>(std::clamp(function(q), kLowest, kHighest)));
  const auto size = static_cast<ir::Dim>(table.size());
  const ir::ValueId constant =
      op.graph().add_constant({}, {DType::i8, std::vector<ir::Dim>{size}, std::nullopt}, Blob::own(std::move(table)));
  op.byoc_node("Lookup", {x, constant}, {y});
}

void look_up_real(OperatorImport& op, ir::ValueId x, ir::ValueId y, const std::function<float(float)>& function) {
  const Quantisation &in = *op.type(x).quantisation, &out = *op.type(y).quantisation;
  const float inverse_scale = 1 / out.scales[0];
  look_up(op, x, y, [&](std::int64_t q) {
    const float real = function(in.scales[0] * static_cast<float>(q - in.zero_points[0]));
    const float rounded = std::round(real * inverse_scale) + static_cast<float>(out.zero_points[0]);
    if (std::isnan(rounded)) return kLowest;
    return static_cast<std::int64_t>(std::clamp(rounded, -256.0F, 256.0F));
  });
}

}  // namespace byoc::tflite
