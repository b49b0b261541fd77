// Codes of 2, 4 or 8 bits that models keep in bytes, several to a byte.
#pragma once

#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

// The order of the codes in a byte.
enum class CodeOrder { low_bits_first, high_bits_first };

// u8 [..., n] as one value for each code, u8 [..., n * 8 / bits].
[[nodiscard]] Composition::Value unpacked_codes(Composition&, Composition::Value bytes, unsigned bits,
                                                CodeOrder order = CodeOrder::low_bits_first);

// The bytes of a u8 constant as a constant of the unsigned type of `bits` bits and of these dims.
[[nodiscard]] Composition::Value retyped_codes(Normaliser&, Composition::Value bytes, unsigned bits,
                                               std::vector<ir::Dim> dims);

}  // namespace byoc::onnx_import
