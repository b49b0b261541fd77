// Element types as graph.json spells them: "float32", "int8", "bool", "bfloat16", "float32x4".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "byoc/rt/packed.h"
#include "byoc/types.hpp"

namespace byoc {

[[nodiscard]] std::optional<byoc_dl_data_type_t> read_packed_type(std::string_view text);
[[nodiscard]] std::string to_string(const byoc_dl_data_type_t&);
// Nullopt for types that the format does not have: floats of 8 bits and fewer.
[[nodiscard]] std::optional<byoc_dl_data_type_t> packed_type(DType);
// The inverse; nullopt if no element type fits.
[[nodiscard]] std::optional<DType> element_type(const byoc_dl_data_type_t&);
[[nodiscard]] bool same(const byoc_dl_data_type_t& a, const byoc_dl_data_type_t& b);

// Bytes of an element with all its lanes, whole ones: an element of 4 bits has one.
[[nodiscard]] std::uint64_t element_bytes(const byoc_dl_data_type_t&);
// The bytes of a dense tensor; nullopt on overflow or for a negative dimension.
[[nodiscard]] std::optional<std::uint64_t> tensor_bytes(const byoc_dl_data_type_t&,
                                                        std::span<const std::int64_t> shape);

// "int8[1, 2]"
[[nodiscard]] std::string shape_text(const byoc_dl_data_type_t&, std::span<const std::int64_t> shape);

}  // namespace byoc
