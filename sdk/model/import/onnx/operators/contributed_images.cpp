// com.microsoft's operators on images and signals:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include "sdk/model/import/onnx/operators/attention_parts.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

using Value = Composition::Value;

// Where the samples of a region lie along one axis of the image.
struct Samples {
  Value count;   // i64[1]
  Value grid;    // f32[regions, count], as GridSample has it
  Value inside;  // bool[regions, count]
};

class CropAndResize {
  enum Input : std::size_t { kImages, kRegions, kBatches, kSize };

 public:
  CropAndResize(Composition& c, bool nearest) : c_(c), nearest_(nearest) {}

  Value expand(float outside) {
    const Samples y = samples(0), x = samples(1);
    const auto widen = [&](Value v, std::int64_t axis) { return c_.op("Unsqueeze", {v, c_.integers({axis})}); };
    const Value regions = c_.dims(c_.in(kRegions), 0, 1);
    const Value dims = c_.join({regions, y.count, x.count, c_.integers({1})});
    const auto spread = [&](Value v, std::int64_t axis) { return c_.op("Expand", {widen(widen(v, axis), 3), dims}); };
    const Value grid = c_.op("Concat", {spread(x.grid, 1), spread(y.grid, 2)}, {{"axis", std::int64_t{-1}}});
    const Value images = c_.op("Gather", {c_.in(kImages), c_.in(kBatches)});
    const Value taken =
        c_.op("GridSample", {images, grid},
              {{"mode", std::string(nearest_ ? "nearest" : "linear")}, {"padding_mode", std::string("border")}});
    const Value inside = c_.op("And", {widen(y.inside, 2), widen(x.inside, 1)});
    return c_.op("Where", {widen(inside, 1), taken, c_.real_like(outside, taken)});
  }

 private:
  Value real(Value v) { return c_.cast(v, DType::f32); }
  Value column(std::int64_t which) {
    const Value v = c_.op("Slice", {c_.in(kRegions), c_.integers({which}), c_.integers({which + 1}), c_.integers({1})});
    return real(v);  // [regions, 1]
  }

  // Regions go from 0, the first pixel's centre, to 1, the last one's; a single sample lies in the middle.
  Samples samples(std::int64_t axis) {
    const Value count = c_.op(
        "Slice", {c_.cast(c_.in(kSize), DType::i64), c_.integers({axis}), c_.integers({axis + 1}), c_.integers({0})});
    const Value length = real(c_.dims(c_.in(kImages), axis + 2, axis + 3));
    const Value last = c_.op("Sub", {length, c_.real(1)});
    const Value begin = column(axis), end = column(axis + 2);
    const Value steps = real(c_.op("Max", {c_.op("Sub", {count, c_.integers({1})}), c_.integers({1})}));
    const Value step = c_.op("Div", {c_.op("Mul", {c_.op("Sub", {end, begin}), last}), steps});
    const Value several = c_.op("Add", {c_.op("Mul", {begin, last}), c_.op("Mul", {real(count_to(c_, count)), step})});
    const Value middle = c_.op("Mul", {c_.op("Mul", {c_.op("Add", {begin, end}), c_.real(0.5F)}), last});
    Value at = c_.op("Where", {c_.op("Equal", {count, c_.integers({1})}), middle, several});
    const Value inside = c_.op("And", {c_.op("GreaterOrEqual", {at, c_.real(0)}), c_.op("LessOrEqual", {at, last})});
    if (nearest_) at = c_.op("Floor", {c_.op("Add", {at, c_.real(0.5F)})});
    const Value grid =
        c_.op("Sub", {c_.op("Div", {c_.op("Add", {c_.op("Mul", {at, c_.real(2)}), c_.real(1)}), length}), c_.real(1)});
    return {count, grid, inside};
  }

  Composition& c_;
  bool nearest_;
};

}  // namespace

// images [N,C,H,W], regions [regions, 4] as y1, x1, y2, x2, the image of each, height and width of the result.
Result<void> normalise_crop_and_resize(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::string mode = node.text("mode", "bilinear");
  if (mode != "bilinear" && mode != "nearest") return c.refuse("mode is unknown", mode, "bilinear or nearest");
  c.give(0, CropAndResize(c, mode == "nearest").expand(node.real("extrapolation_value", 0)));
  return {};
}

