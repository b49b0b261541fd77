// MaxUnpool.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/indexing.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// The shape that the indices count in.
std::optional<Dims> pooled_from(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  const Dims kernel = node.integers("kernel_shape", {});
  const Dims strides = node.integers("strides", Dims(kernel.size(), 1));
  const Dims pads = node.integers("pads", Dims(2 * kernel.size(), 0));
  bool fits = !kernel.empty() && x.dims.size() == kernel.size() + 2 && strides.size() == kernel.size() &&
              pads.size() == 2 * kernel.size() && y.dims.size() == x.dims.size() && x.dims.size() <= kLoopRank;
  Dims out = x.dims;
  for (std::size_t d = 0; fits && d < kernel.size(); ++d)
    out[d + 2] = (x.dims[d + 2] - 1) * strides[d] + kernel[d] - pads[d] - pads[d + kernel.size()];
  for (std::size_t d = 0; fits && d < out.size(); ++d) fits = out[d] >= 0 && out[d] <= y.dims[d];
  if (fits) return out;
  why = "found kernel_shape, strides and pads that do not lead from " + shape_text(x) + " into " + shape_text(y);
  return std::nullopt;
}

std::int64_t product_of(const Dims& dims) {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  return n;
}

}  // namespace

codegen::Verdict accepts_max_unpool(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& list = region.values[node.inputs[1]];
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "elements of 1, 2, 4 or 8 bytes");
  if (list.dtype != DType::i64 && list.dtype != DType::i32) return refuse_dtype(list.dtype, "indices of i64 or i32");
  if (x.quantised() || region.values[node.outputs[0]].quantised()) return refuse_quantisation();
  std::string why;
  const auto dims = pooled_from(region, node, why);
  if (!dims || list.dims != x.dims) return refuse(Reason::unsupported_shape, dims ? "indices of another shape" : why);
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  const std::int64_t size = product_of(*dims);
  if (const auto known = constant_integers(region, node, 1))
    for (const std::int64_t i : *known)
      if (i < 0 || i >= size)
        return refuse(Reason::unsupported_attribute,
                      "found index " + std::to_string(i) + ", expected less than " + std::to_string(size));
  return claim();
}

bool lower_max_unpool(Emitter& emitter, const Node& node) {
  std::string why;
  const auto dims = pooled_from(emitter.region, node, why);
  if (!dims) return emitter.error(node, why);
  const Value& y = emitter.value(node.outputs[0]);
  StepBuilder step(emitter, node);
  std::string kernel = "unpool";
  if (y.elements() != 0) {
    const bool same = *dims == y.dims;
    const auto padded = [](Dims list) {
      list.resize(kLoopRank, 0);
      return list;
    };
    ParameterText p;
    p.add("count", emitter.input(node, 0)->elements()).add("size", product_of(*dims)).add("total", y.elements());
    p.add("rank", same ? 0 : static_cast<std::int64_t>(dims->size())).add("dims", padded(*dims));
    p.add("stride", padded(dense_strides(y.dims)));
    const std::string x = step.input(0);
    const Indices list = indices(step, node, 1);
    kernel = moving_kernel(step, "unpool", y.dtype, list);
    step.text.includes.insert("byoc_arrange.h");
    step.text.declarations.insert("BYOC_UNPOOL(" + kernel + ", " + list.type + ");");
    step.call_checked(kernel + "(" + step.parameters("byoc_unpool_t", p) + ", " + x + ", " + list.expression + ", " +
                          step.output(0) + ")",
                      reason::kIndex);
  }
  step.finish(kernel);
  return true;
}

}  // namespace byoc::c
