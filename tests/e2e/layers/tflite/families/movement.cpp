// Operators that move elements, of every type.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tests/e2e/layers/tflite/families.hpp"
#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {
namespace {

using Code = BuiltinOperator;

std::int32_t random_axis(Random& random, const Shape& shape) {
  return random.size(0, static_cast<std::int32_t>(shape.size()) - 1);
}
// The same axis, counted from the end sometimes.
std::int32_t named(Random& random, std::int32_t axis, std::size_t rank) {
  return random.chance(50) ? axis : axis - static_cast<std::int32_t>(rank);
}

void concatenation(TfliteModel& model, Random& random) {
  TensorType type = movable_type(random);
  if (type == TensorType::BOOL) type = TensorType::INT8;
  const Shape shape = random_shape(random, 1, 4);
  const std::int32_t axis = random_axis(random, shape);
  const auto a = static_cast<std::size_t>(axis);
  const TensorData first = movable_data(random, type, shape);
  std::vector<TensorData> parts;
  std::vector<std::int32_t> inputs;
  Shape whole = shape;
  whole[a] = 0;
  for (std::int32_t i = random.size(1, 4); i > 0; --i) {
    Shape s = shape;
    s[a] = random.size(1, 5);
    TensorData part = movable_data(random, type, s);
    part.q = first.q;
    whole[a] += s[a];
    inputs.push_back(operand(model, random, part));
    parts.push_back(part);
  }
  TensorData y{type, whole, first.q, {}, {}};
  for_each_index(whole, [&](Index index) {
    std::size_t p = 0;
    for (; index[a] >= parts[p].shape[a]; ++p) index[a] -= parts[p].shape[a];
    append(y, parts[p], place(parts[p].shape, index));
  });
  schema::ConcatenationOptionsT options;
  options.axis = named(random, axis, shape.size());
  model.add(Code::CONCATENATION, inputs, {model.output(y)}, options, 2);
}

void split(TfliteModel& model, Random& random, bool lengths_given) {
  Shape shape = random_shape(random, 1, 4);
  const std::int32_t axis = random_axis(random, shape), pieces = random.size(1, 4);
  const auto a = static_cast<std::size_t>(axis);
  std::vector<std::int32_t> lengths;
  const std::int32_t each = random.size(1, 3);
  for (std::int32_t i = 0; i < pieces; ++i) lengths.push_back(lengths_given ? random.size(1, 4) : each);
  shape[a] = std::accumulate(lengths.begin(), lengths.end(), 0);
  const TensorData x = movable_data(random, movable_type(random), shape);
  std::vector<std::int32_t> outputs;
  const auto in = model.input(x);
  std::int32_t start = 0;
  for (const std::int32_t l : lengths) {
    Shape s = shape;
    s[a] = l;
    outputs.push_back(model.output(moved(x, s, [&](Index i) {
      i[a] += start;
      return i;
    })));
    start += l;
  }
  const auto at = integers(model, {named(random, axis, shape.size())}, random.chance(50) ? Shape{} : Shape{1});
  if (lengths_given) {
    if (random.chance(40)) lengths[static_cast<std::size_t>(random.size(0, pieces - 1))] = -1;
    schema::SplitVOptionsT options;
    options.num_splits = pieces;
    model.add(Code::SPLIT_V, {in, integers(model, lengths), at}, outputs, options, 2);
  } else {
    schema::SplitOptionsT options;
    options.num_splits = pieces;
    model.add(Code::SPLIT, {at, in}, outputs, options, 2);
  }
}

Shape with(Shape shape, std::size_t axis, std::int32_t length) {
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), length);
  return shape;
}
Index without(Index index, std::size_t axis) {
  index.erase(index.begin() + static_cast<std::ptrdiff_t>(axis));
  return index;
}

void pack(TfliteModel& model, Random& random) {
  const Shape shape = random_shape(random, 0, 3);
  const std::int32_t axis = random.size(0, static_cast<std::int32_t>(shape.size())), count = random.size(1, 4);
  const auto a = static_cast<std::size_t>(axis);
  const TensorType type = movable_type(random);
  std::vector<TensorData> parts;
  std::vector<std::int32_t> inputs;
  for (std::int32_t i = 0; i < count; ++i) {
    parts.push_back(movable_data(random, type, shape));
    inputs.push_back(operand(model, random, parts.back()));
  }
  TensorData y{type, with(shape, a, count), parts[0].q, {}, {}};
  for_each_index(
      y.shape, [&](const Index& i) { append(y, parts[static_cast<std::size_t>(i[a])], place(shape, without(i, a))); });
  schema::PackOptionsT options;
  options.axis = named(random, axis, y.shape.size());
  options.values_count = count;
  model.add(Code::PACK, inputs, {model.output(y)}, options);
}

