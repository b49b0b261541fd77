// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY, REDUCE_ALL.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using Code = BuiltinOperator;
using enum TensorType;

struct ReductionVariant {
  Code code;
  TensorType type;
};
constexpr ReductionVariant kReductionVariants[] = {
    {Code::MEAN, INT8},         {Code::MEAN, INT16},       {Code::MEAN, FLOAT32},        {Code::MEAN, INT32},
    {Code::MEAN, INT64},        {Code::SUM, INT8},         {Code::SUM, INT16},           {Code::SUM, FLOAT32},
    {Code::SUM, INT32},         {Code::SUM, INT64},        {Code::REDUCE_MAX, INT8},     {Code::REDUCE_MAX, FLOAT32},
    {Code::REDUCE_MAX, INT32},  {Code::REDUCE_MAX, INT64}, {Code::REDUCE_MIN, INT8},     {Code::REDUCE_MIN, FLOAT32},
    {Code::REDUCE_MIN, INT32},  {Code::REDUCE_MIN, INT64}, {Code::REDUCE_PROD, FLOAT32}, {Code::REDUCE_PROD, INT32},
    {Code::REDUCE_PROD, INT64}, {Code::REDUCE_ANY, BOOL},  {Code::REDUCE_ALL, BOOL},
};

// 1/count goes into the factor of a mean: as many bits more as it has room for, and what is left over is dropped.
FixedFactor with_count(FixedFactor f, std::int64_t count) {
  int bits = 0;
  while (count >> (bits + 1) != 0) ++bits;
  bits = std::min({bits, 32, 31 + f.shift});
  return {static_cast<std::int64_t>((static_cast<__int128>(f.value) << bits) / count), f.shift - bits};
}

std::int64_t quantised(Code code, const std::vector<std::int64_t>& list, const TensorData& x, const TensorData& y) {
  std::int64_t sum = 0;
  for (const std::int64_t v : list) sum += v - x.zero_point();
  FixedFactor factor = fixed_factor(static_cast<double>(x.scale()) / static_cast<double>(y.scale()));
  if (code == Code::MEAN) factor = with_count(factor, static_cast<std::int64_t>(list.size()));
  return clamp_to(y.type, requantise(sum, factor) + y.zero_point());
}

std::int64_t whole(Code code, const std::vector<std::int64_t>& list, const TensorData& x) {
  if (code == Code::REDUCE_MAX || code == Code::REDUCE_ANY) return *std::max_element(list.begin(), list.end());
  if (code == Code::REDUCE_MIN || code == Code::REDUCE_ALL) return *std::min_element(list.begin(), list.end());
  std::uint64_t product = 1;  // wraps around
  for (const std::int64_t v : list) product *= static_cast<std::uint64_t>(v);
  if (code == Code::REDUCE_PROD)
    return x.type == INT32 ? static_cast<std::int32_t>(product) : static_cast<std::int64_t>(product);
  std::int64_t sum = 0;
  for (const std::int64_t v : list) sum += v;
  return code == Code::SUM ? sum : sum / static_cast<std::int64_t>(list.size());
}

double real_result(Code code, const std::vector<double>& list) {
  if (code == Code::REDUCE_MAX) return *std::max_element(list.begin(), list.end());
  if (code == Code::REDUCE_MIN) return *std::min_element(list.begin(), list.end());
  double sum = 0, product = 1;
  for (const double v : list) sum += v, product *= v;
  if (code == Code::REDUCE_PROD) return product;
  return code == Code::SUM ? sum : sum / static_cast<double>(list.size());
}

TensorData random_reduced(Random& random, Code code, TensorType type, const Shape& shape) {
  if (type == INT8 || type == INT16) return random_data(random, type, shape, random_quantisation(random, type));
  // Sums stay in range.
  if (type == INT32) return random_data(random, type, shape, {}, -1e5, 1e5);
  if (type == INT64) return random_data(random, type, shape, {}, -1e14, 1e14);
  // Products stay near 1.
  if (code == Code::REDUCE_PROD) return random_data(random, type, shape, {}, 0.9, 1.1);
  TensorData x = random_data(random, type, shape);
  // Rarely what decides, so that both results occur.
  if (type == BOOL)
    for (std::int64_t& v : x.ints) v = random.chance(15) != (code == Code::REDUCE_ALL);
  return x;
}