// x, w, pads, bias: pads are what is cut off the whole result.
Result<void> normalise_conv_transpose_dynamic_pads(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  if (const std::string pad = node.text("auto_pad", "NOTSET"); pad != "NOTSET")
    return c.refuse("auto_pad is not supported", pad, "NOTSET");
  const auto rank = c.rank_of_input(0);
  if (!rank) return failure;
  if (*rank < 3) return c.refuse("input 0 has the wrong rank", std::to_string(*rank), "3 or more");
  const auto spatial = static_cast<std::int64_t>(*rank) - 2;
  ir::Node whole = node;
  whole.attributes.erase("auto_pad");
  const Value y = c.op("ConvTranspose", {c.in(0), c.in(1), c.in(3)}, whole.attributes);
  if (!c.has(2)) {
    c.give(0, y);
    return {};
  }
  std::vector<std::int64_t> axes;
  for (std::int64_t d = 0; d < spatial; ++d) axes.push_back(d + 2);
  const auto half = [&](std::int64_t first) {
    return c.op("Slice", {c.in(2), c.integers({first}), c.integers({first + spatial}), c.integers({0})});
  };
  const Value ends = c.op("Sub", {c.dims(y, 2, spatial + 2), half(spatial)});
  c.give(0, "Slice", {y, half(0), ends, c.integers(axes)});
  return {};
}

// The one-sided transform of real numbers [..., n], [..., n / 2 + 1, 2], and back.
Result<void> normalise_real_dft(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  if (const std::int64_t dims = node.integer("signal_ndim", 1); dims != 1)
    return c.refuse("signal_ndim is not supported", std::to_string(dims), "1");
  if (node.integer("onesided", 1) != 1) return c.refuse("onesided is not supported", "0", "1");
  if (node.integer("normalized", 0) != 0) return c.refuse("normalized is not supported", "1", "0");
  const Value axis = c.integer(-2);
  if (node.op == "Rfft") {
    const Value x = c.op("Unsqueeze", {c.in(0), c.integers({-1})});
    c.give(0, "DFT", {x, ir::kNoValue, axis}, {{"onesided", std::int64_t{1}}});
    return {};
  }
  // The other half is the first one's mirror image, conjugated.
  const Value mirrored =
      c.op("Slice", {c.in(0), c.integers({-2}), c.integers({0}), c.integers({-2}), c.integers({-1})});
  const Value conjugated = c.op("Mul", {mirrored, c.op("CastLike", {c.reals({1, -1}), mirrored})});
  const Value whole = c.op("Concat", {c.in(0), conjugated}, {{"axis", std::int64_t{-2}}});
  const Value y = c.op("DFT", {whole, ir::kNoValue, axis}, {{"inverse", std::int64_t{1}}});
  c.give(0, "Gather", {y, c.integer(0)}, {{"axis", std::int64_t{-1}}});
  return {};
}

// x, gamma, beta; SkipGroupNorm normalises x + skip + bias, a sum that is an output, too. Images are [N,H,W,C].
Result<void> normalise_group_norm(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const std::int64_t groups = node.integer("groups", 0), activation = node.integer("activation", 0);
  if (groups < 1) return c.refuse("groups is out of range", std::to_string(groups), "at least 1");
  if (activation != 0 && activation != 1)
    return c.refuse("activation is unknown", std::to_string(activation), "0 (none) or 1 (SiLU)");
  if (const auto rank = c.rank(c.in(0)); rank && *rank != 4)
    return c.refuse("the input has the wrong rank", std::to_string(*rank), "4");
  const bool last = node.integer("channels_last", 1) != 0;
  Value x = c.in(0);
  if (node.op == "SkipGroupNorm") {
    Value skip = c.in(3);
    // A skip of each image and channel: [N, C].
    if (c.rank(skip) == 2) skip = c.op("Unsqueeze", {skip, last ? c.integers({1, 2}) : c.integers({2, 3})});
    x = c.op("Add", {x, skip});
    if (c.has(4)) x = c.op("Add", {x, last ? c.in(4) : c.op("Reshape", {c.in(4), c.integers({-1, 1, 1})})});
    c.give(1, x);
  }
  const auto turned = [&](Value v, std::vector<std::int64_t> order) {
    return last ? c.op("Transpose", {v}, {{"perm", std::move(order)}}) : v;
  };
  const auto real = [&](Value v) { return c.cast(v, DType::f32); };
  const auto channels = [&](std::size_t input) { return c.op("Reshape", {real(c.in(input)), c.integers({-1, 1, 1})}); };
  const Value images = real(turned(x, {0, 3, 1, 2}));
  const auto count = static_cast<std::size_t>(groups);
  const Value rows = c.op("Reshape", {images, c.integers({0, groups, -1})});
  const Value normal = c.op("InstanceNormalization",
                            {rows, c.reals(std::vector<float>(count, 1)), c.reals(std::vector<float>(count, 0))},
                            {{"epsilon", node.real("epsilon", 1e-5F)}});
  Value y = c.op("Reshape", {normal, c.op("Shape", {images})});
  y = c.op("Add", {c.op("Mul", {y, channels(1)}), channels(2)});
  if (activation == 1) y = c.op("Mul", {y, c.op("Sigmoid", {y})});
  c.give(0, "CastLike", {turned(y, {0, 2, 3, 1}), c.in(0)});
  return {};
}

}  // namespace byoc::onnx_import
