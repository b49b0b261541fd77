#include "backends/c/lower/move/copy.hpp"

#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {
namespace {

std::string shifted(std::string_view pointer, const Extent& offset) {
  return std::string(pointer) + (offset == 0 ? "" : " + " + offset.text());
}

}  // namespace

std::size_t element_size(DType t) {
  const unsigned bits = bit_width(t);
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

void add_copy(StepBuilder& step, DType dtype, const Copy& copy, std::string_view from, std::string_view to) {
  const std::size_t size = element_size(dtype);
  LoopNest nest = merge({copy.dims, {copy.from_strides, copy.to_strides}});
  step.text.includes.insert("byoc_copy.h");
  std::string source = shifted(from, copy.from_offset), target = shifted(to, copy.to_offset);
  if (nest.dims.size() == 1 && nest.strides[0][0] == 1 && nest.strides[1][0] == 1) {
    step.line("memcpy(" + target + ", " + source + ", " + (nest.dims[0] * static_cast<std::int64_t>(size)).text() +
              ");");
    return;
  }
  const std::string kernel = step.emitter().kernel(
      {"copy.c", "byoc_copy_" + std::to_string(size), {{"BYOC_ELEMENT", "uint" + std::to_string(size * 8) + "_t"}}});
  // More loops than the kernel has stand here.
  std::string indent = "  ";
  for (std::size_t i = 0; nest.dims.size() > kLoopRank; ++i) {
    const std::string index = "i" + std::to_string(i);
    step.text.body +=
        indent + "for (int32_t " + index + " = 0; " + index + " < " + nest.dims[0].text() + "; ++" + index + ")\n";
    source += " + " + index + " * " + nest.strides[0][0].text();
    target += " + " + index + " * " + nest.strides[1][0].text();
    nest.dims.erase(nest.dims.begin());
    for (Extents& s : nest.strides) s.erase(s.begin());
    indent += "  ";
  }
  ParameterText p;
  add_loops(p, nest, {"from_stride", "to_stride"});
  step.text.body += indent + kernel + "(" + step.parameters("byoc_copy_t", p) + ", " + source + ", " + target + ");\n";
}

}  // namespace byoc::c
