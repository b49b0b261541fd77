// SELECT, SELECT_V2, ARG_MAX, ARG_MIN, CAST, BROADCAST_ARGS.
#include <algorithm>
#include <cmath>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using Code = BuiltinOperator;
using enum TensorType;

// Some of the last dimensions, some of them 1.
Shape broadcasting(Random& random, const Shape& shape) {
  Shape out(shape.begin() + random.size(0, static_cast<std::int32_t>(shape.size())), shape.end());
  for (std::int32_t& d : out)
    if (random.chance(30)) d = 1;
  return out;
}

std::size_t broadcast_place(const Shape& from, const Index& i) {
  Index own(i.end() - static_cast<std::ptrdiff_t>(from.size()), i.end());
  for (std::size_t d = 0; d < own.size(); ++d) own[d] = std::min(own[d], from[d] - 1);
  return place(from, own);
}

void select_v2(TfliteModel& model, Random& random) {
  const Shape shape = random_shape(random, 1, 4, 5);
  const TensorData condition = random_data(random, BOOL, random.chance(50) ? shape : broadcasting(random, shape));
  const TensorType type = movable_type(random);
  const TensorData a = movable_data(random, type, shape);
  TensorData b = movable_data(random, type, broadcasting(random, shape));
  b.q = a.q;
  TensorData y{type, shape, a.q, {}, {}};
  for_each_index(shape, [&](const Index& i) {
    const TensorData& from = condition.ints[broadcast_place(condition.shape, i)] ? a : b;
    append(y, from, broadcast_place(from.shape, i));
  });
  model.add(Code::SELECT_V2, {model.input(condition), model.input(a), operand(model, random, b)}, {model.output(y)},
            schema::SelectV2OptionsT());
}

void select(TfliteModel& model, Random& random) {
  const Shape shape = random_shape(random, 1, 4, 5);
  const TensorData condition = random_data(random, BOOL, random.pick<Shape>({shape, {}, {shape[0]}}));
  const TensorType type = movable_type(random);
  const TensorData a = movable_data(random, type, shape);
  TensorData b = movable_data(random, type, shape);
  b.q = a.q;
  TensorData y{type, shape, a.q, {}, {}};
  for_each_index(shape, [&](const Index& i) {
    const std::size_t at = condition.shape == shape  ? place(shape, i)
                           : condition.shape.empty() ? 0
                                                     : static_cast<std::size_t>(i[0]);
    append(y, condition.ints[at] ? a : b, place(shape, i));
  });
  model.add(Code::SELECT, {model.input(condition), model.input(a), model.input(b)}, {model.output(y)},
            schema::SelectOptionsT());
}

void arg(TfliteModel& model, Random& random, bool is_max) {
  const TensorType type = random.pick({INT8, INT8, FLOAT32, INT16, INT32});
  TensorData x = movable_data(random, type, random_shape(random, 1, 4, 5));
  if (random.chance(50))  // equal elements: the first counts
    for (std::int64_t& v : x.ints) v = std::clamp<std::int64_t>(v, -2, 1);
  const std::int32_t axis = random.size(0, static_cast<std::int32_t>(x.shape.size()) - 1);
  const auto a = static_cast<std::size_t>(axis);
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  TensorData y{random.pick({INT32, INT64}), shape, {}, {}, {}};
  for_each_index(shape, [&](Index i) {
    i.insert(i.begin() + axis, 0);
    const auto value = [&](std::int32_t k) {
      i[a] = k;
      const std::size_t p = place(x.shape, i);
      return x.is_float() ? static_cast<double>(x.floats[p]) : static_cast<double>(x.ints[p]);
    };
    std::int32_t best = 0;
    for (std::int32_t k = 1; k < x.shape[a]; ++k)
      if (is_max ? value(k) > value(best) : value(k) < value(best)) best = k;
    y.ints.push_back(best);
  });
  const auto in = model.input(x);
  const auto along = integers(model, {random.chance(50) ? axis : axis - static_cast<std::int32_t>(x.shape.size())}, {});
  if (is_max) {
    schema::ArgMaxOptionsT o;
    o.output_type = y.type;
    model.add(Code::ARG_MAX, {in, along}, {model.output(y)}, o, 2);
  } else {
    schema::ArgMinOptionsT o;
    o.output_type = y.type;
    model.add(Code::ARG_MIN, {in, along}, {model.output(y)}, o, 2);
  }
}

