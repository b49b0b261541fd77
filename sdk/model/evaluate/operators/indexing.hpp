// Helpers for operators that read or write at the positions of an operand of indices.
#pragma once

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

// Counts negative indices from the end. Error: outside [-length, length).
Result<std::int64_t> index_into(const Call& call, std::int64_t index, std::int64_t length);

// Indices of one element each along `axis` of operand 0: GatherElements, ScatterElements. Gives, for every element of
// the indices operand, the flat element of operand 0 that it names. Errors: ranks, lengths, an index out of range.
Result<std::vector<std::int64_t>> element_positions(const Call& call);

// Tuples of indices into the dims of operand 0 behind `batch` leading dims that both share: GatherND, ScatterND.
struct Slices {
  std::int64_t inner = 1;            // elements of one slice
  std::vector<std::int64_t> starts;  // where the slice of each tuple begins
  Dims dims;                         // of what the tuples pick: indices dims without the last, then the slice's
};
Result<Slices> tuple_slices(const Call& call, std::int64_t batch);

}  // namespace byoc::evaluate
