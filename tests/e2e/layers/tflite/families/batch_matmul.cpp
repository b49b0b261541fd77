#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/products.hpp"

namespace byoc::test {

void make_batch_matmul(TfliteModel& model, Random& random, std::size_t index) {
  using enum TensorType;
  static constexpr ProductTypes kTypes[] = {
      {INT8, INT8, false, INT32}, {INT16, INT16, false, INT64}, {FLOAT32, FLOAT32, false, FLOAT32}};
  const ProductTypes& types = kTypes[index % std::size(kTypes)];
  const bool adj_x = random.chance(50), adj_y = random.chance(50);
  const std::int32_t rows = random.size(1, 5), depth = random.size(1, 20), columns = random.size(1, 6);
  const BroadcastShapes batch = random_broadcast(random, 2);
  const auto shape = [](Shape s, std::int32_t r, std::int32_t c, bool turned) {
    s.push_back(turned ? c : r);
    s.push_back(turned ? r : c);
    return s;
  };
  const TensorData a = random_data(random, types.activation, shape(batch.a, rows, depth, adj_x),
                                   random_quantisation(random, types.activation));
  const TensorData b = random_data(random, types.activation, shape(batch.b, depth, columns, adj_y),
                                   random_quantisation(random, types.activation));
  Sums sums;
  const auto value = [](const TensorData& t, std::size_t i) {
    return t.is_float() ? static_cast<double>(t.floats[i]) : static_cast<double>(t.ints[i] - t.zero_point());
  };
  for_each_pair(batch, [&](std::size_t ia, std::size_t ib) {
    for (std::int32_t r = 0; r < rows; ++r)
      for (std::int32_t c = 0; c < columns; ++c) {
        double sum = 0;
        for (std::int32_t d = 0; d < depth; ++d)
          sum += value(a, ia * static_cast<std::size_t>(rows * depth) +
                              static_cast<std::size_t>(adj_x ? d * rows + r : r * depth + d)) *
                 value(b, ib * static_cast<std::size_t>(depth * columns) +
                              static_cast<std::size_t>(adj_y ? c * depth + d : d * columns + c));
        sums.push_back(sum);
      }
  });
  const TensorData y = random_result(random, types, shape(batch.y, rows, columns, false), sums, a, b,
                                     types.activation == INT16, ActivationFunctionType::NONE);
  schema::BatchMatMulOptionsT options;
  options.adj_x = adj_x;
  options.adj_y = adj_y;
  model.add_text("BATCH_MATMUL types " + std::to_string(index % std::size(kTypes)) + " " + text(a.shape) + " and " +
                 text(b.shape) + (adj_x ? " adj_x" : "") + (adj_y ? " adj_y" : ""));
  const std::int32_t left = model.input(a), right = random.chance(40) ? model.constant(b) : model.input(b);
  model.add(BuiltinOperator::BATCH_MATMUL, {left, right}, {model.output(y)}, options);
}

}  // namespace byoc::test
