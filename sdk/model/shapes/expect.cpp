// byoc.Expect.
#include "sdk/model/evaluate/operators/expect.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> expect(const Inference& call) {
  if (!call.one_of(1, {DType::i32, DType::i64}) || !call.want_rank(1, 0, 1)) return failure;
  const auto* expected = call.node.find<Dims>("expected");
  if (expected == nullptr || differ(call.rank(1) == 0 ? 1 : call.dims(1)[0], static_cast<ir::Dim>(expected->size())))
    return call.error("there must be one expected number for each that is found", call.text(1),
                      expected == nullptr ? "the attribute expected" : std::to_string(expected->size()));
  if (const auto found = call.constant(1);
      found && *found != *expected && !evaluate::is_another_form(call.node, *found, *expected))
    return call.error(call.node.text("what", "the model was made for other numbers"), call.text(*found),
                      call.text(*expected));
  return call.set(0, call.in(0).dtype, call.dims(0));
}

}  // namespace byoc::shapes
