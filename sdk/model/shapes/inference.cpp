#include "sdk/model/shapes/inference.hpp"

#include <algorithm>
#include <cstring>

namespace byoc::shapes {

bool all_known(std::span<const ir::Dim> dims) { return std::all_of(dims.begin(), dims.end(), is_known); }

const ir::TensorType* Inference::find(std::size_t i) const {
  const ir::ValueId v = node.input(i);
  return v == ir::kNoValue ? nullptr : &graph.values[v].type;
}

std::string Inference::text(const Dims& dims) const {
  ir::TensorType type;
  type.dims = dims;
  return to_string(type, graph).substr(byoc::to_string(DType::undefined).size());
}

const ir::TensorType* Inference::stated(std::size_t output) const {
  if (output >= node.outputs.size() || node.outputs[output] == ir::kNoValue) return nullptr;
  return &graph.values[node.outputs[output]].type;
}

DType Inference::requantised_dtype() const {
  const ir::TensorType* to = stated(0);
  const bool requantises =
      to != nullptr && to->quantisation && to->dtype != DType::undefined && in(0).quantisation.has_value();
  return requantises ? to->dtype : in(0).dtype;
}

std::optional<std::vector<std::int64_t>> Inference::constant(std::size_t i) const {
  const ir::ValueId v = node.input(i);
  if (!graph.is_constant(v)) return std::nullopt;
  const ir::Value& value = graph.values[v];
  const std::span<const std::byte> bytes = value.constant->bytes.bytes();
  auto read = [&]<class T>(T element) {
    std::vector<std::int64_t> out;
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      std::memcpy(&element, bytes.data() + at, sizeof(T));
      out.push_back(element);
    }
    return out;
  };
  if (value.type.dtype == DType::i64) return read(std::int64_t{});
  if (value.type.dtype == DType::i32) return read(std::int32_t{});
  return std::nullopt;
}

Failure Inference::error(std::string message, std::string found, std::string expected) const {
  return diags.error(graph.file, node.describe(), std::move(message), std::move(found), std::move(expected));
}

Result<ir::TensorType> Inference::merge(const ir::TensorType& old, const ir::TensorType& inferred,
                                        std::size_t output) const {
  ir::TensorType merged = old;
  const bool blank = old.dtype == DType::undefined && !old.dims && old.is_tensor();
  const bool same_elements =
      (old.dtype == DType::undefined || old.dtype == inferred.dtype) && (blank || old.container == inferred.container);
  bool fits = same_elements;
  merged.container = inferred.container;
  merged.dtype = inferred.dtype;
  if (!old.dims) {
    merged.dims = inferred.dims;
  } else if (inferred.dims) {
    fits = fits && old.dims->size() == inferred.dims->size();
    for (std::size_t d = 0; fits && d < old.dims->size(); ++d) {
      const ir::Dim was = (*old.dims)[d];
      const ir::Dim is = (*inferred.dims)[d];
      fits = !is_known(was) || !is_known(is) || was == is;
      (*merged.dims)[d] = is_known(is) ? is : was;
    }
  }
  if (fits) return merged;
  if (same_elements && graph.stated_shapes_may_err) {
    diags.warning(
        graph.file, node.describe(),
        "output " + std::to_string(output) + " is stated with another shape than the operator gives, which counts",
        to_string(old, graph), to_string(inferred, graph));
    merged.dims = inferred.dims;
    return merged;
  }
  return error("output " + std::to_string(output) + " does not have the type that the model states",
               to_string(old, graph), to_string(inferred, graph));
}

void Inference::set_type(std::size_t output, ir::TensorType type) const {
  ir::TensorType& now = graph.values[node.outputs[output]].type;
  changed = changed || now != type;
  now = std::move(type);
}

Result<void> Inference::set(std::size_t output, DType dtype, Dims dims) const {
  if (stated(output) == nullptr) return {};
  std::int64_t bits = std::max(bit_width(dtype), 1U);
  for (const ir::Dim d : dims) {
    if (ir::is_open(d) && d != kUnknown && static_cast<std::size_t>(-1 - d) >= graph.symbols.size())
      return error("output " + std::to_string(output) + " would have a negative dimension", std::to_string(d));
    if (is_known(d) && __builtin_mul_overflow(bits, std::max<std::int64_t>(d, 1), &bits))
      return error("output " + std::to_string(output) + " is too large", text(dims), "fewer than 2^63 bits");
  }
  ir::TensorType inferred;
  inferred.dtype = dtype;
  inferred.dims = std::move(dims);
  Result<ir::TensorType> merged = merge(*stated(output), inferred, output);
  if (!merged) return failure;
  const ir::Value& value = graph.values[node.outputs[output]];
  for (std::size_t d = 0; d < merged->dims->size(); ++d) {
    if ((*merged->dims)[d] != kUnknown) continue;
    graph.symbols.push_back((value.name.empty() ? "value" + std::to_string(node.outputs[output]) : value.name) +
                            ".dim" + std::to_string(d));
    (*merged->dims)[d] = ir::symbol_dim(graph.symbols.size() - 1);
  }
  set_type(output, std::move(*merged));
  return {};
}

