#include "sdk/model/evaluate/value.hpp"

#include <algorithm>
#include <cassert>

#include "sdk/model/evaluate/call.hpp"
#include "sdk/model/ir/texts.hpp"

namespace byoc::evaluate {
namespace {

using ir::Container;

bool may_be_empty(Container c) { return c == Container::optional || c == Container::optional_sequence; }

// The container of an optional's content.
Container content_of(Container c) {
  return c == Container::optional_sequence ? Container::sequence : Container::tensor;
}

bool is_whole_tensor(const Tensor& t) {
  if (!t.type.is_shaped()) return false;
  const std::optional<std::int64_t> count = product(*t.type.dims);
  if (!count) return false;
  if (t.type.dtype == DType::string) return t.texts && t.texts->size() == static_cast<std::uint64_t>(*count);
  std::int64_t bits = 0;
  return !__builtin_mul_overflow(*count, std::int64_t{bit_width(t.type.dtype)}, &bits) &&
         t.type.bytes() == t.bytes.size();
}

bool dims_fit(const ir::TensorType& stated, const Tensor& t) {
  if (!stated.dims) return true;
  return std::equal(stated.dims->begin(), stated.dims->end(), t.type.dims->begin(), t.type.dims->end(),
                    [](ir::Dim s, ir::Dim d) { return ir::is_open(s) || s == d; });
}

}  // namespace

Tensor tensor_of(std::vector<std::int64_t> dims, std::vector<std::string> texts) {
  Tensor out;
  out.type.dtype = DType::string;
  out.type.dims = std::move(dims);
  out.texts = std::make_shared<const std::vector<std::string>>(std::move(texts));
  return out;
}

Tensor sequence_of(DType dtype, std::vector<Tensor> items) {
  Tensor out;
  out.type.dtype = dtype;
  out.type.container = Container::sequence;
  out.items = std::make_shared<const std::vector<Tensor>>(std::move(items));
  return out;
}

Tensor optional_of(const ir::TensorType& type, std::optional<Tensor> content) {
  Tensor out;
  out.type.dtype = type.dtype;
  out.type.container = type.is_tensor() ? Container::optional : Container::optional_sequence;
  std::vector<Tensor> items;
  if (content) items.push_back(std::move(*content));
  out.items = std::make_shared<const std::vector<Tensor>>(std::move(items));
  return out;
}

Tensor value_of(const ir::TensorType& type, const Blob& bytes) {
  if (type.dtype != DType::string) return {type, bytes};
  auto texts = ir::unpack_texts(bytes.bytes(), static_cast<std::uint64_t>(product(*type.dims).value_or(0)));
  assert(texts);
  return tensor_of(*type.dims, std::move(*texts));
}

std::optional<Blob> constant_bytes(const Tensor& t) {
  if (!t.type.is_tensor()) return std::nullopt;
  return t.type.dtype == DType::string ? ir::pack_texts(*t.texts) : t.bytes;
}

std::uint64_t memory_of(const Tensor& t) {
  std::uint64_t out = t.bytes.size();
  if (t.texts)
    for (const std::string& text : *t.texts) out += sizeof text + text.size();
  if (t.items)
    for (const Tensor& item : *t.items) out += sizeof item + memory_of(item);
  return out;
}

bool is_whole(const Tensor& t) {
  if (t.type.is_tensor()) return is_whole_tensor(t);
  if (!t.items || (may_be_empty(t.type.container) && t.items->size() > 1)) return false;
  const Container inside = content_of(t.type.container);
  return std::all_of(t.items->begin(), t.items->end(), [&](const Tensor& item) {
    return item.type.container == inside && item.type.dtype == t.type.dtype && is_whole(item);
  });
}

bool fits(const ir::TensorType& stated, const Tensor& t) {
  if (stated.is_tensor() && stated.dtype == DType::undefined && !stated.dims) return true;  // nothing is stated
  if (stated.container != t.type.container) return false;
  if (stated.dtype != DType::undefined && stated.dtype != t.type.dtype) return false;
  if (t.type.is_tensor()) return dims_fit(stated, t);
  ir::TensorType inside = stated;
  inside.container = content_of(stated.container);
  return std::all_of(t.items->begin(), t.items->end(), [&](const Tensor& item) { return fits(inside, item); });
}

Tensor as_stated(const ir::TensorType& stated, Tensor value) {
  if (!may_be_empty(stated.container) || content_of(stated.container) != value.type.container) return value;
  const ir::TensorType type = value.type;
  return optional_of(type, std::move(value));
}

}  // namespace byoc::evaluate