void unpack(TfliteModel& model, Random& random) {
  const Shape shape = random_shape(random, 0, 3);
  const std::int32_t axis = random.size(0, static_cast<std::int32_t>(shape.size())), count = random.size(1, 4);
  const auto a = static_cast<std::size_t>(axis);
  const TensorData x = movable_data(random, movable_type(random), with(shape, a, count));
  std::vector<std::int32_t> outputs;
  const auto in = model.input(x);
  for (std::int32_t k = 0; k < count; ++k)
    outputs.push_back(model.output(moved(x, shape, [&](const Index& i) { return with(i, a, k); })));
  schema::UnpackOptionsT options;
  options.axis = named(random, axis, x.shape.size());
  options.num = count;
  model.add(Code::UNPACK, {in}, outputs, options);
}

void gather(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 1, 4));
  const std::int32_t axis = random_axis(random, x.shape);
  const std::int32_t batch = random.chance(40) ? random.size(0, axis) : 0;
  const auto a = static_cast<std::ptrdiff_t>(axis), b = static_cast<std::ptrdiff_t>(batch);
  Shape at_shape(x.shape.begin(), x.shape.begin() + b);
  for (const std::int32_t d : random_shape(random, 0, 2, 4)) at_shape.push_back(d);
  const TensorData at =
      random_data(random, TensorType::INT32, at_shape, {}, 0, x.shape[static_cast<std::size_t>(a)] - 1);
  Shape shape(x.shape.begin(), x.shape.begin() + a);
  shape.insert(shape.end(), at_shape.begin() + b, at_shape.end());
  shape.insert(shape.end(), x.shape.begin() + a + 1, x.shape.end());
  const auto picks = static_cast<std::ptrdiff_t>(at_shape.size()) - b;
  const TensorData y = moved(x, shape, [&](const Index& i) {
    Index where(i.begin(), i.begin() + b);
    where.insert(where.end(), i.begin() + a, i.begin() + a + picks);
    Index from(i.begin(), i.begin() + a);
    from.push_back(static_cast<std::int32_t>(at.ints[place(at_shape, where)]));
    from.insert(from.end(), i.begin() + a + picks, i.end());
    return from;
  });
  schema::GatherOptionsT options;
  options.axis = named(random, axis, x.shape.size());
  options.batch_dims = batch;
  model.add(Code::GATHER, {operand(model, random, x), operand(model, random, at)}, {model.output(y)}, options, 5);
}

void gather_nd(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 1, 4));
  const std::int32_t depth = random.size(1, static_cast<std::int32_t>(x.shape.size()));
  Shape at_shape = random_shape(random, 0, 2, 4);
  Shape shape = at_shape;
  shape.insert(shape.end(), x.shape.begin() + depth, x.shape.end());
  const std::size_t lead = at_shape.size();
  at_shape.push_back(depth);
  TensorData at{TensorType::INT32, at_shape, {}, {}, {}};
  for (std::size_t i = 0; i < at.elements(); ++i)
    at.ints.push_back(random.between(0, x.shape[i % static_cast<std::size_t>(depth)] - 1));
  const TensorData y = moved(x, shape, [&](const Index& i) {
    Index where(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(lead)), from;
    where.push_back(0);
    for (; where.back() < depth; ++where.back())
      from.push_back(static_cast<std::int32_t>(at.ints[place(at_shape, where)]));
    from.insert(from.end(), i.begin() + static_cast<std::ptrdiff_t>(lead), i.end());
    return from;
  });
  model.add(Code::GATHER_ND, {operand(model, random, x), operand(model, random, at)}, {model.output(y)},
            schema::GatherNdOptionsT(), 3);
}

void slice(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 1, 5));
  std::vector<std::int32_t> begins, sizes;
  Shape shape;
  for (const std::int32_t d : x.shape) {
    begins.push_back(random.size(0, d - 1));
    shape.push_back(random.chance(30) ? d - begins.back() : random.size(1, d - begins.back()));
    sizes.push_back(shape.back() == d - begins.back() && random.chance(50) ? -1 : shape.back());
  }
  const TensorData y = moved(x, shape, [&](Index i) {
    for (std::size_t d = 0; d < i.size(); ++d) i[d] += begins[d];
    return i;
  });
  model.add(Code::SLICE, {model.input(x), integers(model, begins), integers(model, sizes)}, {model.output(y)},
            schema::SliceOptionsT(), 3);
}

