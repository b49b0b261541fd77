// SparseTensorProto: elements and where they stand in a tensor of zeros, which is read as a whole.
#include <onnx/onnx-ml.pb.h>

#include <cstring>

#include "sdk/model/import/onnx/tensor.hpp"

namespace byoc::onnx_import {
namespace {

// Bytes of the whole tensor, and those for each byte of its elements: a small file does not take any memory it likes.
constexpr std::uint64_t kMostWhole = std::uint64_t{1} << 28, kMostForEach = 1024;

std::vector<std::int64_t> integers_of(const ir::Tensor& t) {
  std::vector<std::int64_t> out(t.bytes.size() / sizeof(std::int64_t));
  if (!out.empty()) std::memcpy(out.data(), t.bytes.data(), out.size() * sizeof(std::int64_t));
  return out;
}

// Whether `count` positions are stated: one number each, counted row by row, or one for each dimension.
bool states_positions(const ir::TensorType& indices, ir::Dim count, std::size_t rank) {
  if (indices.dtype != DType::i64) return false;
  const std::vector<ir::Dim>& dims = *indices.dims;
  return dims == std::vector<ir::Dim>{count} || dims == std::vector<ir::Dim>{count, static_cast<ir::Dim>(rank)};
}

}  // namespace

Result<ir::Tensor> TensorReader::read_sparse(const ::onnx::SparseTensorProto& sparse, const std::string& where) {
  const auto error = [&](std::string message, std::string found, std::string expected) {
    return diags_.error(file_->path(), where, std::move(message), std::move(found), std::move(expected));
  };
  const auto values = read(sparse.values(), where);
  const auto indices = values ? read(sparse.indices(), where + ", indices") : Result<ir::Tensor>(failure);
  if (!indices) return failure;
  const unsigned bits = bit_width(values->type.dtype);
  if (bits < 8 || values->type.dims->size() != 1)
    return error("is a sparse tensor whose elements are not supported", std::string(to_string(values->type.dtype)),
                 "a list of elements of 8 bits or more");
  ir::Tensor out;
  out.type.dtype = values->type.dtype;
  out.type.dims.emplace(sparse.dims().begin(), sparse.dims().end());
  std::uint64_t bytes = bits / 8;
  for (const ir::Dim d : *out.type.dims)
    if (d < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(d), &bytes) || bytes > kMostWhole)
      return error("is a sparse tensor that is too large, or has a negative dimension", std::to_string(d),
                   "at most 256 MiB");
  if (bytes / kMostForEach > values->bytes.size())
    return error("is a sparse tensor that is too large for what is stored of it", std::to_string(bytes) + " bytes",
                 "at most 1024 times the bytes of its elements");
  const ir::Dim count = (*values->type.dims)[0];
  const std::size_t rank = out.type.dims->size();
  if (!states_positions(indices->type, count, rank))
    return error("is a sparse tensor without a position for each element", std::to_string(indices->type.elements()),
                 std::to_string(count) + ", or as many for each of " + std::to_string(rank) + " dimensions");
  const std::vector<std::int64_t> at = integers_of(*indices);
  const bool is_flat = indices->type.dims->size() == 1;
  const auto elements = static_cast<std::int64_t>(bytes / (bits / 8));
  std::vector<std::byte> whole(bytes);
  for (ir::Dim i = 0; i < count; ++i) {
    std::int64_t place = is_flat ? at[static_cast<std::size_t>(i)] : 0;
    bool fits = place >= 0 && place < elements;
    for (std::size_t d = 0; d < rank && !is_flat && fits; ++d) {
      const std::int64_t step = at[static_cast<std::size_t>(i) * rank + d];
      fits = step >= 0 && step < (*out.type.dims)[d];
      place = place * (*out.type.dims)[d] + step;
    }
    if (!fits)
      return error("is a sparse tensor with an element beyond its end", "element " + std::to_string(i),
                   "positions inside of the shape");
    std::memcpy(whole.data() + static_cast<std::uint64_t>(place) * (bits / 8),
                values->bytes.data() + static_cast<std::uint64_t>(i) * (bits / 8), bits / 8);
  }
  out.bytes = Blob::own(std::move(whole));
  return out;
}

}  // namespace byoc::onnx_import
