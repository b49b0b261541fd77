// WHERE, UNIQUE, NON_MAX_SUPPRESSION_V4 and V5: what is found, and zeros behind it as far as there is room.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Code = BuiltinOperator;

void where(TfliteModel& model, Random& random) {
  const TensorType type = random.pick({BOOL, BOOL, FLOAT32, INT32, INT64});
  TensorData x = random_data(random, type, random_shape(random, 1, 4, 5), {}, type == BOOL ? 0 : -1, 1);
  for (float& f : x.floats)
    if (random.chance(50)) f = random.chance(50) ? 0 : -0.0F;
  const auto rank = static_cast<std::int32_t>(x.shape.size());
  TensorData y{INT64, {static_cast<std::int32_t>(x.elements()), rank}, {}, {}, {}};
  for_each_index(x.shape, [&](const Index& i) {
    const std::size_t at = place(x.shape, i);
    if (x.is_float() ? x.floats[at] != 0 : x.ints[at] != 0) y.ints.insert(y.ints.end(), i.begin(), i.end());
  });
  y.ints.resize(y.elements());
  model.add(Code::WHERE, {model.input(x)}, {model.output(y)}, schema::WhereOptionsT());
}

void unique(TfliteModel& model, Random& random) {
  const TensorType type = random.pick({FLOAT32, INT32, INT64, INT16, INT8, UINT8});
  const Shape shape = {random.size(1, 30)};
  TensorData x = random_data(random, type, shape, {}, type == UINT8 ? 0 : -3, 3);
  for (float& f : x.floats) f = std::round(f);
  TensorData y{type, shape, {}, {}, {}};
  schema::UniqueOptionsT options;
  options.idx_out_type = random.pick({INT32, INT64});
  TensorData which{options.idx_out_type, shape, {}, {}, {}};
  const auto find = [&](auto& list, auto v) {
    const auto at = std::find(list.begin(), list.end(), v);
    which.ints.push_back(at - list.begin());
    if (at == list.end()) list.push_back(v);
  };
  for (const float f : x.floats) find(y.floats, f);
  for (const std::int64_t i : x.ints) find(y.ints, i);
  x.is_float() ? y.floats.resize(y.elements()) : y.ints.resize(y.elements());
  const std::int32_t first = model.output(y);
  model.add(Code::UNIQUE, {model.input(x)}, {first, model.output(which)}, options);
}

struct Corners {
  double top, left, bottom, right;
};

double covered(const Corners& a, const Corners& b) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top),
               width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double both = std::max(height, 0.0) * std::max(width, 0.0);
  const auto area = [](const Corners& c) { return (c.bottom - c.top) * (c.right - c.left); };
  return both / (area(a) + area(b) - both);
}

// By the definition of soft suppression: of the boxes that are left, each with its score as far as the chosen ones
// lower it, the best one is chosen. All scores and overlaps are apart from each other and from the limits.
void suppress(TfliteModel& model, Random& random, bool soft) {
  const std::int32_t count = random.size(1, 12), most = random.size(0, 14);
  TensorData boxes{FLOAT32, {count, 4}, {}, {}, {}}, scores{FLOAT32, {count}, {}, {}, {}};
  std::vector<Corners> corners;
  for (std::int32_t i = 0; i < count; ++i) {
    const double top = random.real(0, 3), left = random.real(0, 3);
    std::array<float, 4> c = {static_cast<float>(top), static_cast<float>(left),
                              static_cast<float>(top + random.real(0.5, 3)),
                              static_cast<float>(left + random.real(0.5, 3))};
    corners.push_back(
        {static_cast<double>(c[0]), static_cast<double>(c[1]), static_cast<double>(c[2]), static_cast<double>(c[3])});
    if (random.chance(30)) std::swap(c[0], c[2]);
    if (random.chance(30)) std::swap(c[1], c[3]);
    boxes.floats.insert(boxes.floats.end(), c.begin(), c.end());
    scores.floats.push_back(static_cast<float>(random.real(-0.2, 1)));
  }
  const auto number = [&](double low, double high) { return static_cast<float>(random.real(low, high)); };
  const float overlap = number(0.1, 0.95), least = number(-0.1, 0.4),
              sigma = soft && random.chance(80) ? number(0.1, 1) : 0;
  TensorData chosen{INT32, {most}, {}, {}, {}}, values{FLOAT32, {most}, {}, {}, {}}, found{INT32, {}, {}, {}, {}};
  std::vector<double> left(scores.floats.begin(), scores.floats.end());
  std::vector<bool> there(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) there[i] = scores.floats[i] > least;
  while (chosen.ints.size() < static_cast<std::size_t>(most)) {
    std::size_t best = left.size();
    for (std::size_t i = 0; i < left.size(); ++i)
      if (there[i] && (best == left.size() || left[i] > left[best])) best = i;
    if (best == left.size()) break;
    chosen.ints.push_back(static_cast<std::int64_t>(best));
    values.floats.push_back(static_cast<float>(left[best]));
    there[best] = false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const double by = covered(corners[best], corners[i]);
      if (by >= static_cast<double>(overlap)) there[i] = false;
      if (sigma > 0) left[i] *= std::exp(-0.5 / static_cast<double>(sigma) * by * by);
      if (left[i] <= static_cast<double>(least)) there[i] = false;
    }
  }
  found.ints = {static_cast<std::int64_t>(chosen.ints.size())};
  chosen.ints.resize(chosen.elements());
  values.floats.resize(values.elements());
  const auto scalar = [&](float v) { return model.constant(TensorData{FLOAT32, {}, {}, {}, {v}}); };
  std::vector<std::int32_t> inputs = {model.input(boxes), model.input(scores), integers(model, {most}, {}),
                                      scalar(overlap), scalar(least)};
  model.add_text(std::to_string(count) + " boxes, at most " + std::to_string(most));
  if (!soft) {
    const std::int32_t first = model.output(chosen);
    return model.add(Code::NON_MAX_SUPPRESSION_V4, inputs, {first, model.output(found)},
                     schema::NonMaxSuppressionV4OptionsT());
  }
  inputs.push_back(scalar(sigma));
  const std::int32_t first = model.output(chosen), second = model.output(values, 1e-6);
  model.add(Code::NON_MAX_SUPPRESSION_V5, inputs, {first, second, model.output(found)},
            schema::NonMaxSuppressionV5OptionsT());
}

struct SelectedVariant {
  const char* name;
  void (*make)(TfliteModel&, Random&);
};
constexpr SelectedVariant kSelectedVariants[] = {
    {"WHERE", where},
    {"UNIQUE", unique},
    {"NON_MAX_SUPPRESSION_V4", [](TfliteModel& m, Random& r) { suppress(m, r, false); }},
    {"NON_MAX_SUPPRESSION_V5", [](TfliteModel& m, Random& r) { suppress(m, r, true); }},
};

}  // namespace

void make_selected(TfliteModel& model, Random& random, std::size_t index) {
  const SelectedVariant& v = kSelectedVariants[index % std::size(kSelectedVariants)];
  model.add_text(v.name);
  v.make(model, random);
}

}  // namespace byoc::test
