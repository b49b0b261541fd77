// Entries of operators that move, select, repeat or look up elements.
#include <algorithm>
#include <numeric>

#include "sdk/app/check/random_graph/builder.hpp"

namespace byoc::check {
namespace {

// An output of the same element type and quantisation as `v`.
std::int64_t any_axis(Builder& b, const Dims& dims) {
  const auto rank = static_cast<std::int64_t>(dims.size());
  return b.choice.integer(-rank, rank - 1);
}

std::size_t from_start(std::int64_t axis, const Dims& dims) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(dims.size()) : axis);
}

// Splits the elements into factors in another way.
Dims other_shape(Builder& b, std::int64_t n) {
  Dims out;
  for (const std::int64_t factor : {2, 3, 2, 5}) {
    if (n % factor != 0 || n == 0 || b.choice.one_in(3)) continue;
    out.push_back(factor);
    n /= factor;
  }
  out.insert(out.begin() + b.choice.integer(0, static_cast<std::int64_t>(out.size())), n);
  return out;
}

void reshape(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value();
  Dims shape = other_shape(b, elements(b.dims(x)));
  if (std::find(shape.begin(), shape.end(), 0) == shape.end() && b.choice.one_in(3)) shape[0] = -1;
  Builder::Attributes attributes;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) attributes["allowzero"] = std::int64_t{1};
  b.add(op, {x, b.integers(shape)}, std::move(attributes), {like(b, x)});
}

void flatten(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  b.add(op, {x}, {{"axis", b.choice.integer(0, static_cast<std::int64_t>(b.dims(x).size()))}}, {like(b, x)});
}

void identity(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value();
  b.add(op, {x}, {}, {like(b, x)});
}

void squeeze(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  Dims axes;
  for (std::size_t i = 0; i < b.dims(x).size(); ++i)
    if (b.dims(x)[i] == 1 && !b.choice.one_in(3)) axes.push_back(static_cast<std::int64_t>(i));
  b.choice.one_in(4) ? b.add(op, {x}, {}, {like(b, x)}) : b.add(op, {x, b.integers(axes)}, {}, {like(b, x)});
}

void unsqueeze(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(0, 4);
  const auto rank = static_cast<std::int64_t>(b.dims(x).size());
  b.add(op, {x, b.integers({b.choice.integer(-rank - 1, rank)})}, {}, {like(b, x)});
}

void transpose(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  Dims perm(b.dims(x).size());
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = perm.size(); i > 1; --i)
    std::swap(perm[i - 1], perm[static_cast<std::size_t>(b.choice.integer(0, static_cast<std::int64_t>(i) - 1))]);
  b.choice.one_in(5) ? b.add(op, {x}, {}, {like(b, x)}) : b.add(op, {x}, {{"perm", perm}}, {like(b, x)});
}

void concat(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  const std::int64_t axis = any_axis(b, b.dims(x));
  std::vector<ir::ValueId> inputs{x};
  while (inputs.size() < 4 && (inputs.size() < 2 || b.choice.one_in(2))) {
    ir::TensorType type = b.type(x);
    if (b.choice.one_in(2)) (*type.dims)[from_start(axis, *type.dims)] = b.choice.integer(1, 5);
    inputs.push_back(b.choice.one_in(8) ? x : b.same_type(type));
  }
  for (std::size_t i = inputs.size(); i > 1; --i)
    std::swap(inputs[i - 1], inputs[static_cast<std::size_t>(b.choice.integer(0, static_cast<std::int64_t>(i) - 1))]);
  b.add(op, std::move(inputs), {{"axis", axis}}, {like(b, x)});
}

void split(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  const std::int64_t axis = any_axis(b, b.dims(x));
  std::int64_t left = b.dims(x)[from_start(axis, b.dims(x))];
  Dims parts;
  std::vector<std::optional<ir::TensorType>> outputs;
  while (left > 0 && parts.size() < 3) {
    parts.push_back(b.choice.integer(0, left));
    left -= parts.back();
  }
  parts.push_back(left);
  outputs.assign(parts.size(), like(b, x));
  b.add(op, {x, b.integers(parts)}, {{"axis", axis}}, std::move(outputs));
}

