#include "sdk/run/values/numbers.hpp"

#include <cstring>

#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/evaluate/small_element.hpp"
#include "sdk/model/ir/packed_elements.hpp"

namespace byoc {

std::vector<double> numbers_of(const IoTensor& tensor, std::span<const std::byte> bytes) {
  std::vector<double> out;
  if (is_small(tensor.dtype)) {
    std::size_t count = 1;
    for (const std::int64_t d : tensor.dims) count *= static_cast<std::size_t>(d);
    for (const unsigned code : ir::unpack(bytes, bit_width(tensor.dtype), count))
      out.push_back(evaluate::small_value(tensor.dtype, code));
    return out;
  }
  const auto append = [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes.data() + at, sizeof(T));
      out.push_back(evaluate::widen(value));
    }
  };
  if (tensor.dtype == DType::boolean || !evaluate::dispatch(tensor.dtype, append)) append.operator()<std::uint8_t>();
  return out;
}

bool has_scale(const IoTensor& tensor) {
  const ElementKind kind = element_row(tensor.dtype).kind;
  return tensor.quantisation.scales.size() == 1 && kind != ElementKind::real && kind != ElementKind::truth;
}

double real_value(const IoTensor& tensor, double element) {
  if (!has_scale(tensor)) return element;
  const Quantisation& q = tensor.quantisation;
  const double zero = q.zero_points.empty() ? 0 : static_cast<double>(q.zero_points[0]);
  return static_cast<double>(q.scales[0]) * (element - zero);
}

}  // namespace byoc
