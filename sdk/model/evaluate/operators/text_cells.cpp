// byoc.TextCase, byoc.TextSplit: strings as rows of bytes, up to the first 0.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/letter_case.hpp"
#include "sdk/model/evaluate/operators/pieces.hpp"

namespace byoc::evaluate {
namespace {

// The string of a row; its last byte counts as 0.
std::string_view text_in(std::span<const std::uint8_t> row) {
  const auto end = std::find(row.begin(), row.end() - 1, std::uint8_t{0});
  return {reinterpret_cast<const char*>(row.data()), static_cast<std::size_t>(end - row.begin())};
}

Result<std::size_t> row_size(const Call& call) {
  const Tensor& x = call.in(0);
  if (x.type.dtype != DType::u8) return call.unsupported_dtype(0, "u8");
  if (x.type.dims->empty() || x.type.dims->back() < 1)
    return call.error("the last dim has no room for the 0 at the end of a string", describe(x));
  return static_cast<std::size_t>(x.type.dims->back());
}

}  // namespace

// Capitals of small letters, with `upper`, or the other way. No letter of the table changes its length.
Outcome text_case(const Call& call) {
  const auto size = row_size(call);
  if (!size) return failure;
  Result<Buffer> y = call.allocate(DType::u8, *call.in(0).type.dims);
  if (!y) return failure;
  const auto from = elements<std::uint8_t>(call.in(0));
  const bool upper = call.node.integer("upper", 0) != 0;
  for (std::size_t at = 0; at < from.size(); at += *size) {
    const std::string_view text = text_in(from.subspan(at, *size));
    const std::string changed = upper ? upper_case(text) : lower_case(text);
    std::copy_n(changed.begin(), std::min(changed.size(), *size - 1),
                y->as<std::uint8_t>().begin() + static_cast<std::ptrdiff_t>(at));
  }
  return single(std::move(*y));
}

// Pieces as StringSplit's, at most `pieces` of each string: with more, the run fails. Where nobody wants their number
// it must be that.
Outcome text_split(const Call& call) {
  const auto size = row_size(call);
  if (!size) return failure;
  const std::int64_t pieces = call.node.integer("pieces", 0);
  Dims rows = *call.in(0).type.dims, dims = rows;
  rows.pop_back();
  dims.insert(dims.end() - 1, pieces);
  Result<Buffer> y = call.allocate(DType::u8, dims), counts = call.allocate(DType::i64, rows, 1),
                 longest = call.allocate(DType::i32, {}, 2);
  if (!y || !counts || !longest) return failure;
  const auto from = elements<std::uint8_t>(call.in(0));
  std::int32_t& most = longest->as<std::int32_t>()[0];
  for (std::size_t row = 0; row * *size < from.size(); ++row) {
    const auto found = pieces_of(text_in(from.subspan(row * *size, *size)), call.node.text("delimiter", ""),
                                 call.node.integer("maxsplit", INT64_MAX));
    if (std::ssize(found) > pieces)
      return call.error("a string has more pieces than there is room for", std::to_string(found.size()),
                        std::to_string(pieces));
    counts->as<std::int64_t>()[row] = std::ssize(found);
    most = std::max(most, static_cast<std::int32_t>(found.size()));
    for (std::size_t i = 0; i < found.size(); ++i)
      std::copy(found[i].begin(), found[i].end(),
                y->as<std::uint8_t>().begin() +
                    static_cast<std::ptrdiff_t>((row * static_cast<std::size_t>(pieces) + i) * *size));
  }
  const bool fills = call.declared(0) != nullptr && call.declared(2) == nullptr;
  if (fills && most != pieces)
    return call.error("the pieces are another number than the model states", std::to_string(most),
                      std::to_string(pieces));
  std::vector<Tensor> out;
  for (Buffer* b : {&*y, &*counts, &*longest}) out.push_back(std::move(*b).finish());
  return out;
}

}  // namespace byoc::evaluate
