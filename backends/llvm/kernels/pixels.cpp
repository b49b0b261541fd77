#include "backends/llvm/kernels/pixels.hpp"

#include <algorithm>
#include <cmath>

namespace byoc::bitcode {

std::vector<std::pair<std::int64_t, std::int64_t>> pieces(std::int64_t count, std::int64_t length) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  if (count / length != 0) out.emplace_back(length, count / length);
  if (count % length != 0) out.emplace_back(count % length, 1);
  return out;
}

void for_pieces(Code& code, std::int64_t count, std::int64_t length,
                const std::function<void(Value, std::int64_t)>& body) {
  code.loop(count / length, [&](Value i) { body(code.times(i, length), length); });
  if (count % length != 0) body(code.integer(count / length * length), count % length);
}

Split most_pieces(std::int64_t images, std::int64_t rows, std::int64_t cols, std::int64_t panels) {
  const std::int64_t all[] = {images, rows, cols, panels};
  const auto* most = std::max_element(std::begin(all), std::end(all));
  return {static_cast<Loop>(most - all), *most};
}

void for_pieces(Code& code, bool by_range, std::int64_t count, std::int64_t length,
                const std::function<void(Value, std::int64_t)>& body) {
  if (!by_range) return for_pieces(code, count, length, body);
  const Value whole = code.integer(count / length);
  if (count >= length)
    code.loop(code.range_from(), code.lesser(code.range_to(), whole),
              [&](Value i) { body(code.times(i, length), length); });
  // At most one round: the last piece is shorter.
  if (count % length != 0)
    code.loop(code.greater(code.range_from(), whole), code.range_to(),
              [&](Value i) { body(code.times(i, length), count % length); });
}

void for_each(Code& code, bool by_range, std::int64_t from, std::int64_t to, const std::function<void(Value)>& body) {
  if (from >= to) return;
  if (by_range)
    code.loop(code.greater(code.range_from(), code.integer(from)), code.lesser(code.range_to(), code.integer(to)),
              body);
  else if (to - from == 1)
    body(code.integer(from));
  else
    code.loop(code.integer(from), code.integer(to), body);
}

Values sum_over(Code& code, std::int64_t count, Value x, Value w, std::int64_t x_step, std::int64_t w_step,
                const Values& before, const std::function<Values(Value, Value, const Values&)>& body) {
  if (count == 1) return body(x, w, before);
  return code.loop(code.integer(0), code.integer(count), 1, before, [&](Value i, const Values& sums) {
    return body(code.at_byte(x, code.times(i, x_step)), code.at_byte(w, code.times(i, w_step)), sums);
  });
}

Value clamped(Code& code, Value a, const nodes::Bounds& bounds, std::int64_t lanes) {
  if (!std::isinf(bounds.lo)) a = code.at_least(a, code.real(bounds.lo, lanes));
  if (!std::isinf(bounds.hi)) a = code.at_most(a, code.real(bounds.hi, lanes));
  return a;
}

void copy_floats(Code& code, Value to, Value from, std::int64_t count, Real real) {
  const std::int64_t lanes = code.machine().lanes;
  for_pieces(code, count, lanes, [&](Value i, std::int64_t valid) {
    const Value v = from == nullptr ? code.real(0, valid) : code.load(code.at(from, i, real), valid, valid, real);
    code.store(v, code.at(to, i), valid);
  });
}

void copy_elements(Code& code, Value to, Value from, std::int64_t count, std::int64_t size) {
  if (size == 4) return copy_floats(code, to, from, count);
  const std::int64_t lanes = code.machine().lanes, together = lanes * 4 / size;
  for_pieces(code, count, together, [&](Value i, std::int64_t valid) {
    const Value target = code.at_byte(to, code.times(i, size)), source = code.at_byte(from, code.times(i, size));
    if (valid == together) return code.store_words(code.load_words(source, lanes), target);
    for (std::int64_t k = 0; k < valid * size; k += size)
      code.copy_element(code.at_byte(target, k), code.at_byte(source, k), size);
  });
}

}  // namespace byoc::bitcode