void slice(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  Dims starts, ends, axes, steps;
  for (std::size_t i = 0; i < b.dims(x).size(); ++i) {
    if (b.choice.one_in(2)) continue;
    const std::int64_t n = b.dims(x)[i];
    const bool backwards = b.choice.one_in(4);
    axes.push_back(static_cast<std::int64_t>(i));
    steps.push_back(b.choice.integer(1, 3) * (backwards ? -1 : 1));
    starts.push_back(backwards ? n - 1 - b.choice.integer(0, n / 3) : b.choice.integer(-n, n / 2));
    ends.push_back(backwards            ? b.choice.integer(-n - 1, -n)
                   : b.choice.one_in(3) ? INT64_MAX
                                        : n - b.choice.integer(0, n / 4));
  }
  if (axes.empty()) return;
  b.add(op, {x, b.integers(starts), b.integers(ends), b.integers(axes), b.integers(steps)}, {}, {like(b, x)});
}

void pad(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  static const std::vector<std::string> kModes = {"constant", "constant", "reflect", "edge", "wrap"};
  Builder::Attributes attributes;
  const std::string mode = b.choice.of(kModes);
  attributes["mode"] = mode;
  Dims pads;
  for (std::size_t i = 0; i < 2 * b.dims(x).size(); ++i) {
    const std::int64_t n = b.dims(x)[i % b.dims(x).size()];
    const std::int64_t most = mode == "constant"                    ? 3
                              : mode == "reflect" || mode == "wrap" ? std::min<std::int64_t>(n - 1, 3)
                              : n > 0                               ? 3
                                                                    : 0;
    pads.push_back(b.choice.one_in(2)
                       ? 0
                       : b.choice.integer(mode == "constant" && n > 3 ? -1 : 0, std::max<std::int64_t>(most, 0)));
  }
  std::vector<ir::ValueId> inputs{x, b.integers(pads)};
  if (b.dtype(x) == DType::f32 && mode == "constant" && b.choice.one_in(2))
    inputs.push_back(b.scalar(b.choice.real(-2, 2)));
  b.add(op, std::move(inputs), std::move(attributes), {like(b, x)}, 19);
}

void expand(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(0, 4);
  Dims shape = b.dims(x);
  for (std::int64_t& d : shape)
    if (d == 1) d = b.choice.integer(1, 4);
  if (shape.size() < 5 && b.choice.one_in(2)) shape.insert(shape.begin(), b.choice.integer(1, 3));
  b.add(op, {x, b.integers(shape)}, {}, {like(b, x)});
}

void tile(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  Dims repeats;
  for (std::size_t i = 0; i < b.dims(x).size(); ++i) repeats.push_back(b.choice.integer(1, 3));
  b.add(op, {x, b.integers(repeats)}, {}, {like(b, x)});
}

// Indices below `limit`, some counted from the end.
ir::ValueId indices(Builder& b, const Dims& dims, std::int64_t limit) {
  const bool narrow = b.choice.one_in(3);
  std::vector<std::byte> bytes;
  for (std::int64_t i = 0; i < elements(dims); ++i) {
    const std::int64_t at = b.choice.integer(-limit, limit - 1);
    for (int k = 0; k < (narrow ? 4 : 8); ++k) bytes.push_back(static_cast<std::byte>(at >> (8 * k)));
  }
  return b.graph.add_constant("", {narrow ? DType::i32 : DType::i64, dims, std::nullopt}, Blob::own(std::move(bytes)));
}

void gather(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  const std::int64_t axis = any_axis(b, b.dims(x));
  const std::int64_t limit = b.dims(x)[from_start(axis, b.dims(x))];
  if (limit == 0) return;
  b.add(op, {x, indices(b, b.shape(0, 2), limit)}, {{"axis", axis}}, {like(b, x)});
}

void gather_elements(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  const std::int64_t axis = any_axis(b, b.dims(x));
  const std::int64_t limit = b.dims(x)[from_start(axis, b.dims(x))];
  if (elements(b.dims(x)) == 0) return;
  Dims shape = b.dims(x);
  shape[from_start(axis, shape)] = b.choice.integer(1, 4);
  b.add(op, {x, indices(b, shape, limit)}, {{"axis", axis}}, {like(b, x)});
}

void gather_nd(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1, 3);
  if (elements(b.dims(x)) == 0) return;
  const std::int64_t smallest = *std::min_element(b.dims(x).begin(), b.dims(x).end());
  b.add(op,
        {x, indices(b, {b.choice.integer(1, 3), b.choice.integer(1, static_cast<std::int64_t>(b.dims(x).size()))},
                    smallest)},
        {}, {like(b, x)});
}