bool is_quantised(TensorType type) { return type == INT8 || type == INT16; }
bool compares(Code code) { return code == Code::REDUCE_MAX || code == Code::REDUCE_MIN; }

}  // namespace

// Any axes, from either end and named twice; of a scalar the axes mean nothing.
void make_reductions(TfliteModel& model, Random& random, std::size_t index) {
  const ReductionVariant& v = kReductionVariants[index % std::size(kReductionVariants)];
  Shape shape(static_cast<std::size_t>(random.size(0, 6)));
  for (std::int32_t& d : shape) d = random.chance(20) ? 1 : random.size(1, shape.size() < 4 ? 9 : 4);
  if (random.chance(10)) shape = {random.size(1, 3), random.size(100, 400), random.size(1, 3)};
  const TensorData x = random_reduced(random, v.code, v.type, shape);
  const auto rank = static_cast<std::int32_t>(shape.size());
  const bool keep = random.chance(50);
  std::vector<bool> reduced(shape.size());
  std::vector<std::int32_t> axes;
  for (std::int32_t d = 0; d < rank; ++d)
    for (int times = random.chance(50) ? (random.chance(10) ? 2 : 1) : 0; times > 0; --times) {
      reduced[static_cast<std::size_t>(d)] = true;
      axes.insert(axes.begin() + random.size(0, static_cast<std::int32_t>(axes.size())),
                  random.chance(50) ? d : d - rank);
    }
  if (rank == 0 && random.chance(50)) axes = {0};
  Shape kept = shape, out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (reduced[d]) kept[d] = 1;
    if (!reduced[d] || keep) out.push_back(kept[d]);
  }
  TensorData y{v.type, out, x.q, {}, {}};
  std::vector<std::vector<std::int64_t>> ints(y.elements());
  std::vector<std::vector<double>> floats(y.elements());
  for_each_index(shape, [&](const Index& i) {
    Index to = i;
    for (std::size_t d = 0; d < to.size(); ++d)
      if (reduced[d]) to[d] = 0;
    const std::size_t from = place(shape, i), at = place(kept, to);
    if (x.is_float())
      floats[at].push_back(static_cast<double>(x.floats[from]));
    else
      ints[at].push_back(x.ints[from]);
  });
  const std::size_t count = x.elements() / y.elements();
  if (is_quantised(v.type) && !compares(v.code)) {
    // Results over the whole range, and beyond; sometimes the input's own scale.
    const double room = v.code == Code::SUM ? std::sqrt(static_cast<double>(count)) : 1;
    y.q = random_quantisation(random, v.type);
    y.q.scales = {random.chance(25) ? x.scale() : x.scale() * random.scale(0.1 * room, 2 * room)};
    if (random.chance(8)) y.q.scales = {x.scale() * random.scale(1e6, 4e9)};
  }
  for (const auto& list : ints)
    if (!x.is_float())
      y.ints.push_back(is_quantised(v.type) && !compares(v.code) ? quantised(v.code, list, x, y)
                                                                 : whole(v.code, list, x));
  for (const auto& list : floats)
    if (x.is_float()) y.floats.push_back(static_cast<float>(real_result(v.code, list)));
  model.add_text(std::string(schema::EnumNameBuiltinOperator(v.code)) + " " + schema::EnumNameTensorType(v.type) + " " +
                 text(shape) + " to " + text(out));
  schema::ReducerOptionsT options;
  options.keep_dims = keep;
  const bool is_scalar = axes.size() == 1 && random.chance(30);
  const auto along = is_scalar ? integers(model, axes, {}) : integers(model, axes);
  model.add(v.code, {model.input(x), along},
            {model.output(y, x.is_float() ? v.code == Code::REDUCE_PROD ? 1e-4 : 1e-6 : 0)}, options);
}

}  // namespace byoc::test