void strided_slice(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 1, 4, 7));
  std::vector<std::int32_t> begins, ends, strides;
  std::vector<std::vector<std::int32_t>> kept(x.shape.size());  // positions of each dimension, by walking
  schema::StridedSliceOptionsT o;
  Shape shape;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    const std::int32_t n = x.shape[d], bit = 1 << d;
    std::int32_t stride = random.pick({1, 1, 2, 3, -1, -2});
    std::int32_t begin = random.size(-n - 2, n + 2), end = random.size(-n - 2, n + 2);
    if (random.chance(25)) o.begin_mask |= bit;
    if (random.chance(25)) o.end_mask |= bit;
    const bool shrinks = random.chance(20);
    if (shrinks) {
      o.shrink_axis_mask |= bit;
      begin = random.size(-n, n - 1);
      stride = 1;
    }
    begins.push_back(begin);
    ends.push_back(end);
    strides.push_back(stride);
    std::int32_t from = begin < 0 ? begin + n : begin, to = end < 0 ? end + n : end;
    // Python's clamps: one before the first element is where a walk back ends.
    from = stride > 0 ? std::clamp(from, 0, n) : std::clamp(from, -1, n - 1);
    to = stride > 0 ? std::clamp(to, 0, n) : std::clamp(to, -1, n - 1);
    if (o.begin_mask & bit) from = stride > 0 ? 0 : n - 1;
    if (o.end_mask & bit) to = stride > 0 ? n : -1;
    if (shrinks) to = from + 1;
    for (std::int32_t i = from; stride > 0 ? i < to : i > to; i += stride) kept[d].push_back(i);
    if (!shrinks) shape.push_back(static_cast<std::int32_t>(kept[d].size()));
  }
  // Every output has an element.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return strided_slice(model, random);
  const TensorData y = moved(x, shape, [&](const Index& i) {
    Index from;
    std::size_t k = 0;
    for (std::size_t d = 0; d < x.shape.size(); ++d)
      from.push_back(kept[d][(o.shrink_axis_mask >> d) & 1 ? 0 : static_cast<std::size_t>(i[k++])]);
    return from;
  });
  model.add(Code::STRIDED_SLICE,
            {model.input(x), integers(model, begins), integers(model, ends), integers(model, strides)},
            {model.output(y)}, o, 4);
}

void pad(TfliteModel& model, Random& random, Code code) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 1, 4));
  schema::MirrorPadOptionsT mirror;
  mirror.mode = random.chance(50) ? schema::MirrorPadMode::REFLECT : schema::MirrorPadMode::SYMMETRIC;
  const bool reflects = mirror.mode == schema::MirrorPadMode::REFLECT, mirrors = code == Code::MIRROR_PAD;
  std::vector<std::int32_t> around;
  Shape shape;
  for (const std::int32_t d : x.shape) {
    const std::int32_t most = mirrors ? d - (reflects ? 1 : 0) : 3;
    around.push_back(random.size(0, most));
    around.push_back(random.size(0, most));
    shape.push_back(d + around[around.size() - 2] + around.back());
  }
  TensorData value = movable_data(random, x.type, random.chance(50) ? Shape{} : Shape{1});
  value.q = x.q;
  const std::int64_t fill = code == Code::PADV2 && !x.is_float() ? value.ints[0] : x.zero_point();
  TensorData y = moved(
      x, shape,
      [&](Index i) {
        for (std::size_t d = 0; d < i.size(); ++d) {
          i[d] -= around[2 * d];
          const std::int32_t n = x.shape[d], edge = reflects ? 0 : 1;
          if (mirrors && i[d] < 0) i[d] = -i[d] - edge;
          if (mirrors && i[d] >= n) i[d] = 2 * (n - 1) - i[d] + edge;
          if (i[d] < 0 || i[d] >= n) return Index(x.shape.size() + 1);
        }
        return i;
      },
      fill);
  if (code == Code::PADV2 && x.is_float()) {
    const TensorData marks =
        moved({TensorType::BOOL, x.shape, {}, std::vector<std::int64_t>(x.elements(), 1), {}}, shape, [&](Index i) {
          for (std::size_t d = 0; d < i.size(); ++d) {
            i[d] -= around[2 * d];
            if (i[d] < 0 || i[d] >= x.shape[d]) return Index(x.shape.size() + 1);
          }
          return i;
        });
    for (std::size_t i = 0; i < y.floats.size(); ++i)
      if (marks.ints[i] == 0) y.floats[i] = value.floats[0];
  }
  const auto in = model.input(x), pads = integers(model, around, {static_cast<std::int32_t>(x.shape.size()), 2});
  const auto out = model.output(y);
  if (code == Code::PAD) model.add(code, {in, pads}, {out}, schema::PadOptionsT());
  if (code == Code::PADV2) model.add(code, {in, pads, model.constant(value)}, {out}, schema::PadV2OptionsT());
  if (mirrors) model.add(code, {in, pads}, {out}, mirror);
}

