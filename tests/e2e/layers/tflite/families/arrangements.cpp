// TILE, DYNAMIC_UPDATE_SLICE, ONE_HOT, TOPK_V2, SCATTER_ND, RANGE, REVERSE_SEQUENCE.
#include <algorithm>
#include <numeric>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using Code = BuiltinOperator;
using enum TensorType;

// Integers that the model computes with: a constant, or an input.
std::int32_t indices(TfliteModel& model, Random& random, TensorType type, Shape shape,
                     std::vector<std::int64_t> values) {
  return operand(model, random, {type, std::move(shape), {}, std::move(values), {}});
}

void tile(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 0, 5, 5));
  Shape repeats(x.shape.size()), shape = x.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) shape[d] *= repeats[d] = random.size(1, 3);
  const TensorData y = moved(x, shape, [&](Index i) {
    for (std::size_t d = 0; d < i.size(); ++d) i[d] %= x.shape[d];
    return i;
  });
  model.add(Code::TILE, {model.input(x), integers(model, repeats)}, {model.output(y)}, schema::TileOptionsT());
}

// Where the update would stand out, it is moved inside.
void dynamic_update_slice(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 1, 5, 5));
  Shape block = x.shape, start(x.shape.size());
  std::vector<std::int64_t> named;
  for (std::size_t d = 0; d < block.size(); ++d) {
    block[d] = random.size(1, block[d]);
    start[d] = random.size(0, x.shape[d] - block[d]);
    std::int64_t n = start[d];
    if (start[d] == 0 && random.chance(30)) n = random.pick<std::int64_t>({-1, -5, lowest(INT32)});
    if (start[d] == x.shape[d] - block[d] && random.chance(30))
      n += random.pick<std::int64_t>({1, 9, highest(INT32) - 9});
    named.push_back(n);
  }
  TensorData update = movable_data(random, x.type, block);
  update.q = x.q;
  TensorData y = x;
  for_each_index(block, [&](const Index& i) {
    Index to = i;
    for (std::size_t d = 0; d < to.size(); ++d) to[d] += start[d];
    const std::size_t from = place(block, i), at = place(x.shape, to);
    if (x.is_float())
      y.floats[at] = update.floats[from];
    else
      y.ints[at] = update.ints[from];
  });
  model.add_text(text(block) + " into " + text(x.shape));
  const auto rank = static_cast<std::int32_t>(x.shape.size());
  model.add(Code::DYNAMIC_UPDATE_SLICE,
            {operand(model, random, x), model.input(update),
             indices(model, random, random.pick({INT32, INT64}), {rank}, named)},
            {model.output(y)}, schema::DynamicUpdateSliceOptionsT());
}

// An index outside, a negative one too, is nowhere.
void one_hot(TfliteModel& model, Random& random) {
  const Shape shape = random_shape(random, 0, 3, 5);
  const std::int32_t depth = random.size(1, 6), rank = static_cast<std::int32_t>(shape.size());
  const TensorData at = random_data(random, random.pick({INT32, INT64}), shape, {}, -2, depth + 1);
  const TensorType type = movable_type(random);
  const TensorData on = movable_data(random, type, {});
  TensorData off = movable_data(random, type, {});
  off.q = on.q;
  schema::OneHotOptionsT options;
  options.axis = random.size(-1, rank);
  const std::int32_t axis = options.axis < 0 ? rank : options.axis;
  TensorData y{type, shape, on.q, {}, {}};
  y.shape.insert(y.shape.begin() + axis, depth);
  for_each_index(y.shape, [&](Index i) {
    const std::int32_t k = i[static_cast<std::size_t>(axis)];
    i.erase(i.begin() + axis);
    append(y, at.ints[place(shape, i)] == k ? on : off, 0);
  });
  model.add(Code::ONE_HOT,
            {operand(model, random, at), integers(model, {depth}, {}), operand(model, random, on), model.input(off)},
            {model.output(y)}, options);
}

// Of equal elements the first.
void topk(TfliteModel& model, Random& random) {
  TensorData x = movable_data(random, random.pick({INT8, INT16, FLOAT32, INT32, INT64}), random_shape(random, 1, 3, 5));
  if (random.chance(50))
    for (std::int64_t& v : x.ints) v = std::clamp<std::int64_t>(v, -2, 1);
  const std::int32_t length = x.shape.back(), k = random.size(1, length);
  TensorData y{x.type, x.shape, x.q, {}, {}};
  y.shape.back() = k;
  TensorData at{INT32, y.shape, {}, {}, {}};
  const auto value = [&](std::size_t i) {
    return x.is_float() ? static_cast<double>(x.floats[i]) : static_cast<double>(x.ints[i]);
  };
  for (std::size_t row = 0; row < x.elements(); row += static_cast<std::size_t>(length)) {
    std::vector<std::size_t> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), row);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      append(y, x, order[i]);
      at.ints.push_back(static_cast<std::int64_t>(order[i] - row));
    }
  }
  const auto in = model.input(x), count = integers(model, {k}, random.chance(50) ? Shape{} : Shape{1});
  const auto values = model.output(y), places = model.output(at);
  model.add(Code::TOPK_V2, {in, count}, {values, places}, schema::TopKV2OptionsT(), 2);
}

