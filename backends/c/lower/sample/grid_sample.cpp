// GridSample and AffineGrid.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/sample/sampling.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// The place of `text` in a list of names, two of which may stand for one; -1 if it is none of them.
int place_in(const std::string& text, std::initializer_list<std::initializer_list<const char*>> list) {
  int at = 0;
  for (const auto& names : list) {
    for (const char* name : names)
      if (text == name) return at;
    ++at;
  }
  return -1;
}

int mode_of(const Node& node) {
  return place_in(node.text("mode", "linear"), {{"nearest"}, {"linear", "bilinear"}, {"cubic", "bicubic"}});
}
int padding_of(const Node& node) {
  return place_in(node.text("padding_mode", "zeros"), {{"zeros"}, {"border"}, {"reflection"}});
}

}  // namespace

codegen::Verdict accepts_grid_sample(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& grid = region.values[node.inputs[1]];
  const Value& y = region.values[node.outputs[0]];
  if (mode_of(node) < 0 || padding_of(node) < 0)
    return refuse(Reason::unsupported_attribute,
                  "found mode " + node.text("mode", "") + " and padding_mode " + node.text("padding_mode", ""));
  if (!is_float_type(x.dtype) && !is_integer_type(x.dtype)) return refuse_dtype(x.dtype, "a number");
  if (!is_float_type(grid.dtype)) return refuse_dtype(grid.dtype, "a grid of floats");
  if (x.quantised() || y.quantised())
    return refuse(Reason::unsupported_quantisation, "found quantised values, expected a plain tensor");
  if ((x.dims.size() != 4 && x.dims.size() != 5) || grid.dims.size() != x.dims.size() ||
      (x.elements() == 0 && y.elements() != 0))
    return refuse(Reason::unsupported_shape, "found " + shape_text(x) + " and a grid " + shape_text(grid));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_grid_sample(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const Value& grid = *emitter.input(node, 1);
  const Value& y = emitter.value(node.outputs[0]);
  StepBuilder step(emitter, node);
  Kernel kernel = sampling_kernel("grid_sample", x.dtype);
  if (grid.dtype != x.dtype) kernel.symbol += "_" + std::string(to_string(grid.dtype));
  define_element(kernel, "BYOC_G", grid.dtype);
  kernel.defines["BYOC_G_LOAD(v)"] = "((BYOC_WEIGHT)" + kernel.defines["BYOC_G_LOAD(v)"] + ")";
  if (y.elements() != 0) {
    emitter.kernel(kernel);
    const std::size_t rank = x.dims.size() - 2;
    ParameterText p;
    p.add("batch", x.dims[0]).add("channels", x.dims[1]).add("points", y.elements() / (x.dims[0] * x.dims[1]));
    p.add("rank", static_cast<std::int64_t>(rank));
    p.add("in", {rank == 3 ? x.dims[2] : 1, x.dims[rank], x.dims[rank + 1]});
    p.add("mode", mode_of(node)).add("padding", padding_of(node));
    p.add("align_corners", node.integer("align_corners", 0) != 0 ? 1 : 0);
    step.text.includes.insert("byoc_sample.h");
    step.text.declarations.insert("BYOC_GRID_SAMPLE(" + kernel.symbol + ", " + std::string(c_type(x.dtype)) + ", " +
                                  std::string(c_type(grid.dtype)) + ");");
    const std::string image = step.input(0), points = step.input(1);
    step.line(kernel.symbol + "(" + step.parameters("byoc_grid_sample_t", p) + ", " + image + ", " + points + ", " +
              step.output(0) + ");");
  }
  step.finish(kernel.symbol);
  return true;
}

codegen::Verdict accepts_affine_grid(const Region& region, const Node& node, const TargetSpec&) {
  const Value& theta = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (!is_float_type(theta.dtype)) return refuse_dtype(theta.dtype, "a float");
  if (y.dims.size() != 4 && y.dims.size() != 5)
    return refuse(Reason::unsupported_shape, "found a grid " + shape_text(y) + ", expected two or three dims");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_affine_grid(Emitter& emitter, const Node& node) {
  const Value& y = emitter.value(node.outputs[0]);
  StepBuilder step(emitter, node);
  const Kernel kernel = sampling_kernel("affine_grid", y.dtype);
  if (y.elements() != 0) {
    emitter.kernel(kernel);
    const std::size_t rank = y.dims.size() - 2;
    ParameterText p;
    p.add("batch", y.dims[0]).add("rank", static_cast<std::int64_t>(rank));
    p.add("align_corners", node.integer("align_corners", 0) != 0 ? 1 : 0);
    p.add("out", {rank == 3 ? y.dims[1] : 1, y.dims[rank - 1], y.dims[rank]});
    step.text.includes.insert("byoc_sample.h");
    step.text.declarations.insert("BYOC_AFFINE_GRID(" + kernel.symbol + ", " + std::string(c_type(y.dtype)) + ");");
    const std::string theta = step.input(0);
    step.line(kernel.symbol + "(" + step.parameters("byoc_affine_grid_t", p) + ", " + theta + ", " + step.output(0) +
              ");");
  }
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
