#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/products.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

void make_fully_connected(TfliteModel& model, Random& random, const ProductTypes& types, std::size_t which) {
  const std::int32_t rows = random.size(1, 5), depth = random.size(1, 70), units = random_channels(random, 20);
  const bool keep = random.chance(40);
  const TensorData x =
      random_data(random, types.activation, keep || random.chance(50) ? Shape{1, rows, depth} : Shape{rows, depth},
                  random_quantisation(random, types.activation));
  TensorData w = random_weights(random, types, {units, depth}, 0);
  if (types.weights == INT8 && !types.per_axis && random.chance(40)) w.q.zero_points[0] = random.between(-128, 127);
  const auto bias = random_bias(random, types, x, w, units);
  Sums sums;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r)
    for (std::size_t u = 0; u < static_cast<std::size_t>(units); ++u) {
      double sum = 0;
      for (std::size_t d = 0; d < static_cast<std::size_t>(depth); ++d) {
        const std::size_t i = r * static_cast<std::size_t>(depth) + d, k = u * static_cast<std::size_t>(depth) + d;
        sum += x.is_float() ? static_cast<double>(x.floats[i]) * static_cast<double>(w.floats[k])
                            : static_cast<double>((x.ints[i] - x.zero_point()) * (w.ints[k] - w.zero_point()));
      }
      if (bias) sum += x.is_float() ? static_cast<double>(bias->floats[u]) : static_cast<double>(bias->ints[u]);
      sums.push_back(sum);
    }
  schema::FullyConnectedOptionsT options;
  options.keep_num_dims = keep;
  options.fused_activation_function = random_activation(random);
  const TensorData y = random_result(random, types, keep ? Shape{1, rows, units} : Shape{rows, units}, sums, x, w,
                                     types.activation == INT16, options.fused_activation_function);
  model.add_text("types " + std::to_string(which) + ", " + std::to_string(rows) + " x " + std::to_string(depth) +
                 " -> " + std::to_string(units));
  const auto inputs = product_inputs(model, random, x, w, bias);
  model.add(BuiltinOperator::FULLY_CONNECTED, inputs, {model.output(y)}, options,
            types.weights == INT8 || types.weights == FLOAT32 ? 4 : 7);
}

}  // namespace

void make_fully_connected(TfliteModel& model, Random& random, std::size_t index) {
  static constexpr ProductTypes kTypes[] = {
      {INT8, INT8, false, INT32}, {INT8, INT8, true, INT32},  {INT16, INT8, false, INT64},
      {INT16, INT8, true, INT64}, {INT8, INT4, false, INT32}, {FLOAT32, FLOAT32, false, FLOAT32},
  };
  make_fully_connected(model, random, kTypes[index % std::size(kTypes)], index % std::size(kTypes));
}

void make_fully_connected_few_bits(TfliteModel& model, Random& random, std::size_t index) {
  static constexpr ProductTypes kTypes[] = {
      {INT8, INT4, false, INT32}, {INT8, INT2, false, INT32}, {INT8, INT4, true, INT32}, {INT8, INT2, true, INT32}};
  make_fully_connected(model, random, kTypes[index % std::size(kTypes)], index % std::size(kTypes));
}

}  // namespace byoc::test