// Updates at one place add up.
void scatter_nd(TfliteModel& model, Random& random) {
  const Shape shape = random_shape(random, 1, 4, 5);
  const std::int32_t width = random.size(1, static_cast<std::int32_t>(shape.size()));
  Shape list = random_shape(random, 0, 2, 5);
  std::vector<std::int64_t> tuples;
  Shape updates_shape = list;
  updates_shape.insert(updates_shape.end(), shape.begin() + width, shape.end());
  std::size_t count = 1;
  for (const std::int32_t d : list) count *= static_cast<std::size_t>(d);
  for (std::size_t t = 0; t < count; ++t)
    for (std::int32_t d = 0; d < width; ++d)
      tuples.push_back(random.between(0, shape[static_cast<std::size_t>(d)] - 1));
  const TensorType type = random.pick({FLOAT32, INT32, INT64});
  const TensorData updates = type == FLOAT32 ? random_data(random, type, updates_shape)
                                             : random_data(random, type, updates_shape, {}, -1e6, 1e6);
  TensorData y{type, shape, {}, {}, {}};
  y.ints.resize(type == FLOAT32 ? 0 : y.elements());
  y.floats.resize(type == FLOAT32 ? y.elements() : 0);
  std::size_t inner = updates.elements() / count;
  for (std::size_t t = 0; t < count; ++t) {
    Index to(shape.size(), 0);
    for (std::size_t d = 0; d < static_cast<std::size_t>(width); ++d)
      to[d] = static_cast<std::int32_t>(tuples[t * static_cast<std::size_t>(width) + d]);
    for (std::size_t i = 0; i < inner; ++i) {
      const std::size_t at = place(shape, to) + i;
      if (type == FLOAT32)
        y.floats[at] += updates.floats[t * inner + i];
      else
        y.ints[at] += updates.ints[t * inner + i];
    }
  }
  list.push_back(width);
  const auto at = indices(model, random, INT32, list, tuples);
  model.add(Code::SCATTER_ND, {at, model.input(updates), integers(model, shape)}, {model.output(y)},
            schema::ScatterNdOptionsT());
}

// A constant of the model, which is an output.
void range(TfliteModel& model, Random& random) {
  const TensorType type = random.pick({INT32, INT64, FLOAT32});
  const bool is_float = type == FLOAT32;
  const std::int32_t count = random.size(1, 30);
  const std::int64_t start = random.between(-20, 20), step = random.pick<std::int64_t>({1, 3, -1, -2});
  TensorData y{type, {count}, {}, {}, {}};
  for (std::int32_t i = 0; i < count; ++i) {
    if (is_float)
      y.floats.push_back(static_cast<float>(start + i * step) * 0.25f);  // exact, in whatever order
    else
      y.ints.push_back(start + i * step);
  }
  const auto scalar = [&](std::int64_t v) {
    return model.constant({type,
                           {},
                           {},
                           is_float ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{v},
                           is_float ? std::vector<float>{static_cast<float>(v) * 0.25f} : std::vector<float>{}});
  };
  // The limit lies behind the last element, somewhere before the next.
  const std::int64_t limit = start + count * step - (std::abs(step) > 1 && !is_float ? step / std::abs(step) : 0);
  model.add(Code::RANGE, {scalar(start), scalar(limit), scalar(step)}, {model.output(y)}, schema::RangeOptionsT());
}

void reverse_sequence(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 2, 5, 5));
  const auto rank = static_cast<std::int32_t>(x.shape.size());
  schema::ReverseSequenceOptionsT options;
  options.batch_dim = random.size(0, rank - 1);
  options.seq_dim = (options.batch_dim + random.size(1, rank - 1)) % rank;
  const auto b = static_cast<std::size_t>(options.batch_dim), s = static_cast<std::size_t>(options.seq_dim);
  std::vector<std::int64_t> lengths;
  for (std::int32_t i = 0; i < x.shape[b]; ++i) lengths.push_back(random.between(1, x.shape[s]));
  const TensorData y = moved(x, x.shape, [&](Index i) {
    const auto length = static_cast<std::int32_t>(lengths[static_cast<std::size_t>(i[b])]);
    if (i[s] < length) i[s] = length - 1 - i[s];
    return i;
  });
  model.add_text(text(x.shape) + " batch " + std::to_string(b) + " sequence " + std::to_string(s));
  const auto along = indices(model, random, random.pick({INT32, INT64}), {x.shape[b]}, lengths);
  model.add(Code::REVERSE_SEQUENCE, {model.input(x), along}, {model.output(y)}, options);
}

struct ArrangementsVariant {
  const char* name;
  void (*make)(TfliteModel&, Random&);
};
constexpr ArrangementsVariant kArrangementsVariants[] = {
    {"TILE", tile},
    {"DYNAMIC_UPDATE_SLICE", dynamic_update_slice},
    {"ONE_HOT", one_hot},
    {"TOPK_V2", topk},
    {"SCATTER_ND", scatter_nd},
    {"RANGE", range},
    {"REVERSE_SEQUENCE", reverse_sequence},
    {"DYNAMIC_UPDATE_SLICE", dynamic_update_slice},
};

}  // namespace

void make_arrangements(TfliteModel& model, Random& random, std::size_t index) {
  const ArrangementsVariant& v = kArrangementsVariants[index % std::size(kArrangementsVariants)];
  model.add_text(v.name);
  v.make(model, random);
}

}  // namespace byoc::test
