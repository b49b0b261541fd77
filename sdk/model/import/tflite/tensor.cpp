// Tensors of the model as values of the graph.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "sdk/model/import/tflite/model.hpp"
#include "sdk/model/import/tflite/sparse.hpp"

namespace byoc::tflite {
namespace {

std::optional<DType> dtype_of(schema::TensorType type) {
  using schema::TensorType;
  switch (type) {
    case TensorType::FLOAT32:
    case TensorType::COMPLEX64: return DType::f32;  // pairs of floats
    case TensorType::FLOAT16: return DType::f16;
    case TensorType::INT32: return DType::i32;
    case TensorType::UINT8: return DType::u8;
    case TensorType::INT64: return DType::i64;
    case TensorType::BOOL: return DType::boolean;
    case TensorType::INT16: return DType::i16;
    case TensorType::INT8: return DType::i8;
    case TensorType::FLOAT64: return DType::f64;
    case TensorType::UINT64: return DType::u64;
    case TensorType::UINT32: return DType::u32;
    case TensorType::UINT16: return DType::u16;
    case TensorType::INT4: return DType::i4;
    case TensorType::INT2: return DType::i2;
    default: return std::nullopt;
  }
}

std::string name_of_type(schema::TensorType type) {
  const char* name = schema::EnumNameTensorType(type);
  return *name != '\0' ? name : "type " + std::to_string(static_cast<int>(type));
}

bool may_be_quantised(DType t) {
  switch (t) {
    case DType::i2:
    case DType::i4:
    case DType::u4:
    case DType::i8:
    case DType::u8:
    case DType::i16:
    case DType::u16:
    case DType::i32:
    case DType::i64: return true;
    default: return false;
  }
}

// Reads one tensor and reports under its name.
class TensorReader {
 public:
  TensorReader(const schema::Tensor& tensor, const std::string& file, std::string where, Diagnostics& diags)
      : tensor_(tensor), file_(file), where_(std::move(where)), diags_(diags) {}

  Result<ir::TensorType> type() {
    ir::TensorType out;
    const auto dtype = dtype_of(tensor_.type());
    if (!dtype) return error("unsupported element type", name_of_type(tensor_.type()));
    out.dtype = *dtype;
    auto dims = shape(*dtype);
    if (!dims) return failure;
    out.dims = std::move(*dims);
    if (!quantise(out)) return failure;
    return out;
  }

  // A scale of 0 stands for a constant of zeros, which have any scale. Error: it is something else.
  Result<void> check_zero_scale(const ir::Value& value) {
    if (!has_zero_scale_) return {};
    const std::int64_t zero = value.type.quantisation->zero_points[0];
    bool all = value.constant.has_value();
    if (all) {
      const std::span<const std::byte> bytes = value.constant->bytes.bytes();
      const std::size_t width = bit_width(value.type.dtype) / 8;
      for (std::size_t i = 0; i < bytes.size(); ++i)
        all = all && bytes[i] == static_cast<std::byte>((zero >> (8 * (i % width))) & 0xff);
    }
    return all ? Result<void>() : error("quantisation scale out of range", "0", "a positive number, or zeros");
  }

  // The whole of a constant of which the file has only what is not 0. A file cannot ask for any memory it likes.
  Result<Blob> filled_in(const ir::TensorType& type, const Blob& stored) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 28, kMostForEach = 1024;  // bytes; for each that is stored
    const std::uint64_t size = type.bytes();
    if (bit_width(type.dtype) % 8 != 0) return error("is sparse with several elements to a byte");
    if (size > kMost || size / kMostForEach > stored.size())
      return error("a sparse constant is too large for what is stored of it", std::to_string(size) + " bytes",
                   "at most 256 MiB, and 1024 times the stored bytes");
    std::vector<std::byte> dense(static_cast<std::size_t>(size));
    if (auto fault = fill_in(*tensor_.sparsity(), type, stored.bytes(), dense))
      return error(std::move(fault->message), std::move(fault->found), std::move(fault->expected));
    return Blob::own(std::move(dense));
  }

  Failure error(std::string message, std::string found = {}, std::string expected = {}) {
    return diags_.error(file_, where_, std::move(message), std::move(found), std::move(expected));
  }

 private:
  // The shape that is stated, whatever the signature leaves open of it.
  Result<std::vector<ir::Dim>> shape(DType dtype) {
    std::vector<ir::Dim> dims;
    for (std::size_t i = 0; i < length(tensor_.shape()); ++i) {
      const std::int32_t d = tensor_.shape()->Get(static_cast<flatbuffers::uoffset_t>(i));
      if (d < 0) return error("negative dimension", std::to_string(d), "0 or more");
      dims.push_back(d);
    }
    if (tensor_.type() == schema::TensorType::COMPLEX64) dims.push_back(2);
    if (!is_countable(dtype, dims)) return error("the tensor is too large", {}, "fewer than 2^63 bits");
    return dims;
  }

