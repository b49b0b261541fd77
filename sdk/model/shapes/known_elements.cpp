#include "sdk/model/shapes/known_elements.hpp"

#include <algorithm>
#include <cstring>

#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::shapes {
namespace {

constexpr std::uint64_t kMostBytes = 1024;  // of what says a shape

// Numbers that shapes are computed with.
bool may_say_shape(const ir::TensorType& t) {
  const bool counts =
      t.dtype == DType::i64 || t.dtype == DType::i32 || t.dtype == DType::boolean || t.dtype == DType::f32;
  return counts && t.is_static() && !t.quantisation && t.bytes() <= kMostBytes;
}

// The elements of a Shape.
Blob shape_of(const ir::Node& node, const std::vector<ir::Dim>& dims) {
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto place = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
  const std::int64_t begin = place(node.integer("start", 0)), end = place(node.integer("end", rank));
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::max<std::int64_t>(end - begin, 0)) * sizeof(ir::Dim));
  if (!bytes.empty()) std::memcpy(bytes.data(), dims.data() + begin, bytes.size());
  return Blob::own(std::move(bytes));
}

}  // namespace

const Blob* KnownElements::bytes(ir::ValueId v) const {
  if (const auto found = found_.find(v); found != found_.end()) return &found->second;
  if (!graph_.is_constant(v) || graph_.values[v].constant->bytes.size() > kMostBytes) return nullptr;
  return &graph_.values[v].constant->bytes;
}

void KnownElements::compute(const ir::Node& node, const TypeOf& type) {
  if (node.outputs.size() != 1 || node.outputs[0] == ir::kNoValue || !may_say_shape(type(node.outputs[0]))) return;
  if (node.is("", "Shape")) {
    if (const ir::TensorType& shaped = type(node.inputs[0]); shaped.is_static())
      found_[node.outputs[0]] = shape_of(node, *shaped.dims);
    return;
  }
  if (!evaluate::supports(node)) return;
  std::vector<evaluate::Tensor> operands(node.inputs.size());
  std::vector<const evaluate::Tensor*> given(node.inputs.size(), nullptr);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == ir::kNoValue) continue;
    const Blob* elements = bytes(node.inputs[i]);
    if (elements == nullptr || !may_say_shape(type(node.inputs[i]))) return;
    operands[i] = {type(node.inputs[i]), *elements};
    given[i] = &operands[i];
  }
  Diagnostics unheard;  // what is wrong with a node is told when the whole graph is looked at
  auto results = evaluate::evaluate_node(graph_, node, given, unheard, kMostBytes);
  if (results && (*results)[0].type.dtype == type(node.outputs[0]).dtype)
    found_[node.outputs[0]] = std::move((*results)[0].bytes);
}

}  // namespace byoc::shapes
