// Operators on strings.
#include "sdk/prepare/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> string_concat(const Inference& call) {
  if (!call.one_of(0, {DType::string}) || !call.one_of(1, {DType::string})) return failure;
  const Result<Dims> dims = call.broadcast(call.dims(0), call.dims(1));
  if (!dims) return failure;
  return call.set(0, DType::string, *dims);
}

Result<void> string_split(const Inference& call) {
  if (!call.one_of(0, {DType::string})) return failure;
  Dims dims = call.dims(0);
  dims.push_back(kUnknown);
  if (!call.set(0, DType::string, std::move(dims))) return failure;
  return call.set(1, DType::i64, call.dims(0));
}

// How many strings are no stop words, only a run can tell.
Result<void> string_normalizer(const Inference& call) {
  if (!call.one_of(0, {DType::string}) || !call.want_rank(0, 1, 2)) return failure;
  Dims dims = call.dims(0);
  dims.back() = kUnknown;
  return call.set(0, DType::string, std::move(dims));
}

Result<void> regex_full_match(const Inference& call) {
  if (!call.one_of(0, {DType::string})) return failure;
  return call.set(0, DType::boolean, call.dims(0));
}

Result<void> label_encoder(const Inference& call) {
  if (!call.same_dtype(0, 1) || !call.same_dtype(2, 3)) return failure;
  return call.set(0, call.in(2).dtype, call.dims(0));
}

}  // namespace byoc::shapes
