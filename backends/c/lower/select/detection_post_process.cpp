// byoc.DetectionPostProcess: boxes out of their encodings, and the best of them.
#include <algorithm>
#include <array>
#include <cmath>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/recurrent/stateful.hpp"
#include "backends/c/lower/select/select.hpp"
#include "byoc/c_text.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;

constexpr std::array kReals = {"y_scale", "x_scale", "h_scale", "w_scale", "nms_score_threshold", "nms_iou_threshold"};
constexpr std::array kFields = {"y_scale", "x_scale", "h_scale", "w_scale", "least", "overlap"};

}  // namespace

codegen::Verdict accepts_detection_post_process(const Region& region, const Node& node, const TargetSpec&) {
  for (const codegen::ValueId v : node.inputs)
    if (region.values[v].dtype != DType::f32) return refuse_dtype(region.values[v].dtype, "f32");
  if (!all_outputs_wanted(node)) return refuse(Reason::unsupported_attribute, "found an output that is not wanted");
  for (const char* name : kReals)
    if (!std::isfinite(node.real(name, 1)))
      return refuse(Reason::unsupported_attribute, "found a " + std::string(name) + " that is not finite");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_detection_post_process(Emitter& emitter, const Node& node) {
  const bool regular = node.integer("use_regular_nms", 0) != 0;
  const Dims &encodings = emitter.input(node, 0)->dims, &scores = emitter.input(node, 1)->dims;
  Kernel kernel{"detection.c", regular ? "byoc_detection_regular" : "byoc_detection", {}};
  if (regular) kernel.defines["BYOC_REGULAR"] = "1";
  emitter.kernel(kernel);
  StepBuilder step(emitter, node);
  step.text.includes.insert("byoc_select.h");
  step.text.declarations.insert("BYOC_DETECTION(" + kernel.symbol + ");");
  ParameterText p;
  p.add("count", encodings[1]).add("width", encodings[2]).add("classes", node.integer("num_classes", 1));
  p.add("columns", scores[2]).add("detections", node.integer("max_detections", 1));
  p.add("each", node.integer(regular ? "detections_per_class" : "max_classes_per_detection", 1));
  p.add("room", emitter.value(node.outputs[1]).dims[1]);
  for (std::size_t i = 0; i < kReals.size(); ++i)
    p.add(kFields[i], c_float(node.real(kReals[i], i == 4 ? 0.0f : 1.0f)));
  std::string call = kernel.symbol + "(" + step.parameters("byoc_detection_t", p);
  for (std::size_t i = 0; i < 3; ++i) call += ", " + step.input(i);
  for (std::size_t i = 0; i < 4; ++i) call += ", " + step.output(i);
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(encodings[1], 1));
  call += ", (byoc_box_t *)" + step.workspace(count * 16, 4);
  call += regular ? ", NULL" : ", (float *)" + step.workspace(count * 4, 4);
  call += ", (int32_t *)" + step.workspace(count * 4, 4) + ")";
  step.call_checked(call, reason::kBox);
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
