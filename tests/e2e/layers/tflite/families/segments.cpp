// SEGMENT_SUM and UNSORTED_SEGMENT_*, MATRIX_DIAG, MATRIX_SET_DIAG, BITCAST, RANK.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Code = BuiltinOperator;

// Of integers and of floats that are exact in any order.
TensorData summable(Random& random, TensorType type, const Shape& shape) {
  TensorData out{type, shape, {}, {}, {}};
  for (std::size_t i = 0; i < out.elements(); ++i) {
    const std::int64_t v = random.between(-8, 8);
    if (out.is_float())
      out.floats.push_back(static_cast<float>(v) * 0.5F);
    else
      out.ints.push_back(v);
  }
  return out;
}

template <class T>
T joined(Code code, T a, T b) {
  switch (code) {
    case Code::UNSORTED_SEGMENT_MAX: return std::max(a, b);
    case Code::UNSORTED_SEGMENT_MIN: return std::min(a, b);
    case Code::UNSORTED_SEGMENT_PROD: return a * b;
    default: return a + b;
  }
}

template <class T>
T start_of(Code code, T lowest, T highest) {
  if (code == Code::UNSORTED_SEGMENT_MAX) return lowest;
  if (code == Code::UNSORTED_SEGMENT_MIN) return highest;
  return code == Code::UNSORTED_SEGMENT_PROD ? T{1} : T{0};
}

template <class Options>
void segments(TfliteModel& model, Random& random, Code code) {
  const bool sorted = code == Code::SEGMENT_SUM;
  const TensorData x = summable(random, random.pick({FLOAT32, INT32}), random_shape(random, 1, 4, 5));
  const std::int32_t of_ids = sorted ? 1 : random.size(1, static_cast<std::int32_t>(x.shape.size()));
  const Shape ids_shape(x.shape.begin(), x.shape.begin() + of_ids);
  Shape rest(x.shape.begin() + of_ids, x.shape.end());
  TensorData ids{INT32, ids_shape, {}, {}, {}};
  std::int32_t count = sorted ? 0 : random.size(1, 6);
  for (std::size_t i = 0; i < ids.elements(); ++i) {
    if (sorted && i != 0 && random.chance(60)) count += random.size(1, 2);
    ids.ints.push_back(sorted ? count : random.between(random.chance(20) ? -3 : 0, count - 1));
  }
  if (sorted) ++count;
  rest.insert(rest.begin(), count);
  TensorData y{x.type, rest, {}, {}, {}};
  if (x.is_float())
    y.floats.assign(y.elements(),
                    start_of(code, std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()));
  else
    y.ints.assign(y.elements(), start_of<std::int64_t>(code, INT32_MIN, INT32_MAX));
  const std::size_t each = x.elements() / ids.elements();
  for (std::size_t i = 0; i < ids.elements(); ++i)
    for (std::size_t k = 0; ids.ints[i] >= 0 && k < each; ++k) {
      const std::size_t to = static_cast<std::size_t>(ids.ints[i]) * each + k, from = i * each + k;
      if (x.is_float())
        y.floats[to] = joined(code, y.floats[to], x.floats[from]);
      else
        y.ints[to] = static_cast<std::int32_t>(joined(code, y.ints[to], x.ints[from]));  // wraps
    }
  std::vector<std::int32_t> inputs = {model.input(x), operand(model, random, ids)};
  if (!sorted) inputs.push_back(integers(model, {count}, {}));
  model.add(code, inputs, {model.output(y)}, Options());
}

// `make` gives the element of y at an index: one of `from`, or nothing.
template <class F>
TensorData chosen(const Shape& shape, const TensorData& like, F&& make) {
  TensorData y{like.type, shape, like.q, {}, {}};
  for_each_index(shape, [&](const Index& i) { make(y, i); });
  return y;
}

void matrix_diag(TfliteModel& model, Random& random, Code code) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 1, 4, 5));
  Shape shape = x.shape;
  shape.push_back(shape.back());
  const TensorData y = chosen(shape, x, [&](TensorData& out, Index i) {
    const bool there = i.back() == i[i.size() - 2];
    i.pop_back();
    if (there)
      append(out, x, place(x.shape, i));
    else if (x.is_float())
      out.floats.push_back(0);
    else
      out.ints.push_back(0);
  });
  model.add(code, {model.input(x)}, {model.output(y)}, schema::MatrixDiagOptionsT());
}

void matrix_set_diag(TfliteModel& model, Random& random, Code code) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 2, 4, 5));
  Shape shape(x.shape.begin(), x.shape.end() - 1);
  shape.back() = std::min(x.shape.back(), shape.back());
  TensorData given = movable_data(random, x.type, shape);
  given.q = x.q;
  const TensorData y = chosen(x.shape, x, [&](TensorData& out, const Index& i) {
    const Index at(i.begin(), i.end() - 1);
    if (i.back() == at.back())
      append(out, given, place(shape, at));
    else
      append(out, x, place(x.shape, i));
  });
  model.add(code, {model.input(x), operand(model, random, given)}, {model.output(y)}, schema::MatrixSetDiagOptionsT());
}

void bitcast(TfliteModel& model, Random& random, Code code) {
  const TensorData x = random_data(random, FLOAT32, random_shape(random, 0, 4, 5));
  TensorData y{INT32, x.shape, {}, {}, {}};
  for (const float f : x.floats) y.ints.push_back(std::bit_cast<std::int32_t>(f));
  model.add(code, {model.input(x)}, {model.output(y)}, schema::BitcastOptionsT());
}

void rank(TfliteModel& model, Random& random, Code code) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 0, 5, 3));
  const TensorData y{INT32, {}, {}, {static_cast<std::int64_t>(x.shape.size())}, {}};
  model.add(code, {model.input(x)}, {model.output(y)}, schema::RankOptionsT());
}

struct SegmentVariant {
  Code code;
  void (*make)(TfliteModel&, Random&, Code);
};
constexpr std::array kSegmentVariants = {
    SegmentVariant{Code::SEGMENT_SUM, segments<schema::SegmentSumOptionsT>},
    SegmentVariant{Code::UNSORTED_SEGMENT_SUM, segments<schema::UnsortedSegmentSumOptionsT>},
    SegmentVariant{Code::UNSORTED_SEGMENT_PROD, segments<schema::UnsortedSegmentProdOptionsT>},
    SegmentVariant{Code::UNSORTED_SEGMENT_MAX, segments<schema::UnsortedSegmentMaxOptionsT>},
    SegmentVariant{Code::UNSORTED_SEGMENT_MIN, segments<schema::UnsortedSegmentMinOptionsT>},
    SegmentVariant{Code::MATRIX_DIAG, matrix_diag},
    SegmentVariant{Code::MATRIX_SET_DIAG, matrix_set_diag},
    SegmentVariant{Code::BITCAST, bitcast},
    SegmentVariant{Code::RANK, rank},
};

}  // namespace

void make_segments(TfliteModel& model, Random& random, std::size_t index) {
  const SegmentVariant& v = kSegmentVariants[index % kSegmentVariants.size()];
  model.add_text(schema::EnumNameBuiltinOperator(v.code));
  v.make(model, random, v.code);
}

}  // namespace byoc::test