void transpose(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 1, 5));
  std::vector<std::int32_t> perm(x.shape.size());
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = perm.size(); i > 1; --i)
    std::swap(perm[i - 1], perm[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  Shape shape;
  for (const std::int32_t p : perm) shape.push_back(x.shape[static_cast<std::size_t>(p)]);
  const TensorData y = moved(x, shape, [&](const Index& i) {
    Index from(i.size());
    for (std::size_t d = 0; d < i.size(); ++d) from[static_cast<std::size_t>(perm[d])] = i[d];
    return from;
  });
  model.add(Code::TRANSPOSE, {model.input(x), integers(model, perm)}, {model.output(y)}, schema::TransposeOptionsT(),
            2);
}

void reverse(TfliteModel& model, Random& random) {
  const TensorData x = movable_data(random, movable_type(random), random_shape(random, 1, 4));
  std::vector<std::int32_t> axes;
  std::vector<bool> turned;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    turned.push_back(random.chance(50));
    if (turned.back()) axes.push_back(named(random, static_cast<std::int32_t>(d), x.shape.size()));
  }
  const TensorData y = moved(x, x.shape, [&](Index i) {
    for (std::size_t d = 0; d < i.size(); ++d)
      if (turned[d]) i[d] = x.shape[d] - 1 - i[d];
    return i;
  });
  model.add(Code::REVERSE_V2, {model.input(x), integers(model, axes)}, {model.output(y)}, schema::ReverseV2OptionsT());
}

// [N, H, W, C] against [N, H / b, W / b, (row in block, column in block, C)].
void depth(TfliteModel& model, Random& random, bool to_depth) {
  const std::int32_t b = random.size(1, 3), n = random.size(1, 2), h = random.size(1, 3), w = random.size(1, 4),
                     c = random.size(1, 4);
  const Shape space = {n, h * b, w * b, c}, deep = {n, h, w, b * b * c};
  const TensorData x = movable_data(random, movable_type(random), to_depth ? space : deep);
  const TensorData y = moved(x, to_depth ? deep : space, [&](const Index& i) {
    if (to_depth) return Index{i[0], i[1] * b + i[3] / (b * c), i[2] * b + i[3] / c % b, i[3] % c};
    return Index{i[0], i[1] / b, i[2] / b, (i[1] % b * b + i[2] % b) * c + i[3]};
  });
  if (to_depth) {
    schema::SpaceToDepthOptionsT o;
    o.block_size = b;
    model.add(Code::SPACE_TO_DEPTH, {model.input(x)}, {model.output(y)}, o);
  } else {
    schema::DepthToSpaceOptionsT o;
    o.block_size = b;
    model.add(Code::DEPTH_TO_SPACE, {model.input(x)}, {model.output(y)}, o);
  }
}

