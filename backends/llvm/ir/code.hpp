// Writes the functions of one LLVM module: addresses, vectors of floats, loops. The one place of the backend that knows
// LLVM, behind a header without any of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/llvm/machine.hpp"

namespace llvm {
class Function;
class IRBuilderBase;
class Module;
class Type;
class Value;
}  // namespace llvm

namespace byoc::bitcode {

using Value = llvm::Value*;
using Values = std::vector<Value>;

// The format of a number in memory. In registers all are floats of 32 bits. Stores of floats round to nearest, ties to
// even; what is stored as an integer is whole, and within its range.
enum class Real : std::uint8_t { f32, f16, bf16, i8, u8, i16, u16 };
[[nodiscard]] constexpr std::int64_t size_of(Real real) {
  return real == Real::f32 ? 4 : real == Real::i8 || real == Real::u8 ? 1 : 2;
}
[[nodiscard]] constexpr bool is_integer(Real real) { return real >= Real::i8; }
[[nodiscard]] constexpr bool is_unsigned(Real real) { return real == Real::u8 || real == Real::u16; }

// Indices and counts are integers as wide as a pointer; addresses are counted in elements.
class Code {
 public:
  Code(const Machine& machine, const std::string& name);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  const Machine& machine() const { return machine_; }

  // A function that takes pointers; `alone`: none of them points into what another one is written through. `by_range`:
  // then two integers, from which of its pieces to which it works. Ends with end_function().
  void begin_function(const std::string& symbol, std::size_t pointers, bool returns_status, bool alone,
                      bool by_range = false);
  void end_function();
  [[nodiscard]] Value argument(std::size_t index);
  [[nodiscard]] Value range_from();
  [[nodiscard]] Value range_to();
  [[nodiscard]] Value external_constant(const std::string& symbol);
  // Calls a function of another module that takes pointers and returns nothing.
  void call(const std::string& symbol, std::span<const Value> pointers);
  // Calls a function by range for all of its `pieces`: at once, or, if `threads`, the address of a byoc_threads_t, is
  // not null and has several parts, in those parts (byoc/rt/threads.h).
  void call_by_parts(const std::string& symbol, std::span<const Value> pointers, std::int64_t pieces, Value threads);
  // The first of `places` (32 at most) whose bit is not set in the word at `taken`, and sets it: waits for one where
  // several threads have them all. It is this thread's until leave_place().
  [[nodiscard]] Value take_place(Value taken, std::int64_t places);
  void leave_place(Value taken, Value place);
  [[nodiscard]] Value load_pointer(Value pointer);

  // Integers.
  [[nodiscard]] Value integer(std::int64_t n);
  [[nodiscard]] Value plus(Value a, Value b);
  [[nodiscard]] Value plus(Value a, std::int64_t b) { return plus(a, integer(b)); }
  [[nodiscard]] Value minus(Value a, Value b);
  [[nodiscard]] Value times(Value a, std::int64_t b);
  [[nodiscard]] Value times(Value a, Value b);
  [[nodiscard]] Value half(Value a);  // of one that is even
  [[nodiscard]] Value lesser(Value a, Value b);
  [[nodiscard]] Value greater(Value a, Value b);

