// Products of two computed matrices, one for each batch.
#pragma once

#include <cstdint>
#include <string>

#include "backends/llvm/ir/code.hpp"
#include "backends/llvm/kernels/product.hpp"
#include "byoc/nodes/matmul.hpp"

namespace byoc::bitcode {

// The product of one batch, for write_product.
[[nodiscard]] Product one_of(const nodes::MatMul& m);
// The floats of the right matrix as `tile` takes it: [block][depth][channels of a tile].
[[nodiscard]] std::int64_t packed_floats(const nodes::MatMul& m, const Tile& tile);

// void symbol(a, b, bias, y, workspace of packed_floats()): packs each right matrix and calls `product`, the kernel of
// one_of(m) and the tile. The left matrix is one by rows (a_depth 1).
void write_batched_product(Code& code, const std::string& symbol, const nodes::MatMul& m, const Tile& tile,
                           const std::string& product);
[[nodiscard]] std::string key_of(const nodes::MatMul& m);

}  // namespace byoc::bitcode
