// Operators that move or select elements between DequantizeLinear and QuantizeLinear, whose quantisation often differs,
// and QLinearConcat.
#include <algorithm>
#include <numeric>

#include "tests/e2e/layers/broadcasting.hpp"
#include "tests/e2e/layers/moved.hpp"
#include "tests/e2e/layers/onnx/families.hpp"
#include "tests/e2e/layers/onnx/rounding.hpp"

namespace byoc::test {
namespace {

using enum TensorType;
using Names = OnnxModel::Names;

constexpr TensorType kMovedTypes[] = {INT8, UINT8, INT16, UINT16};

TensorData random_input(Random& random, TensorType type, Shape shape) {
  return random_data(random, type, std::move(shape), onnx_quantisation(random, type, 1e-2, 1));
}

// A quantisation for what has `like`'s type: the same, or another near it.
TfliteQuantisation another(Random& random, const TensorData& like) {
  if (random.chance(40)) return like.q;
  const auto scale = static_cast<double>(like.scale());
  TfliteQuantisation q = onnx_quantisation(random, like.type, scale / 3, scale * 3);
  if (random.chance(20)) q.scales = like.q.scales;
  return q;
}

// `x` as what is quantised like `q` says.
TensorData requantised(const TensorData& x, const TfliteQuantisation& q) {
  TensorData y{x.type, x.shape, q, {}, {}};
  for (std::size_t i = 0; i < x.ints.size(); ++i) y.ints.push_back(quantised(dequantised(x, i), y));
  return y;
}

// The result, which has x's quantisation still, through QuantizeLinear to an output.
void finish_moved(OnnxModel& model, Random& random, const std::string& real, const TensorData& y) {
  const TensorData out = requantised(y, another(random, y));
  model.quantise(real, out, model.output(out));
}

struct Joined {
  std::vector<TensorData> parts;
  TensorData y;
  std::size_t axis = 0;
};

// Parts of different quantisations, and their concatenation in one.
Joined random_concatenation(Random& random, TensorType type) {
  Joined j;
  const Shape shape = random_shape(random, 1, 4, 5);
  j.axis = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shape.size()) - 1));
  j.y = {type, shape, onnx_quantisation(random, type, 1e-2, 1), {}, {}};
  j.y.shape[j.axis] = 0;
  const std::int32_t count = random.size(1, 4);
  for (std::int32_t i = 0; i < count; ++i) {
    Shape own = shape;
    own[j.axis] = random.size(1, 5);
    j.parts.push_back(random_data(random, type, own, another(random, j.y)));
    j.y.shape[j.axis] += own[j.axis];
  }
  for_each_index(j.y.shape, [&](Index at) {
    std::size_t part = 0;
    for (; at[j.axis] >= j.parts[part].shape[j.axis]; ++part) at[j.axis] -= j.parts[part].shape[j.axis];
    j.y.ints.push_back(quantised(dequantised(j.parts[part], place(j.parts[part].shape, at)), j.y));
  });
  return j;
}

void add_concat(OnnxModel& model, Random& random, TensorType type) {
  const Joined j = random_concatenation(random, type);
  Names inputs;
  for (const TensorData& part : j.parts)
    inputs.push_back(random.chance(15) ? model.dequantised_constant(part) : model.dequantised_input(part));
  TensorData y = j.y;
  if (random.chance(10)) {  // one part is computed
    inputs[0] = model.apply("Relu", {inputs[0]});
    for_each_index(j.parts[0].shape, [&](const Index& at) {
      const float value = dequantised(j.parts[0], place(j.parts[0].shape, at));
      y.ints[place(y.shape, at)] = quantised(std::max(value, 0.0f), y);
    });
  }
  const std::string real = model.between();
  set(model.node("Concat", inputs, {real}), "axis", static_cast<std::int64_t>(j.axis));
  model.quantise(real, y, model.output(y));
}

void add_qlinear_concat(OnnxModel& model, Random& random, TensorType type) {
  const Joined j = random_concatenation(random, type == INT16 ? INT8 : type == UINT16 ? UINT8 : type);
  Names inputs = model.parameters(j.y);
  for (const TensorData& part : j.parts) {
    inputs.push_back(model.input(part));
    for (const std::string& name : model.parameters(part)) inputs.push_back(name);
  }
  set(model.node("QLinearConcat", inputs, {model.output(j.y)}, kContributed), "axis",
      static_cast<std::int64_t>(j.axis));
}

