#include <cstring>

#include "sdk/model/import/onnx/operators.hpp"
#include "sdk/model/ir/texts.hpp"

namespace byoc::onnx_import {
namespace {

template <class T>
ir::Tensor tensor_of(DType dtype, std::optional<ir::Dim> length, const T* elements, std::size_t count) {
  ir::Tensor t;
  t.type.dtype = dtype;
  t.type.dims.emplace();
  if (length) t.type.dims->push_back(*length);
  std::vector<std::byte> bytes(count * sizeof(T));
  if (count != 0) std::memcpy(bytes.data(), elements, bytes.size());
  t.bytes = Blob::own(std::move(bytes));
  return t;
}

ir::Tensor texts_of(std::optional<ir::Dim> length, std::span<const std::string> elements) {
  ir::Tensor t;
  t.type.dtype = DType::string;
  t.type.dims.emplace();
  if (length) t.type.dims->push_back(*length);
  t.bytes = ir::pack_texts(elements);
  return t;
}

std::optional<ir::Tensor> value_of(const ir::Attribute& a) {
  if (const auto* t = std::get_if<ir::Tensor>(&a)) return *t;
  if (const auto* f = std::get_if<float>(&a)) return tensor_of(DType::f32, {}, f, 1);
  if (const auto* i = std::get_if<std::int64_t>(&a)) return tensor_of(DType::i64, {}, i, 1);
  if (const auto* f = std::get_if<std::vector<float>>(&a))
    return tensor_of(DType::f32, static_cast<ir::Dim>(f->size()), f->data(), f->size());
  if (const auto* i = std::get_if<std::vector<std::int64_t>>(&a))
    return tensor_of(DType::i64, static_cast<ir::Dim>(i->size()), i->data(), i->size());
  if (const auto* s = std::get_if<std::string>(&a)) return texts_of({}, std::span(s, 1));
  if (const auto* s = std::get_if<std::vector<std::string>>(&a)) return texts_of(static_cast<ir::Dim>(s->size()), *s);
  return std::nullopt;
}

}  // namespace

// A Constant is no node in the graph: its output is a constant value.
Result<void> normalise_constant(Normaliser& e, ir::Node node) {
  if (node.attributes.size() != 1)
    return e.refuse(node, "needs one value attribute", std::to_string(node.attributes.size()), "1");
  auto tensor = value_of(node.attributes.begin()->second);
  if (!tensor) return e.refuse(node, "has a value of a kind that is not supported");
  ir::Value& value = e.graph.values[node.outputs[0]];
  value.type = std::move(tensor->type);
  value.constant.emplace();
  value.constant->bytes = std::move(tensor->bytes);
  return {};
}

}  // namespace byoc::onnx_import
