// Floats of 16 bits and integers in memory, floats of 32 bits in registers: the conversions of byoc_element.h of the C
// backend, by instructions of the machine where it has them.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

#include "backends/llvm/ir/code.hpp"

namespace byoc::bitcode {
namespace {

constexpr std::uint32_t kSign = 0x8000, kInfinity = 0x7f800000;

// Operations on integers of 32 bits, or vectors of them.
struct Bits {
  llvm::IRBuilderBase& b;
  llvm::Type* type;  // of the integers

  [[nodiscard]] Value number(std::uint32_t n) const { return llvm::ConstantInt::get(type, n); }
  [[nodiscard]] Value mask(Value v, std::uint32_t n) const { return b.CreateAnd(v, number(n)); }
  [[nodiscard]] Value add(Value v, std::uint32_t n) const { return b.CreateAdd(v, number(n)); }
  [[nodiscard]] Value left(Value v, std::uint32_t n) const { return b.CreateShl(v, number(n)); }
  [[nodiscard]] Value right(Value v, std::uint32_t n) const { return b.CreateLShr(v, number(n)); }
  [[nodiscard]] Value above(Value v, std::uint32_t n) const { return b.CreateICmpUGT(v, number(n)); }
};

// An f16's exponent and fraction as those of a float are too small by 2^112, subnormals or not.
Value wide_f16(const Bits& i, Value h, llvm::Type* floats) {
  Value rest = i.mask(h, kSign - 1);
  Value small = i.b.CreateBitCast(i.left(rest, 13), floats);
  Value bits = i.b.CreateBitCast(i.b.CreateFMul(small, llvm::ConstantFP::get(floats, 0x1p112)), i.type);
  Value not_finite = i.b.CreateSelect(i.above(rest, 0x7bff), i.number(kInfinity), i.number(0));
  return i.b.CreateOr(i.b.CreateOr(bits, not_finite), i.left(i.mask(h, kSign), 16));
}

Value narrow_f16(const Bits& i, Value bits, llvm::Type* floats) {
  Value rest = i.mask(bits, 0x7fffffff);
  Value even = i.b.CreateAdd(i.add(rest, 0x0fff), i.mask(i.right(rest, 13), 1));
  Value normal = i.right(i.add(even, 0U - 0x38000000), 13);
  // The last bit of a float just above 1/2 weighs as much as that of a subnormal: the addition rounds.
  Value sum = i.b.CreateFAdd(i.b.CreateBitCast(rest, floats), llvm::ConstantFP::get(floats, 0.5));
  Value subnormal = i.add(i.b.CreateBitCast(sum, i.type), 0U - 0x3f000000);
  Value out = i.b.CreateSelect(i.above(rest, 0x387fffff), normal, subnormal);
  out = i.b.CreateSelect(i.above(rest, 0x477fefff), i.number(0x7c00), out);  // from 65520 on
  out = i.b.CreateSelect(i.above(rest, kInfinity), i.number(0x7e00), out);
  return i.b.CreateOr(out, i.mask(i.right(bits, 16), kSign));
}

Value narrow_bf16(const Bits& i, Value bits) {
  Value even = i.right(i.b.CreateAdd(i.add(bits, 0x7fff), i.mask(i.right(bits, 16), 1)), 16);
  Value nan = i.b.CreateOr(i.mask(i.right(bits, 16), kSign), i.number(0x7fc0));
  return i.b.CreateSelect(i.above(i.mask(bits, 0x7fffffff), kInfinity), nan, even);
}

}  // namespace

Value Code::widened(Value bits, Real real) {
  llvm::IRBuilderBase& b = builder();
  const std::int64_t lanes = lanes_of(bits);
  llvm::Type* floats = lanes_type(b.getFloatTy(), lanes);
  if (is_integer(real)) {
    llvm::Type* words = lanes_type(b.getInt32Ty(), lanes);
    return b.CreateSIToFP(is_unsigned(real) ? b.CreateZExt(bits, words) : b.CreateSExt(bits, words), floats);
  }
  if (real == Real::f16 && machine_.halves)
    return b.CreateFPExt(b.CreateBitCast(bits, lanes_type(b.getHalfTy(), lanes)), floats);
  const Bits i{b, lanes_type(b.getInt32Ty(), lanes)};
  Value wide = b.CreateZExt(bits, i.type);
  return b.CreateBitCast(real == Real::bf16 ? i.left(wide, 16) : wide_f16(i, wide, floats), floats);
}

Value Code::narrowed(Value value, Real real) {
  llvm::IRBuilderBase& b = builder();
  const std::int64_t lanes = lanes_of(value);
  llvm::Type* words = lanes_type(stored_type(real), lanes);
  // The lowest bits of a whole number are those of its sum with 1.5 * 2^23.
  if (is_integer(real)) {
    Value sum = add(value, Code::real(12582912.0F, lanes));
    return b.CreateTrunc(b.CreateBitCast(sum, lanes_type(b.getInt32Ty(), lanes)), words);
  }
  if (real == Real::f16 && machine_.halves)
    return b.CreateBitCast(b.CreateFPTrunc(value, lanes_type(b.getHalfTy(), lanes)), words);
  const Bits i{b, lanes_type(b.getInt32Ty(), lanes)};
  Value bits = b.CreateBitCast(value, i.type);
  return b.CreateTrunc(real == Real::bf16 ? narrow_bf16(i, bits) : narrow_f16(i, bits, value->getType()), words);
}

Value Code::rounded(Value value, Real real) { return real == Real::f32 ? value : widened(narrowed(value, real), real); }

}  // namespace byoc::bitcode