void add_transpose(OnnxModel& model, Random& random, TensorType type) {
  const TensorData x = random_input(random, type, random_shape(random, 2, 4, 6));
  std::vector<std::int64_t> perm(x.shape.size());
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = perm.size(); i-- > 1;)
    std::swap(perm[i], perm[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i)))]);
  Shape shape;
  for (const std::int64_t p : perm) shape.push_back(x.shape[static_cast<std::size_t>(p)]);
  const TensorData y = moved(x, shape, [&](const Index& at) {
    Index from(at.size());
    for (std::size_t d = 0; d < at.size(); ++d) from[static_cast<std::size_t>(perm[d])] = at[d];
    return from;
  });
  const std::string in = model.dequantised_input(x), real = model.between();
  set(model.node("Transpose", {in}, {real}), "perm", perm);
  finish_moved(model, random, real, y);
}

void add_reshape(OnnxModel& model, Random& random, TensorType type) {
  const TensorData x = random_input(random, type, random_shape(random, 1, 4, 6));
  TensorData y = x;
  const auto count = static_cast<std::int32_t>(x.elements());
  std::int32_t rows = random.size(1, count);
  while (count % rows != 0) --rows;
  y.shape = random.chance(40) ? Shape{count} : Shape{rows, 1, count / rows};
  finish_moved(model, random, model.apply("Reshape", {model.dequantised_input(x), model.integers(wide(y.shape))}), y);
}

void add_slice(OnnxModel& model, Random& random, TensorType type) {
  const TensorData x = random_input(random, type, random_shape(random, 1, 4, 8));
  std::vector<std::int64_t> starts, ends, axes, steps;
  Shape shape;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    const std::int64_t length = x.shape[d], start = random.between(0, length - 1), step = random.between(1, 3);
    const bool backwards = random.chance(25);
    const std::int64_t reach = backwards ? start + 1 : length - start;
    const std::int64_t count = (random.between(1, reach) + step - 1) / step;
    starts.push_back(start);
    steps.push_back(backwards ? -step : step);
    const std::int64_t end = start + steps.back() * (count - 1) + (backwards ? -1 : 1);
    ends.push_back(end < 0 ? -1000 : end);
    axes.push_back(static_cast<std::int64_t>(d));
    shape.push_back(static_cast<std::int32_t>(count));
  }
  const TensorData y = moved(x, shape, [&](const Index& at) {
    Index from(at.size());
    for (std::size_t d = 0; d < at.size(); ++d) from[d] = static_cast<std::int32_t>(starts[d] + steps[d] * at[d]);
    return from;
  });
  finish_moved(model, random,
               model.apply("Slice", {model.dequantised_input(x), model.integers(starts), model.integers(ends),
                                     model.integers(axes), model.integers(steps)}),
               y);
}

void add_pad(OnnxModel& model, Random& random, TensorType type) {
  const TensorData x = random_input(random, type, random_shape(random, 1, 4, 5));
  const char* mode = random.pick({"constant", "constant", "edge", "reflect"});
  const bool is_constant = mode == std::string_view("constant");
  std::vector<std::int64_t> begins, ends;
  Shape shape;
  for (const std::int32_t d : x.shape) {
    const std::int64_t most = mode == std::string_view("reflect") ? std::min(d - 1, 3) : 3;
    begins.push_back(random.between(0, most));
    ends.push_back(random.between(0, most));
    shape.push_back(static_cast<std::int32_t>(d + begins.back() + ends.back()));
  }
  const float fill = random.chance(50) ? 0 : static_cast<float>(random.real(-3, 3));
  TensorData y{type, shape, another(random, x), {}, {}};
  for_each_index(shape, [&](Index at) {
    bool is_inside = true;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const std::int32_t last = x.shape[d] - 1;
      at[d] -= static_cast<std::int32_t>(begins[d]);
      is_inside = is_inside && at[d] >= 0 && at[d] <= last;
      if (mode == std::string_view("edge")) at[d] = std::clamp(at[d], 0, last);
      if (mode == std::string_view("reflect")) at[d] = at[d] < 0 ? -at[d] : at[d] > last ? 2 * last - at[d] : at[d];
    }
    y.ints.push_back(quantised(is_constant && !is_inside ? fill : dequantised(x, place(x.shape, at)), y));
  });
  begins.insert(begins.end(), ends.begin(), ends.end());
  Names inputs{model.dequantised_input(x), model.integers(begins)};
  if (is_constant && (fill != 0 || random.chance(50))) inputs.push_back(model.real(fill));
  const std::string real = model.between();
  set(model.node("Pad", inputs, {real}), "mode", mode);
  model.quantise(real, y, model.output(y));
}

