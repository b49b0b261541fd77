// byoc.Lookup: the table is the model's own.
#include "backends/c/lower/elementwise/lookup_quantised.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_table_lookup(const Region& region, const Node& node, const TargetSpec&) {
  const Value &x = region.values[node.inputs[0]], &table = region.values[node.inputs[1]],
              &y = region.values[node.outputs[0]];
  if (bit_width(x.dtype) != 8)
    return refuse(Reason::unsupported_dtype, "x: found " + std::string(to_string(x.dtype)) + ", expected i8 or u8");
  if (!table.is_constant) return refuse(Reason::not_constant, "table: found a computed one, expected a constant");
  if (table.elements() != 256 || table.dtype != y.dtype)
    return refuse(Reason::unsupported_shape, "table: found " + shape_text(table) + ", expected 256 elements of " +
                                                 std::string(to_string(y.dtype)));
  return accepts_lookup(region, node);
}

bool lower_table_lookup(Emitter& emitter, const Node& node) {
  const Value &x = *emitter.input(node, 0), &table = *emitter.input(node, 1);
  const std::int32_t lowest = x.dtype == DType::i8 ? -128 : 0;
  return lower_lookup(emitter, node, [&](std::int32_t q) -> std::int64_t {
    const std::byte element = table.data[static_cast<std::size_t>(q - lowest)];
    return table.dtype == DType::i8 ? std::int64_t{static_cast<std::int8_t>(element)}
                                    : std::int64_t{static_cast<std::uint8_t>(element)};
  });
}

}  // namespace byoc::c
