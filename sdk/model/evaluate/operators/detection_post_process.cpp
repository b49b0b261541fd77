// byoc.DetectionPostProcess: boxes out of their encodings, and the best of them, as TFLite's detection_postprocess.cc
// has it.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/boxes.hpp"

namespace byoc::evaluate {
namespace {

struct Detection {
  Box box;
  float label, score;
};

Result<std::vector<Box>> decoded_boxes(const Call& call) {
  const auto encodings = elements<float>(call.in(0)), anchors = elements<float>(call.in(2));
  const auto count = static_cast<std::size_t>((*call.in(0).type.dims)[1]);
  const auto width = static_cast<std::size_t>((*call.in(0).type.dims)[2]);
  const double scales[] = {call.node.real("y_scale", 1), call.node.real("x_scale", 1), call.node.real("h_scale", 1),
                           call.node.real("w_scale", 1)};
  std::vector<Box> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto e = encodings.subspan(i * width, 4), a = anchors.subspan(i * 4, 4);
    const auto centre = [&](std::size_t k) {
      return static_cast<float>(double{e[k]} / scales[k] * double{a[k + 2]} + double{a[k]});
    };
    const auto half = [&](std::size_t k) {
      return static_cast<float>(0.5 * std::exp(double{e[k]} / scales[k]) * double{a[k]});
    };
    const float y = centre(0), x = centre(1), h = half(2), w = half(3);
    out.push_back({y - h, x - w, y + h, x + w});
    if (out.back().y1 > out.back().y2 || out.back().x1 > out.back().x2)
      return call.error("a box ends before it begins", "box " + std::to_string(i), "anchors of no negative size");
  }
  return out;
}

// Chooses at most `most` boxes in order of falling score, without those below the threshold and those that overlap a
// chosen one.
std::vector<std::size_t> choose(const Call& call, const std::vector<Box>& boxes, const std::vector<float>& scores,
                                std::int64_t most) {
  const float least = call.node.real("nms_score_threshold", 0), overlap = call.node.real("nms_iou_threshold", 1);
  std::vector<std::size_t> kept;
  for (const std::size_t i : by_falling_score(scores)) {
    if (std::ssize(kept) >= most) break;
    if (!(scores[i] >= least)) continue;
    if (std::none_of(kept.begin(), kept.end(),
                     [&](std::size_t k) { return intersection_over_union(boxes[k], boxes[i]) > overlap; }))
      kept.push_back(i);
  }
  return kept;
}

// ClassScores of one box without the background's, which are in front.
struct ClassScores {
  std::span<const float> all;
  std::size_t columns, classes;
  [[nodiscard]] std::span<const float> of(std::size_t box) const {
    return all.subspan(box * columns + columns - classes, classes);
  }
};

// Each class by itself; the best of all classes, those of lower classes first among equals.
std::vector<Detection> regular(const Call& call, const std::vector<Box>& boxes, const ClassScores& scores) {
  const auto most = static_cast<std::size_t>(call.node.integer("max_detections", 0));
  std::vector<Detection> out;
  for (std::size_t c = 0; c < scores.classes; ++c) {
    std::vector<float> of;
    for (std::size_t i = 0; i < boxes.size(); ++i) of.push_back(scores.of(i)[c]);
    for (const std::size_t i : choose(call, boxes, of, call.node.integer("detections_per_class", 0)))
      out.push_back({boxes[i], static_cast<float>(c), of[i]});
    std::stable_sort(out.begin(), out.end(), [](const Detection& a, const Detection& b) { return a.score > b.score; });
    if (out.size() > most) out.resize(most);
  }
  return out;
}

// Chooses boxes for all classes at once, each box by its best class. Every chosen box has `each` places, of which as
// many are filled as there are classes.
std::vector<Detection> fast(const Call& call, const std::vector<Box>& boxes, const ClassScores& scores,
                            std::size_t& found) {
  const auto each = static_cast<std::size_t>(call.node.integer("max_classes_per_detection", 0));
  std::vector<float> best;
  for (std::size_t i = 0; i < boxes.size(); ++i) best.push_back(scores.of(i)[by_falling_score(scores.of(i))[0]]);
  std::vector<Detection> out;
  for (const std::size_t i : choose(call, boxes, best, call.node.integer("max_detections", 0))) {
    const std::vector<std::size_t> order = by_falling_score(scores.of(i));
    for (std::size_t c = 0; c < each; ++c)
      out.push_back(c < order.size() ? Detection{boxes[i], static_cast<float>(order[c]), scores.of(i)[order[c]]}
                                     : Detection{});
    ++found;
  }
  return out;
}

// Checks the operands and the attributes of the operator.
Result<void> check_detection(const Call& call) {
  for (std::size_t i = 0; i < 3; ++i)
    if (call.in(i).type.dtype != DType::f32) return call.unsupported_dtype(i, "f32");
  const Dims &e = *call.in(0).type.dims, &s = *call.in(1).type.dims, &a = *call.in(2).type.dims;
  const std::int64_t classes = call.node.integer("num_classes", 0);
  if (e.size() != 3 || s.size() != 3 || a.size() != 2 || e[0] != 1 || s[0] != 1 || e[1] != s[1] || e[1] != a[0] ||
      e[2] < 4 || a[1] != 4 || classes < 1 || (s[2] != classes && s[2] - 1 != classes))
    return call.error("boxes, scores and anchors do not fit",
                      describe(call.in(0)) + ", " + describe(call.in(1)) + ", " + describe(call.in(2)),
                      "f32[1,boxes,4 or more], f32[1,boxes,classes or one more], f32[boxes,4]");
  const std::int64_t detections = call.node.integer("max_detections", 0);
  const std::int64_t each = call.node.integer("max_classes_per_detection", 0);
  if (detections >= 1 && each >= 1 && detections <= INT32_MAX / each) return {};
  return call.error("the number of detections is out of range",
                    std::to_string(detections) + " of " + std::to_string(each), "1 or more of each");
}

}  // namespace

Outcome detection_post_process(const Call& call) {
  if (!check_detection(call)) return failure;
  const auto boxes = decoded_boxes(call);
  if (!boxes) return failure;
  const ClassScores scores{elements<float>(call.in(1)), static_cast<std::size_t>((*call.in(1).type.dims)[2]),
                           static_cast<std::size_t>(call.node.integer("num_classes", 0))};
  const bool one_by_one = call.node.integer("use_regular_nms", 0) != 0;
  std::size_t found = 0;
  const std::vector<Detection> chosen = one_by_one ? regular(call, *boxes, scores) : fast(call, *boxes, scores, found);
  if (one_by_one) found = chosen.size();
  const std::int64_t most = call.node.integer("max_detections", 0) * call.node.integer("max_classes_per_detection", 0);
  auto corners = call.allocate(DType::f32, {1, most, 4}, 0), labels = call.allocate(DType::f32, {1, most}, 1),
       values = call.allocate(DType::f32, {1, most}, 2), count = call.allocate(DType::f32, {1}, 3);
  if (!corners || !labels || !values || !count) return failure;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Box& b = chosen[k].box;
    const float numbers[] = {b.y1, b.x1, b.y2, b.x2};
    std::copy(numbers, numbers + 4, corners->as<float>().begin() + static_cast<std::ptrdiff_t>(k * 4));
    labels->as<float>()[k] = chosen[k].label;
    values->as<float>()[k] = chosen[k].score;
  }
  count->as<float>()[0] = static_cast<float>(found);
  return std::vector<Tensor>{std::move(*corners).finish(), std::move(*labels).finish(), std::move(*values).finish(),
                             std::move(*count).finish()};
}

}  // namespace byoc::evaluate