  // Floats, or vectors of them. `valid` of the lanes are in memory; the others are zero, or are not written.
  [[nodiscard]] Value at(Value pointer, Value elements, Real real = Real::f32);
  [[nodiscard]] Value at(Value pointer, std::int64_t elements, Real real = Real::f32) {
    return at(pointer, integer(elements), real);
  }
  [[nodiscard]] Value load(Value pointer, std::int64_t lanes, std::int64_t valid, Real real = Real::f32);
  [[nodiscard]] Value load(Value pointer, std::int64_t lanes) { return load(pointer, lanes, lanes); }
  void store(Value value, Value pointer, std::int64_t valid, Real real = Real::f32);
  // Asks for the line of the cache so many bytes behind an address, which need not be one of the program's.
  void prefetch(Value pointer, std::int64_t bytes);
  // The value as it would come back from memory.
  [[nodiscard]] Value rounded(Value value, Real real);
  [[nodiscard]] Value real(float value, std::int64_t lanes);
  [[nodiscard]] Value spread(Value scalar, std::int64_t lanes);  // the same in every lane
  [[nodiscard]] Value add(Value a, Value b);
  [[nodiscard]] Value subtract(Value a, Value b);
  [[nodiscard]] Value multiply(Value a, Value b);
  [[nodiscard]] Value divide(Value a, Value b);
  [[nodiscard]] Value negate(Value a);
  [[nodiscard]] Value absolute(Value a);
  [[nodiscard]] Value square_root(Value a);
  // a * b + c, in one instruction where the machine has it.
  [[nodiscard]] Value multiply_add(Value a, Value b, Value c);
  // NaN in `a` stays.
  [[nodiscard]] Value at_least(Value a, Value low);
  [[nodiscard]] Value at_most(Value a, Value high);
  // The greater or lesser one, and NaN if one of them is.
  [[nodiscard]] Value greatest(Value a, Value b);
  [[nodiscard]] Value least(Value a, Value b);
  // `yes` in the lanes where a < b, else `no`.
  [[nodiscard]] Value where_less(Value a, Value b, Value yes, Value no);
  // The first `count` lanes of `a`, and the others of `rest`.
  [[nodiscard]] Value first_lanes(Value a, Value rest, std::int64_t count);
  // Functions of real numbers (ir/functions.cpp), off by at most as many units in the last place as said. NaN stays.
  // e^x, two units; 0 below -87.3, infinite above 88.7.
  [[nodiscard]] Value exponential(Value x);
  // e^x of x up to 0, in fewer instructions.
  [[nodiscard]] Value exponential_below_one(Value x);
  // e^x - 1, two units.
  [[nodiscard]] Value exponential_less_one(Value x);
  // ln x, two units; -infinity of 0, NaN below.
  [[nodiscard]] Value logarithm(Value x);
  // ln(1 + x) for x from 0 on, three units.
  [[nodiscard]] Value logarithm_of_one_more(Value x);
  [[nodiscard]] Value hyperbolic_tangent(Value x);  // three units
  [[nodiscard]] Value error_function(Value x);      // two units
  // Right to two units for every finite float, with doubles on the way (ir/angles.cpp); NaN of infinities.
  [[nodiscard]] Value sine(Value x);
  [[nodiscard]] Value cosine(Value x);
  [[nodiscard]] Value sum_of_lanes(Value a);
  [[nodiscard]] Value greatest_of_lanes(Value a);
  [[nodiscard]] Value integer_as_real(Value n);  // one float

