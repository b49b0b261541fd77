// Exponential, logarithm and what is made of them, of floats of 32 bits in vectors: no branches, no tables.
//
// Arguments are reduced as in Cody and Waite, "Software Manual for the Elementary Functions" (1980), chapters 5 and 6.
// The coefficients are those whose largest error over the interval is least, weighted by the function's own size
// (Lawson's iteration); the error of the polynomial alone stands beside each.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <limits>

#include "backends/llvm/ir/code.hpp"

namespace byoc::bitcode {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
// ln 2 in two parts; a product of the first with a small integer is exact.
constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
constexpr float kLowest = -87.33654F, kHighest = 88.72283F;  // e^x has a normal float between them

// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2: its Taylor series, whose rest is below 2^-26 of e^r.
constexpr float kExponential[] = {1.0F / 5040, 1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F};
// erf(x) / x - 1 in x^2, for |x| <= 0.95: 2^-30.6.
constexpr float kErrorNear[] = {8.185093611e-5F, -0.000809770369F, 0.00519695226F, -0.0268577058F,
                                0.112836637F,    -0.376126319F,    0.128379166F};
// -ln(1 - erf x) in x, for 0.95 <= x <= 3.95: 2^-29.5 of erf x.
constexpr float kErrorFar[] = {-0.000192425097F, 0.00300852815F, -0.0220876075F, 0.10364026F,
                               0.637517095F,     1.1274749F,     0.000244723313F};
constexpr float kErrorLimit = 0.95F, kErrorOne = 3.95F;  // from the second on erf x is 1
// (ln(1 + f) - f + f^2 / 2) / f^3 for sqrt(1/2) - 1 <= f <= sqrt 2 - 1: 2^-27.3 of ln(1 + f).
constexpr float kLogarithm[] = {-0.07634499F,  0.12761578F,  -0.131601826F, 0.142017573F,
                                -0.166233569F, 0.200012266F, -0.250008196F, 0.333333313F};

}  // namespace

Value Code::polynomial(Value x, std::span<const float> from_the_highest) {
  const std::int64_t lanes = lanes_of(x);
  Value sum = real(from_the_highest[0], lanes);
  for (const float c : from_the_highest.subspan(1)) sum = multiply_add(sum, x, real(c, lanes));
  return sum;
}

Value Code::unless_nan(Value x, Value y) { return builder().CreateSelect(builder().CreateFCmpUNO(x, x), x, y); }

Code::Reduced Code::reduced(Value x) {
  const std::int64_t lanes = lanes_of(x);
  // Added to 1.5 * 2^23 there are no bits left behind the point, and n is in the lowest ones.
  const Value middle = real(12582912.0F, lanes);
  const Value sum = add(multiply(x, real(1.44269504F, lanes)), middle), n = subtract(sum, middle);
  llvm::Type* words = lanes_type(builder().getInt32Ty(), lanes);
  Value exponent = builder().CreateShl(builder().CreateBitCast(sum, words), llvm::ConstantInt::get(words, 23));
  Value r = multiply_add(n, real(-kLn2High, lanes), x);
  r = multiply_add(n, real(-kLn2Low, lanes), r);
  return {r, exponent};
}

Value Code::power_of_two(Value exponent) {
  Value one = llvm::ConstantInt::get(exponent->getType(), 0x3f800000);
  return builder().CreateBitCast(builder().CreateAdd(exponent, one),
                                 lanes_type(builder().getFloatTy(), lanes_of(exponent)));
}

Value Code::exponential_within(Value x) {
  const std::int64_t lanes = lanes_of(x);
  const auto [r, exponent] = reduced(x);
  Value p = multiply_add(polynomial(r, kExponential), r, real(1, lanes));
  p = multiply_add(p, r, real(1, lanes));
  Value bits = builder().CreateAdd(builder().CreateBitCast(p, exponent->getType()), exponent);
  return builder().CreateBitCast(bits, p->getType());
}

Value Code::exponential(Value x) {
  const std::int64_t lanes = lanes_of(x);
  const auto c = [&](float v) { return real(v, lanes); };
  Value y = exponential_within(at_most(at_least(x, c(kLowest)), c(kHighest)));
  y = where_less(x, c(kLowest), c(0), y);
  y = where_less(c(kHighest), x, c(kInfinite), y);
  return unless_nan(x, y);
}

Value Code::exponential_below_one(Value x) {
  const Value lowest = real(kLowest, lanes_of(x));
  return unless_nan(x, where_less(x, lowest, real(0, lanes_of(x)), exponential_within(at_least(x, lowest))));
}