void scatter_elements(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  if (elements(b.dims(x)) == 0) return;
  const std::int64_t axis = any_axis(b, b.dims(x));
  // One index in each line, so that no element is written twice.
  Dims shape = b.dims(x);
  shape[from_start(axis, shape)] = 1;
  ir::TensorType updates = b.type(x);
  updates.dims = shape;
  b.add(op, {x, indices(b, shape, b.dims(x)[from_start(axis, b.dims(x))]), b.same_type(updates)}, {{"axis", axis}},
        {like(b, x)});
}

void depth_space(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(4, 4);
  b.add(op, {x}, {{"blocksize", b.choice.integer(1, 3)}});
}

void trilu(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(2);
  b.add(op,
        {x, b.graph.add_constant("", {DType::i64, Dims{}, std::nullopt}, Blob::own([&] {
                                   std::vector<std::byte> bytes(8, b.choice.one_in(2) ? std::byte{0} : std::byte{0xff});
                                   return bytes;
                                 }()))},
        {{"upper", std::int64_t{b.choice.one_in(2) ? 1 : 0}}}, {like(b, x)});
}

void resize(Builder& b, const std::string& op) {
  const bool tflite = b.graph.requant == Requant::tflite;  // height and width of NHWC
  const ir::ValueId x = b.any_real(tflite ? 4 : 3, 4);
  std::vector<std::int64_t> sizes = b.dims(x);
  const std::size_t first = tflite ? 1 : 2, end = tflite ? 3 : sizes.size();
  for (std::size_t i = first; i < end; ++i) sizes[i] = b.choice.integer(1, 9);
  static const std::vector<std::string> kModes = {"nearest", "linear", "cubic"};
  static const std::vector<std::string> kCoordinates = {"half_pixel", "align_corners", "asymmetric",
                                                        "pytorch_half_pixel"};
  const auto from_first = [&](const std::vector<std::string>& names, std::size_t of_tflite) {
    return b.choice.of(
        tflite ? std::vector<std::string>(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(of_tflite))
               : names);
  };
  b.add(op, {x, ir::kNoValue, ir::kNoValue, b.integers(sizes)},
        {{"mode", from_first(kModes, 2)}, {"coordinate_transformation_mode", from_first(kCoordinates, 3)}});
}

void top_k(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(1);
  const std::int64_t axis = any_axis(b, b.dims(x));
  const std::int64_t n = b.dims(x)[from_start(axis, b.dims(x))];
  b.add(op, {x, b.integers({b.choice.integer(n > 0 ? 1 : 0, n)})},
        {{"axis", axis}, {"largest", std::int64_t{b.choice.one_in(2) ? 1 : 0}}}, {std::nullopt, std::nullopt});
}

void shape_of(Builder& b, const std::string& op) { b.add(op, {b.any_value()}); }

void reverse_sequence(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(2);
  const std::int64_t time = b.dims(x)[0], batch = b.dims(x)[1];
  if (time == 0) return;
  Dims lengths;
  for (std::int64_t i = 0; i < batch; ++i) lengths.push_back(b.choice.integer(1, time));
  b.add(op, {x, b.integers(lengths)}, {}, {like(b, x)});
}

}  // namespace

void add_movement(std::vector<Generator>& out) {
  out.push_back({"Reshape", 6, reshape});
  out.push_back({"Flatten", 2, flatten});
  out.push_back({"Identity", 2, identity});
  out.push_back({"Dropout", 1, identity});
  out.push_back({"Squeeze", 2, squeeze});
  out.push_back({"Unsqueeze", 2, unsqueeze});
  out.push_back({"Transpose", 6, transpose});
  out.push_back({"Concat", 8, concat});
  out.push_back({"Split", 4, split});
  out.push_back({"Slice", 6, slice});
  out.push_back({"Pad", 5, pad});
  out.push_back({"Expand", 3, expand});
  out.push_back({"Tile", 2, tile});
  out.push_back({"Gather", 4, gather});
  out.push_back({"GatherElements", 2, gather_elements});
  out.push_back({"GatherND", 2, gather_nd});
  out.push_back({"ScatterElements", 2, scatter_elements});
  out.push_back({"DepthToSpace", 1, depth_space});
  out.push_back({"SpaceToDepth", 1, depth_space});
  out.push_back({"Trilu", 1, trilu});
  out.push_back({"Resize", 3, resize});
  out.push_back({"TopK", 2, top_k});
  out.push_back({"Shape", 1, shape_of});
  out.push_back({"Size", 1, shape_of});
  out.push_back({"ReverseSequence", 1, reverse_sequence});
}

}  // namespace byoc::check
