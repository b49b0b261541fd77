#include "backends/c/lower/sample/resize_computed.hpp"

#include <algorithm>

#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {
namespace {

using codegen::Node;

// "half_pixel" is BYOC_HALF_PIXEL of byoc_resize_axes.h.
std::string constant_of(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return "BYOC_" + text;
}

std::string rounding_of(const std::string& nearest) {
  return nearest.starts_with("round_") ? constant_of(nearest.substr(6)) : constant_of(nearest);
}

std::string real(double v) { return c_literal(DType::f64, v); }

}  // namespace

ComputedAxes::ComputedAxes(StepBuilder& step, const ResizeNode& resize, const Node& node)
    : step_(step), resize_(resize) {
  step.text.includes.insert({"byoc_resize_axes.h", "<math.h>"});
  const Emitter& emitter = step.emitter();
  const bool has_scales = emitter.input(node, 2) != nullptr && emitter.input(node, 2)->elements() != 0;
  const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  ParameterText p;
  p.add("axes", static_cast<std::int64_t>(resize.named.size())).add("transform", constant_of(resize.transform));
  p.add("nearest", rounding_of(resize.nearest)).add("policy", constant_of(policy));
  p.add("reach", resize.mode == "cubic" ? 2 : 1).add("antialias", std::int64_t{resize.antialias});
  p.add("exclude_outside", std::int64_t{resize.exclude_outside}).add("cubic_a", real(resize.cubic_a));
  rules_ = step.parameters("byoc_resize_rules_t", p);
  std::string axes;
  for (const std::size_t d : resize.named)
    axes += (axes.empty() ? "{" : ", {") + std::to_string(resize.axes[d].in) + ", " +
            std::to_string(resize.axes[d].out) + ", 1, 0, 1}";
  step.line("byoc_sampled_axis_t axes[] = {" + axes + "};");
  const bool crops = resize.transform == "tf_crop_and_resize";
  const DType region = crops ? emitter.input(node, 1)->dtype : DType::f32;
  Kernel kernel{"resize_read.c", "byoc_resize_read_" + std::string(to_string(region)), {}};
  define_element(kernel, "BYOC_X", region);
  const std::string symbol = step.emitter().kernel(kernel);
  step.text.declarations.insert("BYOC_RESIZE_READ(" + symbol + ", " + std::string(c_type(region)) + ");");
  const std::string scales = has_scales ? step.input(2) : "NULL", sizes = has_scales ? "NULL" : step.input(3);
  step.call_checked(
      symbol + "(" + rules_ + ", " + scales + ", " + sizes + ", " + (crops ? step.input(1) : "NULL") + ", axes)",
      reason::kNumbers);
}

std::string ComputedAxes::axis(std::size_t d) const {
  const auto at = std::find(resize_.named.begin(), resize_.named.end(), d);
  return "&axes[" + std::to_string(at - resize_.named.begin()) + "]";
}

void ComputedAxes::copy_what_stays(std::uint64_t bytes) {
  std::string stays;
  for (const std::size_t d : resize_.named)
    stays += (stays.empty() ? "" : " && ") + std::string("byoc_resize_stays(") + axis(d) + ")";
  step_.text.includes.insert("<string.h>");
  step_.line("if (" + stays + ") {");
  step_.line("  memcpy(" + step_.output(0) + ", " + step_.input(0) + ", " + std::to_string(bytes) + ");");
  step_.line("  return 0;");
  step_.line("}");
}

std::string ComputedAxes::nearest(std::size_t d, std::int64_t stride) {
  const std::string symbol = step_.emitter().kernel({"resize_nearest.c", "byoc_resize_nearest", {}});
  const auto bytes = static_cast<std::uint64_t>(resize_.axes[d].out) * 4;
  const std::string table = "(int32_t *)" + step_.workspace(bytes, 4);
  step_.line(symbol + "(" + rules_ + ", " + axis(d) + ", " + std::to_string(stride) + ", " + table + ");");
  return table;
}

TapTables ComputedAxes::taps(std::size_t d, DType weights) {
  const ResizeAxis& a = resize_.axes[d];
  const std::string type(c_type(weights));
  const std::string symbol = step_.emitter().kernel(
      {"resize_taps.c", "byoc_resize_taps_" + std::string(to_string(weights)), {{"BYOC_WEIGHT", type}}});
  step_.text.declarations.insert("BYOC_RESIZE_TAPS(" + symbol + ", " + type + ");");
  const std::int64_t most = resize_.antialias ? a.in : std::min<std::int64_t>(a.in, resize_.mode == "cubic" ? 4 : 2);
  const auto size = static_cast<std::uint32_t>(element_size(weights));
  const TapTables out{"(int32_t *)" + step_.workspace(static_cast<std::uint64_t>(a.out) * 4, 4),
                      "(int32_t *)" + step_.workspace(static_cast<std::uint64_t>(a.out + 1) * 4, 4),
                      "(" + type + " *)" + step_.workspace(static_cast<std::uint64_t>(a.out * most) * size, size)};
  step_.line(symbol + "(" + rules_ + ", " + axis(d) + ", " + out.first + ", " + out.tap + ", " + out.weights + ");");
  return out;
}

std::string ComputedAxes::parameters(const std::string& type, const ParameterText& fields) {
  const std::string name = "p" + std::to_string(count_++);
  step_.line("const " + type + " " + name + " = " + fields.nested(type) + ";");
  return "&" + name;
}

}  // namespace byoc::c