// 2^n (e^r - 1) + (2^n - 1): nothing is lost near 0, where n is. Halved, for n may be 128.
Value Code::exponential_less_one(Value x) {
  const std::int64_t lanes = lanes_of(x);
  const auto c = [&](float v) { return real(v, lanes); };
  const auto [r, exponent] = reduced(at_most(at_least(x, c(-30)), c(kHighest)));  // below, the result is -1
  const Value p = multiply_add(multiply(polynomial(r, kExponential), r), r, r);
  constexpr std::int64_t kOne = std::int64_t{1} << 23;
  const Value half = power_of_two(builder().CreateSub(exponent, llvm::ConstantInt::get(exponent->getType(), kOne)));
  const Value y = multiply(multiply_add(half, p, subtract(half, c(0.5F))), c(2));
  return unless_nan(x, where_less(c(kHighest), x, c(kInfinite), y));
}

// x = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt 2; ln x = e ln 2 + ln(1 + f).
Value Code::logarithm(Value x) {
  const std::int64_t lanes = lanes_of(x);
  llvm::IRBuilderBase& b = builder();
  llvm::Type* words = lanes_type(b.getInt32Ty(), lanes);
  const auto c = [&](float v) { return real(v, lanes); };
  const auto word_of = [&](std::uint32_t v) { return llvm::ConstantInt::get(words, v); };
  constexpr float kLeastNormal = std::numeric_limits<float>::min(), kUp = 0x1p23F;
  const Value normal = where_less(x, c(kLeastNormal), multiply(x, c(kUp)), x);
  const Value shift = where_less(x, c(kLeastNormal), c(-23), c(0));
  // The bits of sqrt(1/2) taken off, the exponent is that of the power of two nearest below.
  constexpr std::uint32_t kRootOfHalf = 0x3f3504f3, kFraction = 0x007fffff;
  Value bits = b.CreateSub(b.CreateBitCast(normal, words), word_of(kRootOfHalf));
  Value e = b.CreateSIToFP(b.CreateAShr(bits, word_of(23)), lanes_type(b.getFloatTy(), lanes));
  e = add(e, shift);
  Value m = b.CreateBitCast(b.CreateAdd(b.CreateAnd(bits, word_of(kFraction)), word_of(kRootOfHalf)),
                            lanes_type(b.getFloatTy(), lanes));
  const Value f = subtract(m, c(1)), square = multiply(f, f);
  Value y = multiply(multiply(polynomial(f, kLogarithm), f), square);
  y = multiply_add(e, c(kLn2Low), y);
  y = multiply_add(square, c(-0.5F), y);
  y = multiply_add(e, c(kLn2High), add(f, y));
  y = where_less(c(0), x, y, c(-kInfinite));
  y = where_less(x, c(kInfinite), y, c(kInfinite));
  y = where_less(x, c(0), c(std::numeric_limits<float>::quiet_NaN()), y);
  return unless_nan(x, y);
}

// One step of Newton's makes good what 1 + x lost when it was rounded.
Value Code::logarithm_of_one_more(Value x) {
  const std::int64_t lanes = lanes_of(x);
  const Value one = real(1, lanes), u = add(one, x);
  const Value lost = divide(subtract(x, subtract(u, one)), u);
  return where_less(x, real(kInfinite, lanes), add(logarithm(u), lost), x);
}

// With t = e^2|x| - 1 it is t / (t + 2), which loses nothing near 0; from 10 on it is 1.
Value Code::hyperbolic_tangent(Value x) {
  const std::int64_t lanes = lanes_of(x);
  const auto c = [&](float v) { return real(v, lanes); };
  const auto [r, exponent] = reduced(multiply(at_most(absolute(x), c(10)), c(2)));
  const Value p = multiply_add(multiply(polynomial(r, kExponential), r), r, r);
  const Value power = power_of_two(exponent);
  const Value t = multiply_add(power, p, subtract(power, c(1)));
  const Value y = divide(t, add(t, c(2)));
  return unless_nan(x, builder().CreateBinaryIntrinsic(llvm::Intrinsic::copysign, y, x));
}

Value Code::error_function(Value x) {
  const std::int64_t lanes = lanes_of(x);
  const auto c = [&](float v) { return real(v, lanes); };
  const Value magnitude = absolute(x), square = multiply(x, x);
  const Value near_zero = multiply_add(polynomial(square, kErrorNear), x, x);
  const Value t = at_most(magnitude, c(kErrorOne));
  const Value far = subtract(c(1), exponential_within(negate(polynomial(t, kErrorFar))));
  const Value with_sign = builder().CreateBinaryIntrinsic(llvm::Intrinsic::copysign, far, x);
  return unless_nan(x, where_less(magnitude, c(kErrorLimit), near_zero, with_sign));
}

}  // namespace byoc::bitcode
