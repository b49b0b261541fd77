#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using enum TensorType;

// 32 bits in steps of 2^-19 of x's scale. It starts with the zero point taken off, though nothing has been added.
class QuantisedSum {
 public:
  QuantisedSum(const TensorData& x, const TensorData& y) : x_(x), y_(y) { add(0); }
  void add(std::int64_t q) {
    sum_ = static_cast<std::int32_t>(static_cast<std::uint64_t>(sum_ + (q - x_.zero_point()) * (1 << 19)));
  }
  [[nodiscard]] std::int64_t result() const {
    const double factor = 2 * static_cast<double>(x_.scale()) / std::ldexp(static_cast<double>(y_.scale()), 20);
    return clamp_to(INT8, requantise(sum_, fixed_factor(factor)) + y_.zero_point());
  }

 private:
  const TensorData &x_, &y_;
  std::int64_t sum_ = 0;
};

// The elements of a row in the order in which they are summed up; `give` takes the result that belongs to each.
void sum_row(const TensorData& x, TensorData& y, const std::vector<std::size_t>& row, bool exclusive) {
  QuantisedSum quantised(x, y);
  double real = 0;
  std::int64_t whole = 0;
  for (const std::size_t at : row) {
    const auto give = [&] {
      if (x.is_float())
        y.floats[at] = static_cast<float>(real);
      else
        y.ints[at] = x.type == INT8 ? quantised.result() : whole;
    };
    if (exclusive) give();
    if (x.is_float()) {
      real += static_cast<double>(x.floats[at]);
    } else {
      quantised.add(x.ints[at]);
      whole += x.ints[at];
    }
    if (!exclusive) give();
  }
}

}  // namespace

void make_cumsum(TfliteModel& model, Random& random, std::size_t index) {
  static constexpr TensorType kTypes[] = {INT8, FLOAT32, INT32, INT64};
  const TensorType type = kTypes[index % std::size(kTypes)];
  Shape shape(static_cast<std::size_t>(random.size(1, 5)));
  for (std::int32_t& d : shape) d = random.size(1, shape.size() < 3 ? 20 : 4);
  const auto rank = static_cast<std::int32_t>(shape.size());
  const std::int32_t axis = random.size(0, rank - 1);
  const auto a = static_cast<std::size_t>(axis);
  schema::CumsumOptionsT options;
  options.exclusive = index / 4 % 2 != 0;
  options.reverse = index / 8 % 2 != 0;
  const TensorData x = type == INT8      ? random_data(random, type, shape, random_quantisation(random, type))
                       : type == FLOAT32 ? random_data(random, type, shape)
                                         : random_data(random, type, shape, {}, -1e7, 1e7);
  TensorData y{type, shape, {}, {}, {}};
  if (type == INT8) {
    y.q = random_quantisation(random, type);
    y.q.scales = {x.scale() * random.scale(0.3, 10)};
  }
  y.ints.resize(x.ints.size());
  y.floats.resize(x.floats.size());
  Shape rows = shape;
  rows[a] = 1;
  for_each_index(rows, [&](Index i) {
    std::vector<std::size_t> row;
    for (i[a] = 0; i[a] < shape[a]; ++i[a]) row.push_back(place(shape, i));
    if (options.reverse) std::reverse(row.begin(), row.end());
    sum_row(x, y, row, options.exclusive);
  });
  model.add_text(std::string(schema::EnumNameTensorType(type)) + " " + text(shape) + " along " + std::to_string(axis) +
                 (options.exclusive ? " exclusive" : "") + (options.reverse ? " reverse" : ""));
  const auto along = integers(model, {random.chance(50) ? axis : axis - rank}, random.chance(50) ? Shape{} : Shape{1});
  model.add(BuiltinOperator::CUMSUM, {model.input(x), along}, {model.output(y)}, options);
}

}  // namespace byoc::test
