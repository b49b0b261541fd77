// Operators of domain "byoc" whose results have room for the most there can be: what the operator of ONNX gives, zeros
// behind it, and how long it is. Where the count is not wanted the result has exactly the length that its type says.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/ir/counted.hpp"

namespace byoc::evaluate {
namespace {

// `found` in a tensor of `dims`, which are as long or longer.
Result<Tensor> padded(const Call& call, const Tensor& found, const Dims& dims, std::size_t dim, std::size_t output) {
  Result<Buffer> out = call.allocate(found.type.dtype, dims, output);
  if (!out) return failure;
  const Dims& from = *found.type.dims;
  std::size_t outer = 1;
  for (std::size_t d = 0; d < dim; ++d) outer *= static_cast<std::size_t>(from[d]);
  if (outer == 0 || found.bytes.size() == 0) return std::move(*out).finish();
  const std::size_t line = found.bytes.size() / outer, room = out->bytes.size() / outer;
  for (std::size_t o = 0; o < outer; ++o)
    std::copy_n(found.bytes.data() + o * line, line, out->bytes.data() + o * room);
  return std::move(*out).finish();
}

Outcome counted(const Call& call, Function plain) {
  Outcome results = plain(call);
  if (!results) return failure;
  const ir::CountedResults counted = ir::counted_results(call.node, call.in(0).type.dims->size());
  const bool wants_count = call.declared(counted.count) != nullptr;
  results->resize(counted.count);
  std::int64_t count = 0;
  for (const auto& [output, dim] : counted.dims) {
    Tensor& found = (*results)[output];
    count = (*found.type.dims)[dim];
    const ir::TensorType* stated = call.declared(output);
    if (stated == nullptr || !stated->dims || dim >= stated->dims->size()) continue;
    const std::int64_t room = (*stated->dims)[dim];
    if (count > room || (!wants_count && count != room))
      return call.error("the result is not as long as its type says", std::to_string(count), std::to_string(room));
    Dims dims = *found.type.dims;
    dims[dim] = room;
    Result<Tensor> out = padded(call, found, dims, dim, output);
    if (!out) return failure;
    found = std::move(*out);
  }
  Result<Buffer> n = call.allocate(DType::i32, {}, counted.count);
  if (!n) return failure;
  n->as<std::int32_t>()[0] = static_cast<std::int32_t>(count);
  results->push_back(std::move(*n).finish());
  return results;
}

}  // namespace

Outcome counted_compress(const Call& call) { return counted(call, compress); }
Outcome counted_non_max_suppression(const Call& call) { return counted(call, non_max_suppression); }
Outcome counted_non_zero(const Call& call) { return counted(call, non_zero); }
Outcome counted_top_k(const Call& call) { return counted(call, top_k); }
Outcome counted_unique(const Call& call) { return counted(call, unique); }

}  // namespace byoc::evaluate