Result<void> Inference::hold(std::size_t output, ir::Container container, const ir::TensorType& element) const {
  if (stated(output) == nullptr) return {};
  ir::TensorType inferred;
  inferred.dtype = element.dtype;
  inferred.container = container;
  Result<ir::TensorType> merged = merge(*stated(output), inferred, output);
  if (!merged) return failure;
  // Dims of what is held are not merged: a sequence may be stated with those of the tensors that are in it at first.
  const bool known = element.dims && all_known(*element.dims);
  if (merged->dims && (!known || *merged->dims != *element.dims)) merged->dims.reset();
  if (known && !stated(output)->dims) merged->dims = element.dims;
  set_type(output, std::move(*merged));
  return {};
}

Result<void> Inference::give(std::size_t output, const ir::TensorType& type) const {
  if (!type.is_tensor()) return hold(output, type.container, type);
  if (type.dims) return set(output, type.dtype, *type.dims);
  return set_dtype(output, type.dtype);
}

Result<void> Inference::set_dtype(std::size_t output, DType dtype) const {
  if (stated(output) == nullptr) return {};
  ir::TensorType inferred;
  inferred.dtype = dtype;
  Result<ir::TensorType> merged = merge(*stated(output), inferred, output);
  if (!merged) return failure;
  set_type(output, std::move(*merged));
  return {};
}

Result<std::size_t> Inference::axis(std::int64_t value, std::size_t rank) const {
  const auto r = static_cast<std::int64_t>(rank);
  if (value < -r || value >= r)
    return error("axis out of range", std::to_string(value),
                 "at least " + std::to_string(-r) + " and less than " + std::to_string(r));
  return static_cast<std::size_t>(value < 0 ? value + r : value);
}

Result<void> Inference::same_dtype(std::size_t a, std::size_t b) const {
  if (in(a).dtype == in(b).dtype) return {};
  return error("inputs " + std::to_string(a) + " and " + std::to_string(b) + " have different element types",
               std::string(byoc::to_string(in(b).dtype)), std::string(byoc::to_string(in(a).dtype)));
}

Result<void> Inference::one_of(std::size_t i, std::initializer_list<DType> allowed) const {
  if (std::find(allowed.begin(), allowed.end(), in(i).dtype) != allowed.end()) return {};
  std::string names;
  for (const DType t : allowed) names += (names.empty() ? "" : ", ") + std::string(byoc::to_string(t));
  return error("element type of input " + std::to_string(i) + " is not one that the operator takes",
               std::string(byoc::to_string(in(i).dtype)), names);
}

Result<void> Inference::want_rank(std::size_t i, std::size_t least, std::size_t most) const {
  if (rank(i) >= least && rank(i) <= most) return {};
  return error("input " + std::to_string(i) + " has the wrong rank", text(i),
               least == most
                   ? "rank " + std::to_string(least)
                   : "rank " + std::to_string(least) + (most == kAny ? " or more" : " to " + std::to_string(most)));
}

Result<Dims> Inference::broadcast(const Dims& a, const Dims& b) const {
  Dims out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const ir::Dim da = i < a.size() ? a[a.size() - 1 - i] : 1;
    const ir::Dim db = i < b.size() ? b[b.size() - 1 - i] : 1;
    ir::Dim& to = out[out.size() - 1 - i];
    if (da == db || db == 1)
      to = da;
    else if (da == 1)
      to = db;
    else if (is_known(da) && is_known(db))
      return error("the shapes of the inputs do not broadcast", text(a) + " and " + text(b));
    else if (is_known(da) || is_known(db))
      to = is_known(da) ? da : db;  // an open dim against a length other than 1 can only be that length or 1
    else
      to = kUnknown;
  }
  return out;
}

}  // namespace byoc::shapes
