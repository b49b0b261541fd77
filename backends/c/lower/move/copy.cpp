#include "backends/c/lower/move/copy.hpp"

#include <algorithm>
#include <cstdlib>

#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {
namespace {

std::string shifted(std::string_view pointer, const Extent& offset) {
  return std::string(pointer) + (offset == 0 ? "" : " + " + offset.text());
}

// True unless dims of source or target change places: of cuts and joins, which may be over their operands.
bool has_one_order(const LoopNest& nest) {
  for (const Extents& steps : nest.strides)
    for (std::size_t d = 1; d < steps.size(); ++d)
      if (steps[d].is_known() && steps[d - 1].is_known() && std::abs(steps[d].known()) > std::abs(steps[d - 1].known()))
        return false;
  return true;
}

// A short innermost loop costs more than what it moves. Where dims change places, which nothing does over its operand,
// the order of loops does not matter, and the longest goes there.
void put_longest_last(LoopNest& nest) {
  constexpr std::int64_t kShort = 8;
  std::size_t longest = nest.dims.size() - 1;
  if (has_one_order(nest) || !nest.dims[longest].is_known() || nest.dims[longest].known() >= kShort) return;
  for (std::size_t d = nest.dims.size() - 1; d-- > 0;)
    if (nest.dims[d].is_known() && nest.dims[d].known() > nest.dims[longest].known()) longest = d;
  const auto move_last = [&](Extents& v) {
    const auto at = v.begin() + static_cast<std::ptrdiff_t>(longest);
    std::rotate(at, at + 1, v.end());
  };
  move_last(nest.dims);
  for (Extents& s : nest.strides) move_last(s);
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
  put_longest_last(nest);
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
