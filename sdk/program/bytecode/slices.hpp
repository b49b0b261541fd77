// Tensors taken apart and put together along an axis, as Loop and Scan do. Internal to this folder.
#pragma once

#include <optional>
#include <span>

#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::bytecode {

// Slice `index` along `axis`, without that axis; nothing where the tensor has none of that.
[[nodiscard]] std::optional<evaluate::Tensor> slice(const evaluate::Tensor& from, std::int64_t axis,
                                                    std::int64_t index);

// Tensors of one type along a new axis; of none, `like` says the type. Nothing where that cannot be.
[[nodiscard]] std::optional<evaluate::Tensor> stack(std::span<const evaluate::Tensor> slices, std::int64_t axis,
                                                    const ir::TensorType* like);

// Counts negative axes from the end; nothing outside [-rank, rank).
[[nodiscard]] std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank);

}  // namespace byoc::bytecode