// Element (n, h, w, c) of the padded space is element ((h % bh * bw + w % bw) * N + n, h / bh, w / bw, c) of the batch.
void batch(TfliteModel& model, Random& random, bool to_batch) {
  const std::int32_t bh = random.size(1, 3), bw = random.size(1, 3), n = random.size(1, 2), c = random.size(1, 3);
  const bool has_width = random.chance(70);
  const std::int32_t h = random.size(1, 3), w = has_width ? random.size(1, 3) : 1, wide = has_width ? bw : 1;
  const std::int32_t top = random.size(0, h * bh - 1), bottom = random.size(0, h * bh - 1 - top);
  const std::int32_t left = has_width ? random.size(0, w * wide - 1) : 0;
  const std::int32_t right = has_width ? random.size(0, w * wide - 1 - left) : 0;
  const auto shaped = [&](std::int32_t a, std::int32_t y, std::int32_t z) {
    return has_width ? Shape{a, y, z, c} : Shape{a, y, c};
  };
  const Shape space = shaped(n, h * bh - top - bottom, w * wide - left - right), many = shaped(n * bh * wide, h, w);
  const TensorData x = movable_data(random, movable_type(random), to_batch ? space : many);
  const TensorData y = moved(
      x, to_batch ? many : space,
      [&](const Index& i) {
        const std::int32_t width = has_width ? i[2] : 0, channel = i.back();
        const auto index = [&](std::int32_t a, std::int32_t b, std::int32_t d) {
          return has_width ? Index{a, b, d, channel} : Index{a, b, channel};
        };
        if (!to_batch)
          return index(((i[1] + top) % bh * wide + (width + left) % wide) * n + i[0], (i[1] + top) / bh,
                       (width + left) / wide);
        const std::int32_t row = i[1] * bh + i[0] / n / wide - top, column = width * wide + i[0] / n % wide - left;
        if (row < 0 || row >= space[1] || column < 0 || (has_width && column >= space[2]))
          return Index(x.shape.size() + 1);
        return index(i[0] % n, row, column);
      },
      x.zero_point());
  std::vector<std::int32_t> blocks = {bh}, edges = {top, bottom};
  if (has_width) {
    blocks.push_back(bw);
    edges.insert(edges.end(), {left, right});
  }
  const auto in = model.input(x), block = integers(model, blocks);
  const auto around = integers(model, edges, {static_cast<std::int32_t>(blocks.size()), 2});
  if (to_batch)
    model.add(Code::SPACE_TO_BATCH_ND, {in, block, around}, {model.output(y)}, schema::SpaceToBatchNDOptionsT(), 3);
  else
    model.add(Code::BATCH_TO_SPACE_ND, {in, block, around}, {model.output(y)}, schema::BatchToSpaceNDOptionsT(), 3);
}

// What lies between the entries of each dimension.
void dilate(TfliteModel& model, Random& random) {
  const Shape shape = random_shape(random, 1, 4, 4);
  std::vector<std::int32_t> factors;
  Shape to;
  for (const std::int32_t d : shape) {
    factors.push_back(random.size(1, 3));
    to.push_back((d - 1) * factors.back() + 1);
  }
  const TensorData x = movable_data(random, movable_type(random), shape);
  TensorData between = movable_data(random, x.type, {});
  between.q = x.q;
  TensorData y{x.type, to, x.q, {}, {}};
  for_each_index(to, [&](Index i) {
    bool there = true;
    for (std::size_t d = 0; d < i.size(); ++d) {
      there = there && i[d] % factors[d] == 0;
      i[d] /= factors[d];
    }
    append(y, there ? x : between, there ? place(shape, i) : 0);
  });
  const std::int32_t in = model.input(x), at = integers(model, factors), value = operand(model, random, between);
  model.add(Code::DILATE, {in, at, value}, {model.output(y)});
}

struct MovementVariant {
  const char* name;
  void (*make)(TfliteModel&, Random&);
};
constexpr MovementVariant kMovementVariants[] = {
    {"CONCATENATION", concatenation},
    {"SPLIT", [](TfliteModel& s, Random& r) { split(s, r, false); }},
    {"SPLIT_V", [](TfliteModel& s, Random& r) { split(s, r, true); }},
    {"PACK", pack},
    {"UNPACK", unpack},
    {"GATHER", gather},
    {"GATHER_ND", gather_nd},
    {"SLICE", slice},
    {"STRIDED_SLICE", strided_slice},
    {"PAD", [](TfliteModel& s, Random& r) { pad(s, r, Code::PAD); }},
    {"PADV2", [](TfliteModel& s, Random& r) { pad(s, r, Code::PADV2); }},
    {"MIRROR_PAD", [](TfliteModel& s, Random& r) { pad(s, r, Code::MIRROR_PAD); }},
    {"TRANSPOSE", transpose},
    {"REVERSE_V2", reverse},
    {"SPACE_TO_DEPTH", [](TfliteModel& s, Random& r) { depth(s, r, true); }},
    {"DEPTH_TO_SPACE", [](TfliteModel& s, Random& r) { depth(s, r, false); }},
    {"SPACE_TO_BATCH_ND", [](TfliteModel& s, Random& r) { batch(s, r, true); }},
    {"DILATE", dilate},
    {"BATCH_TO_SPACE_ND", [](TfliteModel& s, Random& r) { batch(s, r, false); }},
};

}  // namespace

void make_movement(TfliteModel& model, Random& random, std::size_t index) {
  const MovementVariant& v = kMovementVariants[index % std::size(kMovementVariants)];
  model.add_text(v.name);
  v.make(model, random);
}

}  // namespace byoc::test