// In range, or to a narrower integer, which keeps the low bits.
void cast(TfliteModel& model, Random& random) {
  const auto any = [&] { return random.pick({FLOAT32, INT8, UINT8, INT16, INT32, INT64, BOOL}); };
  const TensorType from = any(), to = any();
  TensorData x = random_data(random, from, random_shape(random, 0, 3, 5), {},
                             from == FLOAT32 ? -100
                             : from == INT64 ? -1e9
                                             : std::max(-1e9, static_cast<double>(lowest(from))),
                             from == FLOAT32 ? 100 : std::min(1e9, static_cast<double>(highest(from))));
  if (to == UINT8)
    for (float& f : x.floats) f = std::abs(f);
  TensorData y{to, x.shape, {}, {}, {}};
  for (std::size_t i = 0; i < x.elements(); ++i) {
    const double v = x.is_float() ? static_cast<double>(x.floats[i]) : static_cast<double>(x.ints[i]);
    if (to == FLOAT32) {
      y.floats.push_back(static_cast<float>(v));
    } else if (to == BOOL) {
      y.ints.push_back(v != 0);
    } else {
      const auto whole = static_cast<std::int64_t>(v);
      const int bits = to == INT64 ? 64 : to == INT32 ? 32 : to == INT16 ? 16 : 8;
      const auto low = static_cast<std::uint64_t>(whole) << (64 - bits);
      y.ints.push_back(to == UINT8 ? static_cast<std::int64_t>(low >> 56)
                                   : static_cast<std::int64_t>(low) >> (64 - bits));
    }
  }
  schema::CastOptionsT o;
  o.in_data_type = from;
  o.out_data_type = to;
  model.add(Code::CAST, {model.input(x)}, {model.output(y)}, o);
}

void broadcast_args(TfliteModel& model, Random& random) {
  const Shape shape = random_shape(random, 1, 5, 5);
  const Shape a = broadcasting(random, shape);
  Shape b = shape;
  for (std::size_t d = 0; d < b.size(); ++d)
    if (d + a.size() >= b.size() && a[d + a.size() - b.size()] == b[d] && random.chance(40)) b[d] = 1;
  if (a.empty()) return select(model, random);  // an input has an element
  const TensorType type = random.pick({INT32, INT64});
  const auto tensor = [&](const Shape& s) {
    return TensorData{type, {static_cast<std::int32_t>(s.size())}, {}, {s.begin(), s.end()}, {}};
  };
  model.add(Code::BROADCAST_ARGS, {operand(model, random, tensor(a)), operand(model, random, tensor(b))},
            {model.output(tensor(shape))});
}

struct SelectionVariant {
  const char* name;
  void (*make)(TfliteModel&, Random&);
};
constexpr SelectionVariant kSelectionVariants[] = {
    {"SELECT_V2", select_v2},
    {"SELECT", select},
    {"ARG_MAX", [](TfliteModel& s, Random& r) { arg(s, r, true); }},
    {"ARG_MIN", [](TfliteModel& s, Random& r) { arg(s, r, false); }},
    {"CAST", cast},
    {"CAST", cast},
    {"BROADCAST_ARGS", broadcast_args},
};

}  // namespace

void make_selections(TfliteModel& model, Random& random, std::size_t index) {
  const SelectionVariant& v = kSelectionVariants[index % std::size(kSelectionVariants)];
  model.add_text(v.name);
  v.make(model, random);
}

}  // namespace byoc::test
