// Products of bytes, beyond the functions for words: see code.hpp.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsAArch64.h>

#include <numeric>

#include "backends/llvm/ir/code.hpp"

namespace byoc::bitcode {

Value Code::spread_byte(Value pointer, std::int64_t lanes) {
  llvm::IRBuilderBase& b = builder();
  Value byte = b.CreateAlignedLoad(b.getInt8Ty(), pointer, llvm::Align(1));
  if (lanes == 1) return b.CreateSExt(byte, b.getInt32Ty());
  // Extends to 16 bits first, so that LLVM recognises products that are summed in 32 bits (vwmacc, smlal).
  Value all = b.CreateVectorSplat(static_cast<unsigned>(lanes), b.CreateSExt(byte, b.getInt16Ty()));
  return b.CreateSExt(all, llvm::FixedVectorType::get(b.getInt32Ty(), static_cast<unsigned>(lanes)));
}

void Code::copy_element(Value to, Value from, std::int64_t bytes) {
  llvm::IRBuilderBase& b = builder();
  const llvm::Align align(static_cast<std::uint64_t>(bytes));
  b.CreateAlignedStore(b.CreateAlignedLoad(b.getIntNTy(static_cast<unsigned>(bytes * 8)), from, align), to, align);
}

Value Code::matrix_dot(Value x, Value w, Value sum) {
  llvm::IRBuilderBase& b = builder();
  auto* bytes = llvm::FixedVectorType::get(b.getInt8Ty(), 16);
  return b.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_smmla, {sum->getType(), bytes},
                           {sum, b.CreateBitCast(x, bytes), b.CreateBitCast(w, bytes)});
}

Value Code::part(Value a, std::int64_t first, std::int64_t count) {
  if (count == lanes_of(a)) return a;
  if (count == 1) return builder().CreateExtractElement(a, static_cast<std::uint64_t>(first));
  std::vector<int> mask(static_cast<std::size_t>(count));
  std::iota(mask.begin(), mask.end(), static_cast<int>(first));
  return builder().CreateShuffleVector(a, mask);
}

// Blocks of half as many lanes change places, then blocks within those, down to single lanes.
Values Code::transposed(Values rows) {
  const std::size_t n = rows.size();
  for (std::size_t half = n / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < n; ++i) {
      if ((i & half) != 0) continue;
      std::vector<int> upper(n), lower(n);
      for (std::size_t j = 0; j < n; ++j) {
        upper[j] = static_cast<int>((j & half) == 0 ? j : n + j - half);
        lower[j] = static_cast<int>((j & half) == 0 ? j + half : n + j);
      }
      Value a = rows[i], b = rows[i + half];
      rows[i] = builder().CreateShuffleVector(a, b, upper);
      rows[i + half] = builder().CreateShuffleVector(a, b, lower);
    }
  return rows;
}

Value Code::join(Value a, Value b) {
  std::vector<int> mask(static_cast<std::size_t>(lanes_of(a) + lanes_of(b)));
  std::iota(mask.begin(), mask.end(), 0);
  return builder().CreateShuffleVector(a, b, mask);
}

}  // namespace byoc::bitcode
