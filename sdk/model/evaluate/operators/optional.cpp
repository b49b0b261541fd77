// Optional, OptionalGetElement, OptionalHasElement. The last two take what is no optional as one that holds it.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/value.hpp"
#include "sdk/model/ir/held_type.hpp"

namespace byoc::evaluate {
namespace {

bool is_optional(const Tensor& t) {
  return t.type.container == ir::Container::optional || t.type.container == ir::Container::optional_sequence;
}

}  // namespace

Outcome optional(const Call& call) {
  if (const Tensor* given = call.find(0)) {
    if (is_optional(*given)) return call.error("input 0 is an optional itself", describe(*given));
    return single(optional_of(given->type, *given));
  }
  const std::string name = call.node.text("type", "");
  const auto type = ir::held_type(name);
  if (!type) return call.error("attribute type does not say what the optional may hold", name, "f32, seq(f32) ...");
  return single(optional_of(*type, std::nullopt));
}

// An optional that has operand 1 as its content if operand 0 is true.
Outcome optional_given(const Call& call) {
  const Tensor &given = call.in(0), &content = call.in(1);
  if (given.type.dtype != DType::boolean || given.bytes.size() != 1)
    return call.error("what says whether it is there is not one bool", describe(given), "bool[]");
  if (is_optional(content)) return call.error("input 1 is an optional itself", describe(content));
  const bool there = given.bytes.bytes()[0] != std::byte{0};
  return single(optional_of(content.type, there ? std::optional(content) : std::nullopt));
}

Outcome optional_get_element(const Call& call) {
  const Tensor& x = call.in(0);
  if (!is_optional(x)) return single(x);
  if (x.items->empty()) return call.error("the optional holds nothing", describe(x), "a tensor or a sequence");
  return single((*x.items)[0]);
}

Outcome optional_has_element(const Call& call) {
  Result<Buffer> y = call.allocate(DType::boolean, {});
  if (!y) return failure;
  const Tensor* x = call.find(0);
  y->bytes[0] = std::byte{x != nullptr && (!is_optional(*x) || !x->items->empty())};
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
