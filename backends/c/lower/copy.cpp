#include "backends/c/lower/copy.hpp"

#include "backends/c/lower/operands.hpp"

namespace byoc::c {
namespace {

LoopNest loops(const Copy& copy) { return merge({copy.dims, {copy.from_strides, copy.to_strides}}); }

std::string shifted(std::string_view pointer, std::int64_t offset) {
  return std::string(pointer) + (offset ? " + " + std::to_string(offset) : "");
}

}  // namespace

std::size_t element_size(DType t) {
  const unsigned bits = bit_width(t);
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

codegen::Verdict accepts_copy(const codegen::Region& region, const codegen::Node& node, const Copy& copy) {
  const codegen::Value& x = region.values[node.inputs[0]];
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "elements of 1, 2, 4 or 8 bytes");
  if (const std::size_t rank = loops(copy).dims.size(); rank > kLoopRank)
    return refuse(codegen::Reason::unsupported_shape, "found a copy over " + std::to_string(rank) +
                                                          " dims that do not merge, expected at most " +
                                                          std::to_string(kLoopRank));
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

void add_copy(Emitter& emitter, StepText& text, std::string_view params, DType dtype, const Copy& copy,
              std::string_view from, std::string_view to) {
  const std::size_t size = element_size(dtype);
  const std::string kernel = emitter.kernel(
      {"copy.c", "byoc_copy_" + std::to_string(size), {{"BYOC_ELEMENT", "uint" + std::to_string(size * 8) + "_t"}}});
  ParameterText p;
  add_loops(p, loops(copy), {"from_stride", "to_stride"});
  text.includes.insert("byoc_copy.h");
  text.prelude += p.definition("byoc_copy_t", params);
  text.body += "  " + kernel + "(&" + std::string(params) + ", " + shifted(from, copy.from_offset) + ", " +
               shifted(to, copy.to_offset) + ");\n";
}

}  // namespace byoc::c
