// Sine and cosine of floats of 32 bits in vectors. Arguments are reduced to pi / 4 in doubles, as in Cody and Waite,
// "Software Manual for the Elementary Functions" (1980), chapter 8; large ones by the bits of 2 / pi that matter, as in
// Payne and Hanek, "Radian reduction for trigonometric functions" (1983).
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <limits>
#include <numbers>

#include "backends/llvm/ir/code.hpp"

namespace byoc::bitcode {
namespace {

// (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 in r^2, for |r| <= pi / 4: 2^-27.9 of sin r, 2^-32.9 of cos r.
constexpr float kSine[] = {-1.9514441e-4F, 8.332155e-3F, -0.16666655F};
constexpr float kCosine[] = {2.44322e-5F, -1.3887308e-3F, 4.1666646e-2F};
// pi / 2 in two parts: products of the first, of 33 bits, with integers of 20 are exact.
constexpr double kQuarterHigh = 0x1.921fb544p+0, kQuarterLow = 0x1.0b4611a626331p-34;
constexpr float kMostQuick = 1e6F;  // up to here, the integers have 20 bits
// 2 / pi behind the point, after a word of zeros.
constexpr std::uint32_t kTwoOverPi[] = {0,           0xa2f9836eU, 0x4e441529U, 0xfc2757d1U, 0xf534ddc0U,
                                        0xdb629599U, 0x3c439041U, 0xfe5163abU, 0xdebbc561U};

}  // namespace

// {i32 n, double r} of a finite float that is not small: the product of its 24 bits with 96 of 2 / pi, from the one on
// whose product is worth two quarters. What is before those makes whole turns.
llvm::Function* Code::large_angle() {
  if (llvm::Function* known = module().getFunction("large_angle")) return known;
  llvm::IRBuilderBase& b = builder();
  const llvm::IRBuilderBase::InsertPointGuard guard(b);
  llvm::Type *word = b.getInt32Ty(), *wide = b.getInt64Ty();
  auto* result = llvm::StructType::get(b.getContext(), {word, b.getDoubleTy()});
  auto* f = llvm::Function::Create(llvm::FunctionType::get(result, {b.getFloatTy()}, false),
                                   llvm::Function::InternalLinkage, "large_angle", module());
  f->setDoesNotThrow();
  f->addFnAttr(llvm::Attribute::NoInline);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", f));
  auto* table = llvm::ConstantDataArray::get(b.getContext(), llvm::ArrayRef(kTwoOverPi));
  auto* words = llvm::cast<llvm::GlobalVariable>(module().getOrInsertGlobal("two_over_pi", table->getType()));
  words->setInitializer(table);
  words->setConstant(true);
  words->setLinkage(llvm::GlobalValue::InternalLinkage);
  Value bits = b.CreateBitCast(f->getArg(0), word);
  Value exponent = b.CreateAnd(b.CreateLShr(bits, 23), 0xff);
  Value mantissa = b.CreateZExt(b.CreateOr(b.CreateAnd(bits, 0x7fffff), 0x800000), wide);
  constexpr std::uint32_t kFirst = 120;  // the exponent whose first bit is the table's
  Value position = b.CreateSub(exponent, b.getInt32(kFirst)), shift = b.CreateAnd(position, 31);
  Value at = b.CreateZExt(b.CreateAnd(b.CreateLShr(position, 5), 7), wide);  // an infinity stays in the table
  Values part;
  for (std::uint64_t i = 0; i < 4; ++i) {
    Value place = b.CreateAnd(b.CreateAdd(at, b.getInt64(i)), 7);
    part.push_back(b.CreateLoad(word, b.CreateInBoundsGEP(word, words, place)));
  }
  const auto aligned = [&](std::size_t i) {
    return b.CreateZExt(b.CreateIntrinsic(llvm::Intrinsic::fshl, {word}, {part[i], part[i + 1], shift}), wide);
  };
  Value high = b.CreateOr(b.CreateShl(aligned(0), 32), aligned(1));
  Value product = b.CreateAdd(b.CreateMul(mantissa, high), b.CreateLShr(b.CreateMul(mantissa, aligned(2)), 32));
  // In units of 2^-62 quarters.
  Value n = b.CreateLShr(b.CreateAdd(product, b.getInt64(std::uint64_t{1} << 61)), 62);
  Value rest = b.CreateSIToFP(b.CreateSub(product, b.CreateShl(n, 62)), b.getDoubleTy());
  Value r = b.CreateFMul(rest, llvm::ConstantFP::get(b.getDoubleTy(), std::numbers::pi / 2 * 0x1p-62));
  Value is_negative = b.CreateICmpSLT(bits, b.getInt32(0));
  Value turns = b.CreateTrunc(n, word);
  turns = b.CreateSelect(is_negative, b.CreateNeg(turns), turns);
  Value out = b.CreateInsertValue(llvm::PoisonValue::get(result), turns, 0);
  b.CreateRet(b.CreateInsertValue(out, b.CreateSelect(is_negative, b.CreateFNeg(r), r), 1));
  return f;
}

Code::Angle Code::angle(Value x) {
  llvm::IRBuilderBase& b = builder();
  const std::int64_t lanes = lanes_of(x);
  llvm::Type* doubles = lanes_type(b.getDoubleTy(), lanes);
  const auto c = [&](double v) { return llvm::ConstantFP::get(doubles, v); };
  // Added to 1.5 * 2^52 there are no bits left behind the point, and the integer is in the lowest ones.
  Value d = b.CreateFPExt(x, doubles), sum = b.CreateFAdd(b.CreateFMul(d, c(2 / std::numbers::pi)), c(0x1.8p52));
  Value whole = b.CreateFSub(sum, c(0x1.8p52));
  Value r = b.CreateFSub(d, b.CreateFMul(whole, c(kQuarterHigh)));
  r = b.CreateFSub(r, b.CreateFMul(whole, c(kQuarterLow)));
  Value n = b.CreateTrunc(b.CreateBitCast(sum, lanes_type(b.getInt64Ty(), lanes)), lanes_type(b.getInt32Ty(), lanes));
  Value is_large = b.CreateFCmpOGT(absolute(x), real(kMostQuick, lanes));
  Value any = lanes == 1 ? is_large : b.CreateOrReduce(is_large);
  Value count = b.CreateSelect(any, integer(lanes), integer(0));
  llvm::Function* large = large_angle();
  const auto lane_of = [&](Value v, Value lane) { return lanes == 1 ? v : b.CreateExtractElement(v, lane); };
  const auto with_lane = [&](Value v, Value one, Value lane) {
    return lanes == 1 ? one : b.CreateInsertElement(v, one, lane);
  };
  const Values angles = loop(integer(0), count, 1, {n, r}, [&](Value lane, const Values& before) {
    Value own = b.CreateCall(large, {lane_of(x, lane)}), is_own = lane_of(is_large, lane);
    const auto chosen = [&](unsigned i) {
      return with_lane(before[i], b.CreateSelect(is_own, b.CreateExtractValue(own, i), lane_of(before[i], lane)), lane);
    };
    return Values{chosen(0), chosen(1)};
  });
  return {angles[0], b.CreateFPTrunc(angles[1], lanes_type(b.getFloatTy(), lanes))};
}

Value Code::wave(Value x, std::int32_t quarters) {
  llvm::IRBuilderBase& b = builder();
  const std::int64_t lanes = lanes_of(x);
  auto [n, r] = angle(x);
  const auto words = [&](std::int32_t v) { return word(v, lanes); };
  if (quarters != 0) n = add_words(n, words(quarters));
  const Value square = multiply(r, r);
  const Value sine = multiply_add(multiply(polynomial(square, kSine), square), r, r);
  const Value half = multiply_add(square, real(-0.5F, lanes), real(1, lanes));
  const Value cosine = multiply_add(multiply(polynomial(square, kCosine), square), square, half);
  Value is_odd = b.CreateICmpNE(b.CreateAnd(n, words(1)), words(0));
  Value y = b.CreateSelect(is_odd, cosine, sine);
  Value sign = b.CreateShl(b.CreateAnd(n, words(2)), words(30));
  y = b.CreateBitCast(b.CreateXor(b.CreateBitCast(y, n->getType()), sign), y->getType());
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  return where_less(absolute(x), real(kInfinite, lanes), y, real(std::numeric_limits<float>::quiet_NaN(), lanes));
}

Value Code::sine(Value x) { return wave(x, 0); }
Value Code::cosine(Value x) { return wave(x, 1); }

}  // namespace byoc::bitcode
