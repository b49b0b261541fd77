// The general product kernel, for Gemm and MatMul whose operands are not packed.
#pragma once

#include <array>
#include <optional>

#include "backends/c/emitter.hpp"

namespace byoc::c {

inline constexpr std::size_t kMatMulBatchRank = 4;  // BYOC_MATMUL_BATCH_RANK

// Strides in elements.
struct MatMul {
  std::array<std::int64_t, kMatMulBatchRank> batch{1, 1, 1, 1}, a_batch{}, b_batch{};
  std::int64_t rows = 1, depth = 1, columns = 1;
  std::int64_t a_row = 0, a_depth = 0, b_depth = 0, b_column = 0, c_row = 0, c_column = 0;
  float alpha = 1.0f, beta = 1.0f;
};

// Read NumPy's product of two inputs, and Gemm. Null, with the reason in `why`: shapes that do not fit.
[[nodiscard]] std::optional<MatMul> read_matmul(const codegen::Region&, const codegen::Node&, std::size_t left,
                                                std::size_t right, std::string& why);
[[nodiscard]] std::optional<MatMul> read_gemm(const codegen::Region&, const codegen::Node&, std::string& why);

// Emits the step for the node's inputs 0, 1 and, if it is given, 2.
void lower_general_matmul(Emitter&, const codegen::Node&, const MatMul&);

}  // namespace byoc::c
