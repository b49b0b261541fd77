// byoc.SignalRfft and byoc.SignalIrfft: one kernel, whose tables of turns lie in flash.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {
namespace {

using codegen::Node;

// Fours, then twos, then odd numbers up to the root of the length; what is left is the last radix.
std::vector<std::int64_t> radices_of(std::int64_t n) {
  const auto most = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  std::vector<std::int64_t> out;
  std::int64_t radix = 4;
  do {
    while (n % radix != 0) {
      radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2;
      if (radix > most) radix = n;
    }
    out.push_back(radix);
    n /= radix;
  } while (n > 1);
  return out;
}

template <class T>
void add_turn(std::vector<T>& to, double angle) {
  for (const double part : {std::cos(angle), std::sin(angle)}) {
    if constexpr (std::is_same_v<T, float>)
      to.push_back(static_cast<float>(part));
    else
      to.push_back(static_cast<T>(std::floor(0.5 + std::numeric_limits<T>::max() * part)));
  }
}

struct Turns {
  std::string all, halves;
};

template <class T>
Turns make_turns(Emitter& emitter, const std::string& name, DType dtype, std::int64_t n, bool inverse) {
  const double sign = inverse ? -1 : 1, length = static_cast<double>(n);
  std::vector<T> all, halves;
  for (int i = 0; i < n; ++i) add_turn(all, sign * (-2 * std::numbers::pi * i / length));
  for (int i = 1; i <= n / 2; ++i) add_turn(halves, sign * (-std::numbers::pi * (i / length + 0.5)));
  const auto constant = [&](const char* what, const std::vector<T>& values) {
    if (values.empty()) return std::string("NULL");
    return emitter.constant_bytes(name + what, dtype, std::as_bytes(std::span(values)), false, sizeof(T));
  };
  return {constant("_turns", all), constant("_halves", halves)};
}

Turns turns_of(Emitter& emitter, const std::string& name, DType dtype, std::int64_t n, bool inverse) {
  if (dtype == DType::i16) return make_turns<std::int16_t>(emitter, name, dtype, n, inverse);
  if (dtype == DType::i32) return make_turns<std::int32_t>(emitter, name, dtype, n, inverse);
  return make_turns<float>(emitter, name, dtype, n, inverse);
}

}  // namespace

codegen::Verdict accepts_signal_fft(const codegen::Region& region, const Node& node, const TargetSpec&) {
  return accepts_signal(region, node);
}

bool lower_signal_fft(Emitter& emitter, const Node& node) {
  const codegen::Value& x = *emitter.input(node, 0);
  const bool inverse = node.op == "SignalIrfft";
  const std::int64_t n = node.integer("fft_length", 2) / 2;
  const std::string type(c_type(x.dtype));
  Kernel kernel{"signal_fft.c", typed_symbol(inverse ? "signal_irfft" : "signal_rfft", {x.dtype}), {{"BYOC_X", type}}};
  if (inverse) kernel.defines["BYOC_INVERSE"] = "1";
  if (x.dtype != DType::f32) {
    kernel.defines["BYOC_WIDE"] = x.dtype == DType::i16 ? "int32_t" : "int64_t";
    kernel.defines["BYOC_BITS"] = x.dtype == DType::i16 ? "15" : "31";
  }
  std::vector<std::int64_t> radices = radices_of(n);
  // Room for the numbers of a radix that has no code of its own; backwards, for those of the spectrum as well.
  std::int64_t numbers = inverse ? n : 0, any = 0;
  for (const std::int64_t radix : radices)
    if (radix > 5 || radix == 1) any = std::max(any, radix);
  numbers += any;
  radices.push_back(0);
  ParameterText p;
  p.add("rows", x.elements() / x.dims.back()).add("n", n).add("given", x.dims.back()).add("inverse", inverse ? 1 : 0);
  p.add("radices", std::span<const std::int64_t>(radices));
  TypedStep s(emitter, node);
  const Turns turns = turns_of(emitter, s.name, x.dtype, n, inverse);
  const std::string parameters = s.parameters(p, "byoc_signal_fft_t");
  const std::string work =
      numbers == 0
          ? "NULL"
          : "(" + type + " *)" + s.workspace(static_cast<std::uint64_t>(2 * numbers) * (bit_width(x.dtype) / 8));
  s.call(kernel, "byoc_signal_fft.h", "BYOC_SIGNAL_FFT", {type},
         {parameters, turns.all, turns.halves, s.in(0), s.out(0), work});
  return s.emit();
}

}  // namespace byoc::c
