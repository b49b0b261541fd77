// LLVM modules of one function each, made with LLVM's C API. No header of LLVM is in here, so that the codegen beside
// it reads like any other.
#pragma once

#include <byoc/plugin.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bitcode {

// What every module says of where it runs. An empty layout: LLVM does not know the target, and `why` says so.
struct Machine {
  std::string triple, layout, cpu, features;
  unsigned lanes = 1;  // floats of a vector
  std::string why = {};
};
Machine machine_of(const byoc::TargetSpec& target);

// int32_t symbol(const float *in0 ..., float *out0): out0[i] = op(in0[i] ...) for i below `count`, at least 1.
// "Softsign" calls the vendor's C function `helper`, float helper(float).
struct Elementwise {
  std::string symbol, op, helper;
  unsigned inputs = 1;
  std::uint64_t count = 1;
};
std::vector<std::byte> elementwise(const Machine& machine, const std::vector<Elementwise>& functions);

// int32_t symbol(const float *x, float *y): calls `kernel` with a constant, which is defined elsewhere.
struct Product {
  std::string symbol, kernel, weights;
};
std::vector<std::byte> product_steps(const Machine& machine, const std::vector<Product>& functions);

// void symbol(const float *x, const float *w, float *y): rows of x by a matrix in blocks of `lanes` columns, each of
// them [depth][lanes], the last one filled up with zeros.
struct Matrix {
  std::uint64_t rows = 1, depth = 1, columns = 1;
};
std::vector<std::byte> product_kernel(const Machine& machine, const std::string& symbol, const Matrix& m);

}  // namespace bitcode
