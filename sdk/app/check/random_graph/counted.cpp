// Operators whose results have room for the most there can be, and come with a count.
#include "sdk/app/check/random_graph/builder.hpp"

namespace byoc::check {
namespace {

std::optional<ir::TensorType> places_type(Dims dims) {
  return ir::TensorType{DType::i64, std::move(dims), std::nullopt};
}
std::optional<ir::TensorType> count_type() { return ir::TensorType{DType::i32, Dims{}, std::nullopt}; }

// Any element type, with the caller's dims.
std::optional<ir::TensorType> elements_type(const Builder& b, ir::ValueId x, Dims dims) {
  return ir::TensorType{b.dtype(x), std::move(dims), b.type(x).quantisation};
}

void counted_non_zero(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value();
  Dims dims{static_cast<std::int64_t>(std::max<std::size_t>(b.dims(x).size(), 1)), elements(b.dims(x))};
  const bool rows = b.choice.one_in(3);
  if (rows) std::swap(dims[0], dims[1]);
  b.add(op, {x}, {{"rows", std::int64_t{rows}}}, {places_type(dims), count_type()});
}

void counted_compress(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  Dims dims = b.dims(x);
  Builder::Attributes attributes;
  std::size_t axis = 0;
  if (b.choice.one_in(3)) {
    dims = {elements(dims)};
  } else {
    axis = static_cast<std::size_t>(b.choice.integer(0, static_cast<std::int64_t>(dims.size()) - 1));
    attributes["axis"] = static_cast<std::int64_t>(axis);
  }
  dims[axis] = b.choice.integer(0, dims[axis]);
  const ir::ValueId condition = b.input({DType::boolean, Dims{dims[axis]}, std::nullopt});
  b.add(op, {x, condition}, std::move(attributes), {elements_type(b, x, dims), count_type()});
}

void counted_unique(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_value(1);
  Dims dims = b.dims(x);
  Builder::Attributes attributes{{"sorted", std::int64_t{b.choice.one_in(2)}}};
  std::size_t axis = 0;
  if (b.choice.one_in(2)) {
    dims = {elements(dims)};
  } else {
    axis = static_cast<std::size_t>(b.choice.integer(0, static_cast<std::int64_t>(dims.size()) - 1));
    attributes["axis"] = static_cast<std::int64_t>(axis);
  }
  const Dims length{dims[axis]};
  b.add(op, {x}, std::move(attributes),
        {elements_type(b, x, dims), places_type(length), places_type(length), places_type(length), count_type()});
}

void counted_top_k(Builder& b, const std::string& op) {
  const ir::ValueId x = b.any_real(1);
  const auto axis = static_cast<std::size_t>(b.choice.integer(0, static_cast<std::int64_t>(b.dims(x).size()) - 1));
  const std::int64_t most = b.dims(x)[axis];
  // A number from 0 to the length, in a way that only a run tells: any mod (length + 1).
  const ir::ValueId any = b.input({DType::i64, Dims{1}, std::nullopt});
  if (!b.add("Mod", {any, b.integers({most + 1})})) return;
  b.add(op, {x, b.graph.nodes.back().outputs[0]},
        {{"axis", static_cast<std::int64_t>(axis)}, {"largest", std::int64_t{b.choice.one_in(2)}}},
        {elements_type(b, x, b.dims(x)), places_type(b.dims(x)), count_type()});
}

void counted_non_max_suppression(Builder& b, const std::string& op) {
  const std::int64_t batch = b.choice.integer(1, 2), classes = b.choice.integer(1, 3), boxes = b.choice.integer(0, 6);
  std::vector<ir::ValueId> inputs = {b.same_type({DType::f32, Dims{batch, boxes, 4}, {}}),
                                     b.same_type({DType::f32, Dims{batch, classes, boxes}, {}})};
  if (!b.choice.one_in(5)) inputs.push_back(b.input({DType::i64, Dims{}, std::nullopt}));
  for (int i = 0; i < 2 && inputs.size() > 2; ++i)
    if (b.choice.one_in(2)) inputs.push_back(b.scalar(b.choice.real(-1, 1)));
  b.add(op, std::move(inputs), {{"center_point_box", std::int64_t{b.choice.one_in(2)}}},
        {places_type({batch * classes * boxes, 3}), count_type()});
}

void soft_non_max_suppression(Builder& b, const std::string& op) {
  const std::int64_t boxes = b.choice.integer(0, 8);
  std::vector<ir::ValueId> inputs = {b.same_type({DType::f32, Dims{boxes, 4}, {}}),
                                     b.same_type({DType::f32, Dims{boxes}, {}}), b.scalar(b.choice.real(0.1f, 1)),
                                     b.scalar(b.choice.real(-4, 1))};
  if (b.choice.one_in(2)) inputs.push_back(b.scalar(0));
  b.add(op, std::move(inputs), {{"max_output_size", b.choice.integer(0, 9)}},
        {std::nullopt, std::nullopt, std::nullopt});
}

void detection_post_process(Builder& b, const std::string& op) {
  const std::int64_t boxes = b.choice.integer(1, 12), classes = b.choice.integer(1, 4);
  const std::int64_t background = b.choice.integer(0, 1), width = b.choice.integer(4, 6);
  Builder::Attributes attributes{{"max_detections", b.choice.integer(1, 6)},
                                 {"max_classes_per_detection", b.choice.integer(1, 5)},
                                 {"num_classes", classes},
                                 {"use_regular_nms", std::int64_t{b.choice.one_in(2)}},
                                 {"detections_per_class", b.choice.integer(1, 8)},
                                 {"nms_score_threshold", b.choice.real(-1, 0.5f)},
                                 {"nms_iou_threshold", b.choice.real(0.1f, 1)}};
  for (const char* name : {"y_scale", "x_scale", "h_scale", "w_scale"}) attributes[name] = b.choice.real(1, 10);
  const ir::ValueId encodings = b.same_type({DType::f32, Dims{1, boxes, width}, {}});
  const ir::ValueId scores = b.same_type({DType::f32, Dims{1, boxes, classes + background}, {}});
  b.add(op, {encodings, scores, b.reals({boxes, 4}, 0.1f, 1)}, std::move(attributes),
        {std::nullopt, std::nullopt, std::nullopt, std::nullopt});
}

}  // namespace

void add_counted(std::vector<Generator>& out) {
  out.push_back({"byoc.Compress", 1, counted_compress});
  out.push_back({"byoc.DetectionPostProcess", 1, detection_post_process});
  out.push_back({"byoc.NonMaxSuppression", 1, counted_non_max_suppression});
  out.push_back({"byoc.NonZero", 1, counted_non_zero});
  out.push_back({"byoc.SoftNonMaxSuppression", 1, soft_non_max_suppression});
  out.push_back({"byoc.TopK", 1, counted_top_k});
  out.push_back({"byoc.Unique", 1, counted_unique});
}

}  // namespace byoc::check
