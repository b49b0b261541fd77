#include "sdk/run/host/tensors.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "byoc/runtime.hpp"

namespace byoc {
namespace {

// DLPack's header, version 1.1; what numbers byoc packs, it packs as that says.
static_assert(offsetof(byoc_dl_tensor_t, data) == 0);
static_assert(offsetof(byoc_dl_tensor_t, device) == sizeof(void*));
static_assert(offsetof(byoc_dl_tensor_t, ndim) == sizeof(void*) + 8);
static_assert(offsetof(byoc_dl_tensor_t, dtype) == sizeof(void*) + 12);
static_assert(offsetof(byoc_dl_tensor_t, shape) == sizeof(void*) + 16);
static_assert(offsetof(byoc_dl_tensor_t, strides) == 2 * sizeof(void*) + 16);
static_assert(sizeof(void*) != 8 || (offsetof(byoc_dl_tensor_t, byte_offset) == 40 && sizeof(byoc_dl_tensor_t) == 48));
static_assert(sizeof(byoc_dl_data_type_t) == 4 && offsetof(byoc_dl_data_type_t, lanes) == 2);

std::uint8_t code_of(DType t) {
  switch (t) {
    case DType::bf16: return BYOC_DL_BFLOAT;
    case DType::f8e4m3fn: return BYOC_DL_FLOAT8_E4M3FN;
    case DType::f8e4m3fnuz: return BYOC_DL_FLOAT8_E4M3FNUZ;
    case DType::f8e5m2: return BYOC_DL_FLOAT8_E5M2;
    case DType::f8e5m2fnuz: return BYOC_DL_FLOAT8_E5M2FNUZ;
    case DType::f8e8m0: return BYOC_DL_FLOAT8_E8M0FNU;
    case DType::f4e2m1: return BYOC_DL_FLOAT4_E2M1FN;
    default: break;
  }
  switch (element_row(t).kind) {
    case ElementKind::truth: return BYOC_DL_BOOL;
    case ElementKind::natural: return BYOC_DL_UINT;
    case ElementKind::real: return BYOC_DL_FLOAT;
    default: return BYOC_DL_INT;
  }
}

std::string type_text(const byoc_dl_data_type_t& t) {
  return "code " + std::to_string(t.code) + ", " + std::to_string(t.bits) + " bits, " + std::to_string(t.lanes) +
         " lanes";
}

// "1x49x10x1"; "scalar" for no dims.
std::string shape_text(std::span<const std::int64_t> dims) {
  std::string text;
  for (const std::int64_t d : dims) text += (text.empty() ? "" : "x") + std::to_string(d);
  return text.empty() ? "scalar" : text;
}

// Strides of dims of one element, or of no element at all, may be anything.
bool is_compact(std::span<const std::int64_t> dims, const std::int64_t* strides) {
  if (strides == nullptr || std::find(dims.begin(), dims.end(), 0) != dims.end()) return true;
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i])
    if (dims[i] != 1 && strides[i] != stride) return false;
  return true;
}

}  // namespace

byoc_dl_data_type_t dl_data_type(DType dtype) {
  return {code_of(dtype), static_cast<std::uint8_t>(bit_width(dtype)), 1};
}

namespace runtime {

std::uint32_t alignment_of(const IoTensor& tensor) {
  return tensor.align != 0 ? tensor.align : std::max(bit_width(tensor.dtype) / 8, 1U);
}

Result<void*> address_of(const byoc_dl_tensor_t* tensor, const IoTensor& expected, const std::string& library,
                         Diagnostics& diags) {
  const auto bad = [&](const std::string& what, const std::string& found = {}, const std::string& wanted = {}) {
    return diags.error(library, expected.name, what, found, wanted);
  };
  if (tensor == nullptr) return bad("there is no tensor", "a null pointer");
  if (tensor->device.device_type != BYOC_DL_CPU)
    return bad("the tensor is on another device", "device type " + std::to_string(tensor->device.device_type),
               "1 (CPU)");
  const byoc_dl_data_type_t type = dl_data_type(expected.dtype), &given = tensor->dtype;
  if (given.code != type.code || given.bits != type.bits || given.lanes != type.lanes)
    return bad("the tensor has another element type", type_text(given),
               std::string(to_string(expected.dtype)) + " (" + type_text(type) + ")");
  if (tensor->ndim < 0 || (tensor->ndim > 0 && tensor->shape == nullptr))
    return bad("the tensor has no shape", std::to_string(tensor->ndim) + " dims");
  const std::span<const std::int64_t> dims(tensor->shape, static_cast<std::size_t>(tensor->ndim));
  if (!std::equal(dims.begin(), dims.end(), expected.dims.begin(), expected.dims.end()))
    return bad("the tensor has another shape", shape_text(dims), shape_text(expected.dims));
  if (!is_compact(dims, tensor->strides))
    return bad("the tensor is not compact", "strides " + shape_text({tensor->strides, dims.size()}),
               "rows one after the other");
  if (tensor->data == nullptr && expected.bytes != 0) return bad("the tensor has no data", "a null pointer");
  auto* const address = static_cast<std::byte*>(tensor->data) + tensor->byte_offset;
  const std::uint32_t align = alignment_of(expected);
  if (const auto beyond = reinterpret_cast<std::uintptr_t>(address) % align; beyond != 0)
    return bad("the tensor is not aligned", std::to_string(beyond) + " bytes beyond",
               "a multiple of " + std::to_string(align) + " bytes");
  return static_cast<void*>(address);
}

}  // namespace runtime
}  // namespace byoc