  // Integers of 32 bits, or vectors of them, that wrap; addresses in bytes.
  [[nodiscard]] Value at_byte(Value pointer, Value bytes);
  [[nodiscard]] Value at_byte(Value pointer, std::int64_t bytes) { return at_byte(pointer, integer(bytes)); }
  [[nodiscard]] Value word(std::int32_t value, std::int64_t lanes);
  [[nodiscard]] Value load_words(Value pointer, std::int64_t lanes);
  void store_words(Value value, Value pointer);
  // Signed bytes, of which `valid` are in memory; the other lanes are zero.
  [[nodiscard]] Value load_bytes(Value pointer, std::int64_t lanes, std::int64_t valid);
  [[nodiscard]] Value spread_byte(Value pointer, std::int64_t lanes);  // one signed byte in every lane
  [[nodiscard]] Value multiply_words(Value a, Value b);
  [[nodiscard]] Value flip(Value words, std::uint32_t bits);
  [[nodiscard]] Value add_words(Value a, Value b);
  // In each lane sum + the products of its four bytes: those of w signed, those of x as dot_is_unsigned() says.
  [[nodiscard]] Value dot(Value x, Value w, Value sum);
  // Products of two rows of eight bytes of x by two of w, if the machine has them: lane 2 i + j is of row i of x and j
  // of w.
  [[nodiscard]] Value matrix_dot(Value x, Value w, Value sum);
  // A square of vectors, of a power of two lanes each, with lane i of every vector in vector i.
  [[nodiscard]] Values transposed(Values rows);
  // `count` lanes of a vector from `first` on, and two vectors as one.
  [[nodiscard]] Value part(Value a, std::int64_t first, std::int64_t count);
  [[nodiscard]] Value join(Value a, Value b);
  [[nodiscard]] static std::int64_t lanes_of(Value v);
  [[nodiscard]] bool dot_is_unsigned() const { return machine_.dot == Machine::Dot::vnni; }
  // (sum * q + add - (sum < 0 ? below : 0)) >> shift, in 64 bits, to even where no bit of `ties` is set in what is
  // shifted; then within the bounds, as bytes. The parameters are vectors of 64 bits; without `below` it is 0, without
  // `ties` nothing goes to even.
  struct Requantisation {
    Value q, add, below, shift, ties;
    std::int32_t low, high, zero;
  };
  [[nodiscard]] Value load_longs(Value pointer, std::int64_t lanes);
  [[nodiscard]] Value longs(std::int64_t value, std::int64_t lanes);
  [[nodiscard]] Value requantised(Value sums, const Requantisation& how);
  // The words before the bounds are applied.
  [[nodiscard]] Value scaled(Value sums, const Requantisation& how);
  // Words as floats, and floats, each within 2^22 of 0, as the nearest words, to even.
  [[nodiscard]] Value words_as_reals(Value words);
  [[nodiscard]] Value nearest_words(Value reals);
  // Floats within 2^22 of 0 as whole ones: the nearest, of two the even one, or the one further from 0.
  [[nodiscard]] Value nearest(Value reals);
  [[nodiscard]] Value nearest_away(Value reals);
  [[nodiscard]] Value with_sign_of(Value magnitude, Value sign);
  // Words that fit bytes, as those.
  [[nodiscard]] Value words_as_bytes(Value words);
  void store_bytes(Value bytes, Value pointer, std::int64_t valid);
  void store_byte(std::uint8_t value, Value pointer);
  void copy_byte(Value to, Value from, std::uint8_t flipped);
  void copy_element(Value to, Value from, std::int64_t bytes);  // 1, 2 or 4

  // Runs `body` for from, from + step ... below `to`, which the loop need not reach. Values go from one iteration to
  // the next; what the last one gave is the result.
  Values loop(Value from, Value to, std::int64_t step, const Values& initial,
              const std::function<Values(Value index, const Values&)>& body);
  void loop(Value from, Value to, const std::function<void(Value index)>& body);
  void loop(std::int64_t count, const std::function<void(Value index)>& body);

  // The module as bitcode, checked by LLVM's verifier.
  [[nodiscard]] std::vector<std::byte> bitcode();
  // The module as text, for tests.
  [[nodiscard]] std::string text();

 private:
  struct State;
  [[nodiscard]] llvm::IRBuilderBase& builder();
  [[nodiscard]] llvm::Module& module();
  [[nodiscard]] llvm::Function& function();  // the one that is written
  [[nodiscard]] static llvm::Type* lanes_type(llvm::Type* one, std::int64_t lanes);
  // c0 + c1 x + c2 x^2 ..., the coefficients from the highest power to c0.
  [[nodiscard]] Value polynomial(Value x, std::span<const float> from_the_highest);
  // x as n ln 2 + r with |r| <= ln 2 / 2; n as words, in the bits of a float's exponent.
  struct Reduced {
    Value r, exponent;
  };
  [[nodiscard]] Value power_of_two(Value exponent);  // 2^n, -126 to 127
  // e^x where it is a normal float.
  [[nodiscard]] Value exponential_within(Value x);
  [[nodiscard]] Reduced reduced(Value x);
  [[nodiscard]] Value unless_nan(Value x, Value y);
  // x as n pi / 2 + r with |r| <= pi / 4, in double; n as words.
  struct Angle {
    Value n, r;
  };
  [[nodiscard]] Angle angle(Value x);
  [[nodiscard]] llvm::Function* large_angle();
  [[nodiscard]] Value wave(Value x, std::int32_t quarters);  // the sine of x + so many quarters of a turn
  [[nodiscard]] llvm::Type* stored_type(Real real);
  [[nodiscard]] Value widened(Value bits, Real real);  // floats of integers of 16 bits, and back
  [[nodiscard]] Value narrowed(Value value, Real real);
  [[nodiscard]] llvm::Function* part_function(llvm::Function* kernel, std::int64_t pieces);

  const Machine machine_;
  std::unique_ptr<State> state_;
};

}  // namespace byoc::bitcode
