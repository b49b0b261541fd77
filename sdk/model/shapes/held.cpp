// Sequences and optionals.
#include "sdk/model/ir/held_type.hpp"
#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

using ir::Container;

bool is_optional(const ir::TensorType& t) {
  return t.container == Container::optional || t.container == Container::optional_sequence;
}

// The type of its content.
ir::TensorType content_of(const ir::TensorType& held) {
  ir::TensorType out = held;
  out.container = held.container == Container::optional_sequence ? Container::sequence : Container::tensor;
  if (out.dims && !all_known(*out.dims)) out.dims.reset();
  return out;
}

Result<void> want_sequence(const Inference& call, std::size_t i) {
  if (call.in(i).container == Container::sequence) return {};
  return call.error("input " + std::to_string(i) + " is not a sequence", call.text(i), "a sequence");
}

Result<void> want_tensor(const Inference& call, std::size_t i) {
  if (call.in(i).is_tensor()) return {};
  return call.error("input " + std::to_string(i) + " is not a tensor", call.text(i), "a tensor");
}

// A position or another count: one number.
Result<void> want_number(const Inference& call, std::size_t i) {
  if (call.find(i) == nullptr) return {};
  if (!want_tensor(call, i) || !call.one_of(i, {DType::i32, DType::i64})) return failure;
  return call.want_rank(i, 0, 1);
}

// The type of tensors among which are those of both.
ir::TensorType common(const ir::TensorType& a, const ir::TensorType& b) {
  ir::TensorType out = a;
  if (a.dims != b.dims) out.dims.reset();
  return out;
}

}  // namespace

Result<void> sequence_construct(const Inference& call) {
  ir::TensorType element = call.in(0);
  for (std::size_t i = 0; i < call.node.inputs.size(); ++i) {
    if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
    if (!want_tensor(call, i) || !call.same_dtype(0, i)) return failure;
    element = common(element, call.in(i));
  }
  return call.hold(0, Container::sequence, element);
}

Result<void> sequence_empty(const Inference& call) {
  const std::int64_t number = call.node.integer("dtype", ir::onnx_number(DType::f32));
  ir::TensorType element;
  element.dtype = ir::onnx_type(number);
  if (element.dtype == DType::undefined)
    return call.error("attribute dtype is not an element type that is supported", ir::onnx_type_name(number));
  return call.hold(0, Container::sequence, element);
}

Result<void> sequence_of(const Inference& call) {
  if (!want_tensor(call, 0) || !call.one_of(0, {DType::i32, DType::i64})) return failure;
  if (call.node.inputs.size() == 1) {
    const ir::TensorType* stated = call.stated(0);
    if (stated == nullptr || stated->dtype == DType::undefined)
      return call.error("the element type of a sequence without elements is not stated");
    return call.hold(0, Container::sequence, *stated);
  }
  ir::TensorType element = call.in(1);
  for (std::size_t i = 1; i < call.node.inputs.size(); ++i) {
    if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
    if (!want_tensor(call, i) || !call.same_dtype(1, i)) return failure;
    element = common(element, call.in(i));
  }
  return call.hold(0, Container::sequence, element);
}

Result<void> sequence_insert(const Inference& call) {
  if (!want_sequence(call, 0) || !want_tensor(call, 1) || !call.same_dtype(0, 1) || !want_number(call, 2))
    return failure;
  return call.hold(0, Container::sequence, common(call.in(0), call.in(1)));
}

Result<void> sequence_erase(const Inference& call) {
  if (!want_sequence(call, 0) || !want_number(call, 1)) return failure;
  return call.hold(0, Container::sequence, call.in(0));
}

Result<void> sequence_at(const Inference& call) {
  if (!want_sequence(call, 0) || !want_number(call, 1)) return failure;
  return call.give(0, content_of(call.in(0)));
}

Result<void> element_of(const Inference& call) {
  if (call.in(0).is_tensor()) return call.give(0, call.in(0));
  return sequence_at(call);
}

Result<void> sequence_length(const Inference& call) {
  if (!want_sequence(call, 0)) return failure;
  return call.set(0, DType::i64, {});
}

Result<void> concat_from_sequence(const Inference& call) {
  if (!want_sequence(call, 0)) return failure;
  const ir::TensorType element = content_of(call.in(0));
  if (!element.dims) return call.set_dtype(0, element.dtype);
  const bool is_new = call.node.integer("new_axis", 0) != 0;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), element.dims->size() + (is_new ? 1 : 0));
  if (!axis) return failure;
  Dims dims = *element.dims;
  if (is_new) dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), kUnknown);
  dims[*axis] = kUnknown;
  return call.set(0, element.dtype, std::move(dims));
}

Result<void> split_to_sequence(const Inference& call) {
  if (!want_tensor(call, 0) || !want_number(call, 1)) return failure;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), call.rank(0));
  if (!axis) return failure;
  ir::TensorType element = call.in(0);
  if (call.find(1) != nullptr)
    element.dims.reset();
  else if (call.node.integer("keepdims", 1) != 0)
    (*element.dims)[*axis] = 1;
  else
    element.dims->erase(element.dims->begin() + static_cast<std::ptrdiff_t>(*axis));
  return call.hold(0, Container::sequence, element);
}

Result<void> optional(const Inference& call) {
  ir::TensorType type;
  if (call.find(0) != nullptr) {
    type = call.in(0);
  } else {
    const std::string name = call.node.text("type", "");
    const auto held = ir::held_type(name);
    if (!held) return call.error("attribute type does not say what the optional may hold", name, "f32, seq(f32) ...");
    type = *held;
  }
  if (is_optional(type)) return call.error("input 0 is an optional itself", call.text(0));
  return call.hold(0, type.is_tensor() ? Container::optional : Container::optional_sequence, type);
}

Result<void> optional_of(const Inference& call) {
  if (!want_tensor(call, 0) || !call.one_of(0, {DType::boolean})) return failure;
  const ir::TensorType& type = call.in(1);
  if (is_optional(type)) return call.error("input 1 is an optional itself", call.text(1));
  return call.hold(0, type.is_tensor() ? Container::optional : Container::optional_sequence, type);
}

Result<void> optional_get_element(const Inference& call) {
  return call.give(0, is_optional(call.in(0)) ? content_of(call.in(0)) : call.in(0));
}

Result<void> optional_has_element(const Inference& call) { return call.set(0, DType::boolean, {}); }

}  // namespace byoc::shapes
