// byoc.DetectionPostProcess and byoc.SoftNonMaxSuppression: the best of many boxes.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> detection_post_process(const Inference& call) {
  for (std::size_t i = 0; i < 3; ++i)
    if (!call.one_of(i, {DType::f32}) || !call.want_rank(i, i == 2 ? 2 : 3, i == 2 ? 2 : 3)) return failure;
  const std::int64_t classes = call.node.integer("num_classes", 0);
  const Dims &boxes = call.dims(0), &scores = call.dims(1), &anchors = call.dims(2);
  const bool fits = !differ(boxes[0], 1) && !differ(scores[0], 1) && !differ(boxes[1], scores[1]) &&
                    !differ(boxes[1], anchors[0]) && !differ(anchors[1], 4) && (!is_known(boxes[2]) || boxes[2] >= 4) &&
                    (!is_known(scores[2]) || scores[2] == classes || scores[2] == classes + 1);
  if (!fits)
    return call.error("boxes, scores and anchors do not fit", call.text(0) + ", " + call.text(1) + ", " + call.text(2),
                      "f32[1,boxes,4 or more], f32[1,boxes," + std::to_string(classes) + " or one more], f32[boxes,4]");
  const std::int64_t detections = call.node.integer("max_detections", 0);
  const std::int64_t each = call.node.integer("max_classes_per_detection", 0);
  if (classes < 1 || detections < 1 || each < 1 || detections > INT32_MAX / each)
    return call.error("the numbers of classes and detections are out of range",
                      std::to_string(classes) + ", " + std::to_string(detections) + " of " + std::to_string(each),
                      "1 or more of each");
  const ir::Dim most = detections * each;
  if (!call.set(0, DType::f32, {1, most, 4}) || !call.set(1, DType::f32, {1, most}) ||
      !call.set(2, DType::f32, {1, most}))
    return failure;
  return call.set(3, DType::f32, {1});
}

// boxes [count, 4], scores [count], then scalars
Result<void> soft_non_max_suppression(const Inference& call) {
  for (std::size_t i = 0; i < 5; ++i) {
    if (call.find(i) == nullptr) continue;
    const std::size_t rank = i == 0 ? 2 : i == 1 ? 1 : 0;
    if (!call.one_of(i, {DType::f32}) || !call.want_rank(i, rank, rank)) return failure;
  }
  if (differ(call.dims(0)[0], call.dims(1)[0]) || differ(call.dims(0)[1], 4))
    return call.error("boxes and scores do not fit", call.text(0) + " and " + call.text(1), "[boxes,4] and [boxes]");
  const std::int64_t most = call.node.integer("max_output_size", 0);
  if (most < 0 || most > INT32_MAX)
    return call.error("max_output_size is out of range", std::to_string(most), "0 to 2^31 - 1");
  if (!call.set(0, DType::i32, {most}) || !call.set(1, DType::f32, {most})) return failure;
  return call.set(2, DType::i32, {});
}

}  // namespace byoc::shapes
