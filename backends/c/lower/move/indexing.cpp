#include "backends/c/lower/move/indexing.hpp"

#include "byoc/nodes/operand.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

Indices indices(StepBuilder& step, const Node& node, std::size_t input) {
  const Region& region = step.emitter().region;
  const bool wide = region.values[node.inputs[input]].dtype == DType::i64;
  if (const auto list = constant_integers(region, node, input)) {
    const std::vector<std::int32_t> narrow(list->begin(), list->end());
    return {step.table("indices", std::span<const std::int32_t>(narrow)), "int32_t", "i32"};
  }
  return {step.input(input), wide ? "int64_t" : "int32_t", wide ? "i64" : "i32"};
}

codegen::Verdict accepts_indices(const Region& region, const Node& node, std::size_t input,
                                 const std::function<std::int64_t(std::size_t)>& length_of) {
  const Value& v = region.values[node.inputs[input]];
  if (v.dtype != DType::i64 && v.dtype != DType::i32) return refuse_dtype(v.dtype, "indices of i64 or i32");
  const auto list = constant_integers(region, node, input);
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const std::int64_t length = length_of(i), index = (*list)[i];
    if (index < -length || index >= length)
      return refuse(Reason::unsupported_attribute, "found index " + std::to_string(index) + ", expected at least " +
                                                       std::to_string(-length) + " and less than " +
                                                       std::to_string(length));
  }
  return claim();
}

std::string moving_kernel(StepBuilder& step, const std::string& what, DType element, const Indices& list) {
  const std::string size = std::to_string(element_size(element));
  Kernel kernel{what + ".c", "byoc_" + what + "_" + size + "_" + list.name, {}};
  kernel.defines["BYOC_ELEMENT"] = "uint" + std::to_string(element_size(element) * 8) + "_t";
  kernel.defines["BYOC_INDEX"] = list.type;
  return step.emitter().kernel(kernel);
}

std::optional<ParameterText> read_elements(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& list = region.values[node.inputs[1]];
  const auto axis = read_axis(node.integer("axis", 0), x.dims.size(), why);
  if (!axis) return std::nullopt;
  if (list.dims.size() != x.dims.size()) {
    why = "found indices " + shape_text(list) + ", expected the rank of " + shape_text(x);
    return std::nullopt;
  }
  Dims strides = dense_strides(x.dims);
  ParameterText p;
  p.add("length", x.dims[*axis]).add("along", strides[*axis]);
  strides[*axis] = 0;
  const LoopNest nest = merge({list.dims, {strides, dense_strides(list.dims)}});
  if (nest.dims.size() > kLoopRank) {
    why = "found " + std::to_string(nest.dims.size()) + " dims that do not merge, expected at most " +
          std::to_string(kLoopRank);
    return std::nullopt;
  }
  add_loops(p, {nest.dims, {nest.strides[0]}}, {"stride"});
  return p;
}

std::optional<Tuples> read_tuples(const Region& region, const Node& node, std::int64_t batch, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& list = region.values[node.inputs[1]];
  const auto rank = static_cast<std::int64_t>(x.dims.size()), index_rank = static_cast<std::int64_t>(list.dims.size());
  Tuples t;
  t.width = index_rank == 0 ? 0 : list.dims.back();
  if (batch < 0 || batch >= index_rank || t.width < 1 || t.width > rank - batch ||
      t.width > static_cast<std::int64_t>(kLoopRank)) {
    why = "found indices " + shape_text(list) + " with batch_dims " + std::to_string(batch) +
          ", expected tuples of at most " + std::to_string(kLoopRank) + " into " + shape_text(x);
    return std::nullopt;
  }
  const Dims strides = dense_strides(x.dims);
  for (std::int64_t d = 0; d < rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (d < batch) {
      t.batches *= x.dims[i];
      t.batch_stride = strides[i];
    } else if (d < batch + t.width) {
      t.length.push_back(x.dims[i]);
      t.stride.push_back(strides[i]);
    } else {
      t.inner *= x.dims[i];
    }
  }
  for (std::int64_t d = batch; d + 1 < index_rank; ++d) t.count *= list.dims[static_cast<std::size_t>(d)];
  return t;
}

ParameterText Tuples::text() const {
  const auto padded = [](Dims list) {
    list.resize(kLoopRank, 0);
    return list;
  };
  ParameterText p;
  p.add("batches", batches).add("batch_stride", batch_stride).add("count", count).add("width", width);
  p.add("inner", inner).add("length", padded(length)).add("stride", padded(stride));
  return p;
}

}  // namespace byoc::c
