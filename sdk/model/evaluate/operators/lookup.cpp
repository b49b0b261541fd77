// byoc.Lookup: the element of a table of 256 that an 8-bit integer counts, the lowest integer the first.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

Outcome lookup(const Call& call) {
  constexpr std::int64_t kLowest = -128;  // of i8
  const Tensor &x = call.in(0), &table = call.in(1);
  if (x.type.dtype != DType::i8 && x.type.dtype != DType::u8) return call.unsupported_dtype(0, "i8 or u8");
  if (table.type.dtype != DType::i8 && table.type.dtype != DType::u8) return call.unsupported_dtype(1, "i8 or u8");
  if (*table.type.dims != Dims{256}) return call.error("the table has another shape", describe(table), "[256]");
  const std::vector<std::int64_t> results = whole_numbers(table);
  std::vector<std::int64_t> values = whole_numbers(x);
  for (std::int64_t& v : values) v = results[static_cast<std::size_t>(x.type.dtype == DType::i8 ? v - kLowest : v)];
  return single(from_integers(call, table.type.dtype, *x.type.dims, values));
}

}  // namespace byoc::evaluate