void add_resize(OnnxModel& model, Random& random, TensorType type) {
  const TensorData x =
      random_input(random, type, {random.size(1, 2), random_channels(random, 5), random.size(1, 6), random.size(1, 6)});
  const std::int32_t up = random.size(1, 3), across = random.size(1, 3);
  const TensorData y = moved(x, {x.shape[0], x.shape[1], x.shape[2] * up, x.shape[3] * across},
                             [&](const Index& at) { return Index{at[0], at[1], at[2] / up, at[3] / across}; });
  const std::string scales =
      model.constant({FLOAT32, {4}, {}, {}, {1, 1, static_cast<float>(up), static_cast<float>(across)}});
  const std::string in = model.dequantised_input(x), real = model.between();
  auto& node = model.node("Resize", {in, "", scales}, {real});
  set(node, "mode", "nearest");
  set(node, "coordinate_transformation_mode", "asymmetric");
  set(node, "nearest_mode", "floor");
  finish_moved(model, random, real, y);
}

void add_split(OnnxModel& model, Random& random, TensorType type) {
  TensorData x = random_input(random, type, random_shape(random, 1, 4, 5));
  const auto axis = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(x.shape.size()) - 1));
  std::vector<std::int64_t> lengths;
  const std::int32_t count = random.size(2, 3);
  for (std::int32_t i = 0; i < count; ++i) lengths.push_back(random.between(1, 4));
  x.shape[axis] = static_cast<std::int32_t>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
  x = random_data(random, type, x.shape, x.q);
  Names parts;
  for (std::int32_t i = 0; i < count; ++i) parts.push_back(model.between());
  const Names inputs{model.dequantised_input(x), model.integers(lengths)};
  set(model.node("Split", inputs, parts), "axis", static_cast<std::int64_t>(axis));
  std::int32_t start = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Shape shape = x.shape;
    shape[axis] = static_cast<std::int32_t>(lengths[i]);
    finish_moved(model, random, parts[i], moved(x, shape, [&](Index at) {
                   at[axis] += start;
                   return at;
                 }));
    start += shape[axis];
  }
}

void add_gather(OnnxModel& model, Random& random, TensorType type) {
  const TensorData x = random_input(random, type, random_shape(random, 1, 4, 6));
  const auto axis = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(x.shape.size()) - 1));
  std::vector<std::int64_t> indices(static_cast<std::size_t>(random.size(1, 5)));
  for (std::int64_t& i : indices) i = random.between(-x.shape[axis], x.shape[axis] - 1);
  Shape shape = x.shape;
  shape[axis] = static_cast<std::int32_t>(indices.size());
  const TensorData y = moved(x, shape, [&](Index at) {
    const std::int64_t i = indices[static_cast<std::size_t>(at[axis])];
    at[axis] = static_cast<std::int32_t>(i < 0 ? i + x.shape[axis] : i);
    return at;
  });
  const Names inputs{model.dequantised_input(x), model.integers(indices)};
  const std::string real = model.between();
  set(model.node("Gather", inputs, {real}), "axis", static_cast<std::int64_t>(axis));
  finish_moved(model, random, real, y);
}

}  // namespace

void make_onnx_movement(OnnxModel& model, Random& random, std::size_t index) {
  struct Form {
    const char* name;
    void (*add)(OnnxModel&, Random&, TensorType);
  };
  static constexpr Form kForms[] = {
      {"Concat", add_concat},       {"QLinearConcat", add_qlinear_concat},
      {"Transpose", add_transpose}, {"Reshape", add_reshape},
      {"Slice", add_slice},         {"Pad", add_pad},
      {"Resize", add_resize},       {"Split", add_split},
      {"Gather", add_gather},
  };
  const Form& form = kForms[index % std::size(kForms)];
  const TensorType type = kMovedTypes[index / std::size(kForms) % std::size(kMovedTypes)];
  model.add_text(std::string(form.name) + " " + schema::EnumNameTensorType(type));
  form.add(model, random, type);
}

}  // namespace byoc::test
