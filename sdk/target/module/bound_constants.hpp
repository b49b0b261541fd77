// Constants that are no part of a library: a program hands them to it when it runs, all of them as one piece.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "byoc/types.hpp"
#include "sdk/base/support/blob.hpp"

namespace byoc {

struct BoundConstant {
  std::string symbol;
  std::uint64_t offset = 0;  // bytes from the start of the piece
  std::uint32_t align = 1;
  DType element = DType::u8;
  bool model_data = true;  // as ConstantArtifact::model_data
  Blob bytes;
};

struct BoundConstants {
  std::vector<BoundConstant> constants;  // in the order of their offsets
  std::uint64_t bytes = 0;               // of the piece
  std::uint32_t align = 1;               // of its first byte
  // Hash of the layout that code which reads the piece expects: where each constant is, and how it is read.
  std::array<std::uint8_t, 16> layout{};

  [[nodiscard]] const BoundConstant* find(const std::string& symbol) const {
    for (const BoundConstant& c : constants)
      if (c.symbol == symbol) return &c;
    return nullptr;
  }
};

}  // namespace byoc
