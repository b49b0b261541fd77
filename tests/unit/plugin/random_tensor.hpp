// Operands of the regions that tests run.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::plugin {

// Random elements; reals between -2 and 2.
inline evaluate::Tensor random_tensor(const ir::TensorType& type, std::mt19937& random) {
  std::vector<std::byte> bytes(type.bytes());
  if (type.dtype == DType::f32) {
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
      const float f = static_cast<float>(random() % 4001) / 1000.0F - 2.0F;
      std::memcpy(bytes.data() + i, &f, 4);
    }
  } else {
    for (std::byte& b : bytes) b = static_cast<std::byte>(random() & (type.dtype == DType::boolean ? 1 : 255));
  }
  return {type, Blob::own(std::move(bytes))};
}

}  // namespace byoc::plugin
