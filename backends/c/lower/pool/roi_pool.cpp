// RoiAlign and MaxRoiPool.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/indexing.hpp"
#include "backends/c/lower/sample/sampling.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_rois(const Region& region, const Node& node) {
  const Value& x = region.values[node.inputs[0]];
  const Value& rois = region.values[node.inputs[1]];
  if (!is_float_type(x.dtype)) return refuse_dtype(x.dtype, "a float");
  if (rois.dtype != x.dtype) return refuse_dtype(rois.dtype, to_string(x.dtype));
  if (x.dims.size() != 4 || x.dims[2] == 0 || x.dims[3] == 0)
    return refuse(Reason::unsupported_shape, "found " + shape_text(x) + ", expected N, C, H, W");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

ParameterText roi_parameters(const Node& node, const Value& x, const Value& y, bool average, bool half_pixel) {
  ParameterText p;
  p.add("batch", x.dims[0]).add("channels", x.dims[1]).add("height", x.dims[2]).add("width", x.dims[3]);
  p.add("rois", y.dims[0]).add("out_height", y.dims[2]).add("out_width", y.dims[3]);
  p.add("sampling_ratio", node.integer("sampling_ratio", 0)).add("average", average ? 1 : 0);
  p.add("half_pixel", half_pixel ? 1 : 0);
  return p;
}

std::string scale(const Node& node, DType t) {
  return c_literal(t, static_cast<double>(node.real("spatial_scale", 1)));
}

}  // namespace

codegen::Verdict accepts_roi_align(const Region& region, const Node& node, const TargetSpec&) {
  const std::string mode = node.text("mode", "avg"), how = node.text("coordinate_transformation_mode", "half_pixel");
  if ((mode != "avg" && mode != "max") || (how != "half_pixel" && how != "output_half_pixel"))
    return refuse(Reason::unsupported_attribute, "found mode " + mode + " and coordinate_transformation_mode " + how);
  if (const std::int64_t ratio = node.integer("sampling_ratio", 0); ratio < 0 || ratio > 1024)
    return refuse(Reason::unsupported_attribute, "found sampling_ratio " + std::to_string(ratio));
  const std::int64_t images = region.values[node.inputs[0]].dims[0];
  const Value& list = region.values[node.inputs[2]];
  if (list.dtype != DType::i64 && list.dtype != DType::i32) return refuse_dtype(list.dtype, "indices of i64 or i32");
  if (const auto known = constant_integers(region, node, 2))
    for (const std::int64_t i : *known)
      if (i < 0 || i >= images)
        return refuse(Reason::unsupported_attribute,
                      "found image " + std::to_string(i) + ", expected less than " + std::to_string(images));
  return accepts_rois(region, node);
}

bool lower_roi_align(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const Value& y = emitter.value(node.outputs[0]);
  StepBuilder step(emitter, node);
  Kernel kernel = sampling_kernel("roi_align", x.dtype);
  if (y.elements() != 0) {
    const std::string image = step.input(0), rois = step.input(1);
    const Indices list = indices(step, node, 2);
    kernel.symbol += "_" + list.name;
    kernel.defines["BYOC_INDEX"] = list.type;
    emitter.kernel(kernel);
    const ParameterText p = roi_parameters(node, x, y, node.text("mode", "avg") == "avg",
                                           node.text("coordinate_transformation_mode", "half_pixel") == "half_pixel");
    step.text.includes.insert("byoc_sample.h");
    step.text.declarations.insert("BYOC_ROI_ALIGN(" + kernel.symbol + ", " + std::string(c_type(x.dtype)) + ", " +
                                  weight_type(x.dtype) + ", " + list.type + ");");
    step.call_checked(kernel.symbol + "(" + step.parameters("byoc_roi_t", p) + ", " + scale(node, x.dtype) + ", " +
                          image + ", " + rois + ", " + list.expression + ", " + step.output(0) + ")",
                      reason::kImage);
  }
  step.finish(kernel.symbol);
  return true;
}

codegen::Verdict accepts_max_roi_pool(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_rois(region, node);
}

bool lower_max_roi_pool(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const Value& y = emitter.value(node.outputs[0]);
  StepBuilder step(emitter, node);
  const Kernel kernel = sampling_kernel("max_roi_pool", x.dtype);
  if (y.elements() != 0) {
    emitter.kernel(kernel);
    step.text.includes.insert("byoc_sample.h");
    step.text.declarations.insert("BYOC_MAX_ROI_POOL(" + kernel.symbol + ", " + std::string(c_type(x.dtype)) + ", " +
                                  weight_type(x.dtype) + ");");
    const std::string image = step.input(0), rois = step.input(1);
    step.call_checked(kernel.symbol + "(" + step.parameters("byoc_roi_t", roi_parameters(node, x, y, false, false)) +
                          ", " + scale(node, x.dtype) + ", " + image + ", " + rois + ", " + step.output(0) + ")",
                      reason::kImage);
  }
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
