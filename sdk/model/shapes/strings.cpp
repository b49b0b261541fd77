// Operators on strings.
#include "sdk/model/shapes/rules.hpp"

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

// Only a run tells how many tokens a string has.
Result<void> tokenizer(const Inference& call) {
  if (!call.one_of(0, {DType::string})) return failure;
  Dims dims = call.dims(0);
  dims.push_back(kUnknown);
  return call.set(0, DType::string, std::move(dims));
}

// Hashes of numbers are compositions.
Result<void> murmur_hash3(const Inference& call) {
  if (!call.one_of(0, {DType::string})) return failure;
  return call.set(0, call.node.integer("positive", 1) != 0 ? DType::u32 : DType::i32, call.dims(0));
}

Result<void> bifurcation_detector(const Inference& call) {
  for (const std::size_t i : {0, 1, 3})
    if (call.find(i) != nullptr && (!call.one_of(i, {DType::i64}) || !call.want_rank(i, 1, 1))) return failure;
  if (!call.one_of(2, {DType::i64}) || !call.want_rank(2, 0, 1)) return failure;
  if (!call.set(0, DType::i64, {kUnknown})) return failure;
  return call.set(1, DType::i64, {});
}

// Only a run tells how many strings are no stop words.
Result<void> string_normalizer(const Inference& call) {
  if (!call.one_of(0, {DType::string}) || !call.want_rank(0, 1, 2)) return failure;
  Dims dims = call.dims(0);
  dims.back() = kUnknown;
  return call.set(0, DType::string, std::move(dims));
}

// Only a run tells the size of the picture.
Result<void> image_decoder(const Inference& call) {
  if (!call.one_of(0, {DType::u8}) || !call.want_rank(0, 1, 1)) return failure;
  return call.set(0, DType::u8, {kUnknown, kUnknown, call.node.text("pixel_format", "RGB") == "Grayscale" ? 1 : 3});
}

namespace {

// Strings as rows of bytes.
Result<void> want_cells(const Inference& call) {
  if (!call.one_of(0, {DType::u8}) || !call.want_rank(0, 1, kAny)) return failure;
  if (const ir::Dim size = call.dims(0).back(); is_known(size) && size < 1)
    return call.error("the last dim has no room for the 0 at the end of a string", call.text(0));
  return {};
}

}  // namespace

Result<void> text_case(const Inference& call) {
  if (!want_cells(call)) return failure;
  return call.set(0, DType::u8, call.dims(0));
}

// Room for `pieces` pieces of each string; how many each has, and the most that one has.
Result<void> text_split(const Inference& call) {
  if (!want_cells(call)) return failure;
  const std::int64_t pieces = call.node.integer("pieces", 0);
  if (pieces < 1) return call.error("attribute pieces says no room", std::to_string(pieces), "1 or more");
  Dims dims = call.dims(0), rows = dims;
  dims.insert(dims.end() - 1, pieces);
  rows.pop_back();
  if (!call.set(0, DType::u8, std::move(dims)) || !call.set(1, DType::i64, std::move(rows))) return failure;
  return call.set(2, DType::i32, {});
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
