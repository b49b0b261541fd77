// Helpers of Softmax and LogSoftmax: the rows that they work on.
#pragma once

#include <span>
#include <vector>

#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

// The elements of one softmax are `length` apart by `stride`; there are outer * stride of them.
struct Rows {
  std::int64_t outer, length, stride;
};

// Along the attribute axis of operand 0.
Result<Rows> read_rows(const Call& call);

// Calls f(at) for each row, where at(i) is the place of its element i.
template <class F>
void for_each_row(const Rows& rows, F&& f) {
  if (rows.length == 0) return;
  for (std::int64_t o = 0; o < rows.outer; ++o)
    for (std::int64_t s = 0; s < rows.stride; ++s)
      f([&, o, s](std::int64_t i) { return static_cast<std::size_t>((o * rows.length + i) * rows.stride + s); });
}

// Calls f with the integers of each row of operand 0, which it changes into those of the output.
template <class F>
Outcome each_row(const Call& call, const Rows& rows, F&& f) {
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  std::vector<std::int64_t> row(static_cast<std::size_t>(rows.length));
  for_each_row(rows, [&](auto at) {
    for (std::int64_t i = 0; i < rows.length; ++i) row[static_cast<std::size_t>(i)] = values[at(i)];
    f(std::span(row));
    for (std::int64_t i = 0; i < rows.length; ++i) values[at(i)] = row[static_cast<std::size_t>(i)];
  });
  return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, values));
}

}  // namespace byoc::evaluate
