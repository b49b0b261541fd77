// Loops over the elements of tensors that broadcast, as few and as long as their shapes allow.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backends/llvm/ir/code.hpp"

namespace byoc::bitcode {

// out[i] = f(operands[i] ...) over a shape. Steps in elements, of each operand along each dim; the result is dense.
struct Nest {
  std::vector<std::int64_t> dims;
  std::vector<std::vector<std::int64_t>> steps;  // [operand][dim]: 0 along dims that it is broadcast over
  std::vector<Real> operands = {};               // what each is stored as; those behind the last one as f32
  Real out = Real::f32;
  bool by_range = false;

  [[nodiscard]] Real real(std::size_t operand) const {
    return operand < operands.size() ? operands[operand] : Real::f32;
  }
};

// The loop nest for operands of `shapes`, each of which broadcasts to `result`: dims of length 1 are left out, and dims
// that all operands walk together are merged. At least one dim.
[[nodiscard]] Nest nest_of(const std::vector<std::int64_t>& result,
                           const std::vector<std::vector<std::int64_t>>& shapes);
[[nodiscard]] std::string key_of(const Nest& n);

// The pieces of a nest by range.
[[nodiscard]] std::int64_t pieces_of(const Machine& machine, const Nest& n);

// void symbol(operands ..., out, the range if `by_range`). `f` computes as many lanes of the result as its operands
// have. The result may lie over an operand of its shape.
using Lanewise = std::function<Value(Code&, const Values& operands, std::int64_t lanes)>;
void write_nest(Code& code, const std::string& symbol, const Nest& n, const Lanewise& f);

}  // namespace byoc::bitcode
