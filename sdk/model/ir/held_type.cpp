#include "sdk/model/ir/held_type.hpp"

namespace byoc::ir {

std::string held_name(const TensorType& type) {
  return std::string(container_prefix(type.container))
      .append(byoc::to_string(type.dtype))
      .append(container_suffix(type.container));
}

std::optional<TensorType> held_type(std::string_view name) {
  for (const Container container : {Container::tensor, Container::sequence})
    for (std::uint32_t i = 1; i < kElementTypeCount; ++i) {
      TensorType type;
      type.dtype = static_cast<DType>(i);
      type.container = container;
      if (held_name(type) == name) return type;
    }
  return std::nullopt;
}

}  // namespace byoc::ir
