// Gather, and Compress by a constant condition. Constant indices at equal distances are a copy through strides.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/indexing.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

struct Lines {
  std::int64_t batches = 1;  // whose indices are their own
  Extent outer = 1, length = 1, inner = 1;
};

Lines lines_of(const Value& x, std::size_t axis, std::size_t batch_dims) {
  Lines out;
  out.length = extent(x.dims[axis]);
  for (std::size_t d = 0; d < x.dims.size(); ++d) {
    if (d < batch_dims)
      out.batches *= x.dims[d];
    else if (d != axis)
      (d < axis ? out.outer : out.inner) *= extent(x.dims[d]);
  }
  return out;
}

// The positions of the axis that a Compress keeps.
std::optional<Dims> kept(const Region& region, const Node& node) {
  const Value& condition = region.values[node.inputs[1]];
  if (!condition.is_constant) return std::nullopt;
  Dims out;
  for (std::size_t i = 0; i < condition.data.size(); ++i)
    if (condition.data[i] != std::byte{0}) out.push_back(static_cast<std::int64_t>(i));
  return out;
}

std::optional<Lines> read_lines(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  if (node.op == "Compress" && node.find<std::int64_t>("axis") == nullptr) return Lines{1, 1, elements(x), 1};
  const auto axis = read_axis(node.integer("axis", 0), x.dims.size(), why);
  if (!axis) return std::nullopt;
  const std::int64_t batch_dims = node.integer("batch_dims", 0);
  if (batch_dims < 0 || batch_dims > static_cast<std::int64_t>(*axis)) {
    why = "found batch_dims " + std::to_string(batch_dims) + ", expected 0 to " + std::to_string(*axis);
    return std::nullopt;
  }
  if (batch_dims != 0 && is_open(x)) {
    why = "found batch_dims and dims that only a run knows";
    return std::nullopt;
  }
  return lines_of(x, *axis, static_cast<std::size_t>(batch_dims));
}

// Constant positions, counted from the start; of a dim that only a run knows the kernel counts.
std::optional<Dims> positions(const Region& region, const Node& node, const Lines& lines) {
  auto list = node.op == "Compress" ? kept(region, node) : constant_integers(region, node, 1);
  if (list && lines.length.is_known() && node.op == "Compress")
    std::erase_if(*list, [&](std::int64_t i) { return i >= lines.length.known(); });
  if (list && lines.length.is_known())
    for (std::int64_t& i : *list) i += i < 0 ? lines.length.known() : 0;
  return list;
}

// The copy that constant positions at equal distances are.
std::optional<Movement> read_progression(const Region& region, const Node& node, std::string& why) {
  const auto lines = read_lines(region, node, why);
  if (!lines || lines->batches != 1 || !lines->length.is_known()) return std::nullopt;  // no range to be checked later
  const auto list = positions(region, node, *lines);
  if (!list) return std::nullopt;
  const std::int64_t step = list->size() > 1 ? (*list)[1] - (*list)[0] : 1;
  for (std::size_t i = 1; i < list->size(); ++i)
    if ((*list)[i] - (*list)[i - 1] != step) return std::nullopt;
  const auto count = static_cast<std::int64_t>(list->size());
  const Extent& inner = lines->inner;
  Movement out;
  out.pieces.push_back({0,
                        0,
                        {{lines->outer, count, inner},
                         {lines->length * inner, inner * step, 1},
                         {inner * count, inner, 1},
                         count == 0 ? Extent(0) : inner * (*list)[0],
                         0}});
  return out;
}

}  // namespace

codegen::Verdict accepts_gather(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (element_size(x.dtype) == 0) return refuse_dtype(x.dtype, "elements of 1, 2, 4 or 8 bytes");
  if (!same_quantisation(region, x, y)) return refuse_quantisation();
  std::string why;
  const auto lines = read_lines(region, node, why);
  if (!lines) return refuse(Reason::unsupported_attribute, why);
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  if (node.op == "Gather") {
    constexpr std::int64_t kUnknown = INT32_MAX;  // the kernel looks
    const std::int64_t length = lines->length.is_known() ? lines->length.known() : kUnknown;
    return accepts_indices(region, node, 1, [&](std::size_t) { return length; });
  }
  if (!kept(region, node))
    return refuse(
        Reason::not_constant,
        "found a computed condition, so that the shape of its result is known only at run time, expected a constant");
  return claim();
}

bool lower_gather(Emitter& emitter, const Node& node) {
  std::string why;
  if (read_progression(emitter.region, node, why)) return lower_movement(emitter, node, read_progression);
  const auto lines = read_lines(emitter.region, node, why);
  if (!lines) return emitter.error(node, why);
  StepBuilder step(emitter, node);
  const Value& y = emitter.value(node.outputs[0]);
  std::string name = "gather";
  if (elements(y) != 0) {
    Indices list;
    Extent count = 0;
    if (const auto known = positions(emitter.region, node, *lines)) {
      const std::vector<std::int32_t> table(known->begin(), known->end());
      list = {step.table("indices", std::span<const std::int32_t>(table)), "int32_t", "i32"};
      count = static_cast<std::int64_t>(table.size());
    } else {
      list = indices(step, node, 1);
      count = elements(*emitter.input(node, 1));
    }
    name = moving_kernel(step, "gather", y.dtype, list);
    ParameterText p;
    if (lines->batches != 1) count = count.known() / lines->batches;
    p.add("batches", lines->batches)
        .add("outer", lines->outer)
        .add("length", lines->length)
        .add("count", count)
        .add("inner", lines->inner);
    step.text.includes.insert("byoc_index.h");
    step.text.declarations.insert("BYOC_GATHER(" + name + ", " + list.type + ");");
    const std::string x = step.input(0);
    step.call_checked(name + "(" + step.parameters("byoc_gather_t", p) + ", " + x + ", " + list.expression + ", " +
                          step.output(0) + ")",
                      reason::kIndex);
  }
  step.finish(name);
  return true;
}

}  // namespace byoc::c
