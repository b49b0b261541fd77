#include "sdk/model/evaluate/operators/indexing.hpp"

#include "sdk/model/evaluate/index.hpp"

namespace byoc::evaluate {

Result<std::int64_t> index_into(const Call& call, std::int64_t index, std::int64_t length) {
  if (index < -length || index >= length)
    return call.error("index out of range", std::to_string(index),
                      "at least " + std::to_string(-length) + " and less than " + std::to_string(length));
  return index < 0 ? index + length : index;
}

Result<std::vector<std::int64_t>> element_positions(const Call& call) {
  const Dims& from = *call.in(0).type.dims;
  const Dims& dims = *call.in(1).type.dims;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), from.size());
  const auto indices = call.integers(1);
  if (!axis || !indices) return failure;
  bool fits = dims.size() == from.size();
  for (std::size_t d = 0; fits && d < dims.size(); ++d) fits = d == *axis || dims[d] <= from[d];
  if (!fits) return call.error("the indices do not fit the data", describe(call.in(1)), describe(call.in(0)));
  Dims strides = row_major_strides(from);
  const std::int64_t along = strides[*axis];
  strides[*axis] = 0;
  std::vector<std::int64_t> out;
  bool ok = true;
  walk<1>(dims, {strides}, [&](const std::array<std::int64_t, 1>& at) {
    if (!ok) return;
    const Result<std::int64_t> index = index_into(call, (*indices)[out.size()], from[*axis]);
    ok = static_cast<bool>(index);
    if (ok) out.push_back(at[0] + *index * along);
  });
  if (!ok) return failure;
  return out;
}

Result<Slices> tuple_slices(const Call& call, std::int64_t batch) {
  const Dims& from = *call.in(0).type.dims;
  const Dims& dims = *call.in(1).type.dims;
  const auto indices = call.integers(1);
  if (!indices) return failure;
  const auto rank = static_cast<std::int64_t>(from.size());
  const auto index_rank = static_cast<std::int64_t>(dims.size());
  bool fits = index_rank >= 1 && batch >= 0 && batch < index_rank && batch < rank;
  for (std::size_t d = 0; fits && d < static_cast<std::size_t>(batch); ++d) fits = dims[d] == from[d];
  fits = fits && dims.back() >= 1 && dims.back() <= rank - batch;
  if (!fits)
    return call.error("the indices do not fit the data", describe(call.in(1)),
                      describe(call.in(0)) + " with batch_dims " + std::to_string(batch));
  const auto width = static_cast<std::size_t>(dims.back());
  const std::size_t first = static_cast<std::size_t>(batch);
  const Dims strides = row_major_strides(from);
  Slices out;
  out.dims.assign(dims.begin(), dims.end() - 1);
  for (std::size_t d = first + width; d < from.size(); ++d) {
    out.inner *= from[d];
    out.dims.push_back(from[d]);
  }
  std::int64_t batches = 1, each = 1;
  for (std::size_t d = 0; d < first; ++d) batches *= from[d];
  for (std::size_t d = first; d + 1 < dims.size(); ++d) each *= dims[d];
  const std::int64_t batch_size = first == 0 ? 0 : strides[first - 1];
  std::size_t next = 0;
  for (std::int64_t b = 0; b < batches; ++b)
    for (std::int64_t t = 0; t < each; ++t) {
      std::int64_t at = b * batch_size;
      for (std::size_t k = 0; k < width; ++k) {
        const Result<std::int64_t> index = index_into(call, (*indices)[next++], from[first + k]);
        if (!index) return failure;
        at += *index * strides[first + k];
      }
      out.starts.push_back(at);
    }
  return out;
}

}  // namespace byoc::evaluate