  // FlatBuffers' verifier looks at where a vector's length is, so that elements of 8 bytes may lie at 4 bytes beside.
  static std::int64_t element(const flatbuffers::Vector<std::int64_t>& v, std::size_t i) {
    std::int64_t out = 0;
    std::memcpy(&out, v.Data() + i * sizeof out, sizeof out);
    return flatbuffers::EndianScalar(out);
  }

  Result<void> quantise(ir::TensorType& out) {
    const auto* q = tensor_.quantization();
    if (q == nullptr || !may_be_quantised(out.dtype)) return {};  // scales of float tensors mean nothing
    if (q->details_type() != schema::QuantizationDetails::NONE) return error("custom quantisation is not supported");
    const std::size_t scales = length(q->scale());
    const std::size_t zero_points = length(q->zero_point());
    if (scales == 0) return {};
    if (zero_points != scales && zero_points != 1)
      return error("quantisation needs a zero point for each scale",
                   std::to_string(scales) + " scales and " + std::to_string(zero_points) + " zero points");
    ir::TensorType quantised = out;
    quantised.quantisation.emplace();
    quantised.quantisation->scales.assign(q->scale()->begin(), q->scale()->end());
    if (scales == 1 && quantised.quantisation->scales[0] == 0 && bit_width(out.dtype) <= 16) {
      has_zero_scale_ = true;
      quantised.quantisation->scales[0] = std::numeric_limits<float>::min();
    }
    for (std::size_t i = 0; i < scales; ++i)
      quantised.quantisation->zero_points.push_back(element(*q->zero_point(), zero_points == 1 ? 0 : i));
    if (scales > 1) quantised.quantisation->axis = q->quantized_dimension();
    // The scale of a bias follows from its input and weights: a useless one (0 where a channel is) does no harm.
    const bool valid = check(quantised, out.dtype != DType::i32 && out.dtype != DType::i64);
    if (!valid) return out.dtype == DType::i32 || out.dtype == DType::i64 ? Result<void>() : failure;
    out = std::move(quantised);
    return {};
  }

  bool check(const ir::TensorType& t, bool report) {
    const Quantisation& q = *t.quantisation;
    for (float s : q.scales)
      if (!std::isfinite(s) || s <= 0) {
        if (report) error("quantisation scale out of range", std::to_string(s), "a positive finite number");
        return false;
      }
    if (q.scales.size() == 1) return true;
    const auto rank = static_cast<std::int64_t>(t.dims->size());
    if (q.axis < 0 || q.axis >= rank) {
      if (report)
        error("quantised dimension out of range", std::to_string(q.axis), "less than " + std::to_string(rank));
      return false;
    }
    const ir::Dim channels = (*t.dims)[static_cast<std::size_t>(q.axis)];
    if (channels != static_cast<ir::Dim>(q.scales.size())) {
      if (report)
        error("quantisation needs a scale for each index of its dimension", std::to_string(q.scales.size()) + " scales",
              std::to_string(channels));
      return false;
    }
    return true;
  }

  const schema::Tensor& tensor_;
  const std::string& file_;
  const std::string where_;
  Diagnostics& diags_;
  bool has_zero_scale_ = false;
};

}  // namespace

Result<ir::Value> Model::read_tensor(std::size_t index, bool computed, Diagnostics& diags) const {
  const schema::Tensor& tensor = *graph().tensors()->Get(static_cast<flatbuffers::uoffset_t>(index));
  ir::Value value;
  value.name = tensor_name(index);
  value.source_index = static_cast<std::int64_t>(index);
  TensorReader reader(tensor, path(), describe_tensor(index, value.name), diags);
  auto type = reader.type();
  if (!type) return failure;
  value.type = std::move(*type);
  auto data = buffer(index, tensor.buffer(), diags);
  if (!data) return failure;
  value.is_state = tensor.is_variable();
  if (value.is_state) {
    // Variables start at 0 or their zero point, whatever a buffer says.
    if (data->size() != 0) return reader.error("is a variable, but has data", std::to_string(data->size()) + " bytes");
    if (!reader.check_zero_scale(value)) return failure;
    return value;
  }
  const std::uint64_t size = value.type.bytes();
  if (data->size() == 0 && tensor.sparsity() != nullptr) return reader.error("is sparse, but no constant");
  if (data->size() == 0 && (size != 0 || computed)) {
    if (!reader.check_zero_scale(value)) return failure;
    return value;
  }
  if (computed) return reader.error("has data, but an operator or the caller computes it");
  if (tensor.sparsity() != nullptr) {
    auto dense = reader.filled_in(value.type, *data);
    if (!dense) return failure;
    data = std::move(*dense);
  }
  if (data->size() != size)
    return reader.error("its buffer does not have the size of its type", std::to_string(data->size()) + " bytes",
                        std::to_string(size) + " bytes");
  value.constant.emplace().bytes = std::move(*data);
  if (!reader.check_zero_scale(value)) return failure;
  return value;
}

}  // namespace byoc::tflite
