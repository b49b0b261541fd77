// The interface of one operator's function: its node, its operands, and functions that make results and report errors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/evaluate/window.hpp"

namespace byoc::evaluate {

using Dims = std::vector<std::int64_t>;

// The elements of a tensor whose C++ type the caller has found with dispatch(). Operands are aligned by then.
template <class T>
[[nodiscard]] std::span<const T> elements(const Tensor& tensor) {
  return {reinterpret_cast<const T*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(T)};
}

// A result while it is being written. The bytes start as zeros.
struct Buffer {
  ir::TensorType type;
  std::vector<std::byte> bytes;

  template <class T>
  [[nodiscard]] std::span<T> as() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  [[nodiscard]] Tensor finish() && { return {std::move(type), Blob::own(std::move(bytes))}; }
};

// The product, or nullopt when it leaves int64 or a factor is negative.
[[nodiscard]] std::optional<std::int64_t> product(std::span<const std::int64_t> dims);
// "f32[1,2,3]"
[[nodiscard]] std::string describe(const Tensor& tensor);
[[nodiscard]] std::string describe(std::span<const std::int64_t> dims);  // "[1,2,3]"

class Call {
 public:
  // `largest`: bytes of each result, at most.
  Call(const ir::Graph& in_graph, const ir::Node& in_node, std::span<const Tensor* const> operands, Diagnostics& diags,
       std::uint64_t largest = kLargestResult)
      : graph(in_graph), node(in_node), largest_result(largest), operands_(operands), diags_(diags) {}

  const ir::Graph& graph;
  const ir::Node& node;
  const std::uint64_t largest_result;

  // The operand, or null where it is not given. Operands below the operator's minimum are always there.
  [[nodiscard]] const Tensor* find(std::size_t i) const { return i < operands_.size() ? operands_[i] : nullptr; }
  [[nodiscard]] const Tensor& in(std::size_t i) const { return *operands_[i]; }
  [[nodiscard]] std::size_t count() const { return operands_.size(); }
  [[nodiscard]] bool tflite() const { return graph.requant == Requant::tflite; }

  // The type that the graph states for an output, or null where the output is not wanted.
  [[nodiscard]] const ir::TensorType* declared(std::size_t output = 0) const;
  // Quantisation of an operand or a declared output, null if it has none.
  [[nodiscard]] const Quantisation* quantisation_of(std::size_t input) const;
  [[nodiscard]] const Quantisation* quantisation_of_output(std::size_t output = 0) const;

  Failure error(std::string message, std::string found = {}, std::string expected = {}) const;
  // Diagnostics for operators that run graphs.
  [[nodiscard]] Diagnostics& diagnostics() const { return diags_; }
  Failure unsupported_dtype(std::size_t input, std::string expected) const;

  // A result of this type, with the quantisation that the graph states for the output. Errors: too large, a negative
  // dimension.
  Result<Buffer> allocate(DType dtype, Dims dims, std::size_t output = 0) const;
  // Checks a size before an operator computes into memory of its own. Errors: more elements than a result may have
  // bytes, a negative dimension.
  [[nodiscard]] Result<void> check_count(std::span<const std::int64_t> dims) const;
  [[nodiscard]] std::string largest_text() const;  // "at most 2 GiB"
  // A float result from real numbers, each rounded once.
  Result<Tensor> from_reals(DType dtype, Dims dims, std::span<const double> values, std::size_t output = 0) const;
  Result<Tensor> from_reals(DType dtype, Dims dims, std::span<const float> values, std::size_t output = 0) const;

  // Values of an i32 or i64 operand, flattened.
  Result<std::vector<std::int64_t>> integers(std::size_t input) const;
  // A single float operand (f32, f64 or f16), or one of its integers.
  Result<double> scalar(std::size_t input) const;
  // Counts negative axes from the end. Error: outside [-rank, rank).
  Result<std::size_t> axis(std::int64_t value, std::size_t rank) const;
  Result<void> same_dtype(std::size_t a, std::size_t b) const;
  // read_window() for this node.
  Result<std::vector<WindowAxis>> window(const std::vector<std::int64_t>& kernel) const {
    return read_window(graph, node, kernel, diags_);
  }

 private:
  std::span<const Tensor* const> operands_;
  Diagnostics& diags_;
};

// All elements as double: exact for every type but i64 and u64 beyond 2^53; or, of f32 tensors, as float.
template <class T = double>
[[nodiscard]] std::vector<T> reals(const Tensor& tensor);

// Sums of products (convolutions, products, pools, means) of f32 are formed in float32, one term after another in the
// order of the source framework's plain kernels, because a quantised operator behind them can sit on a rounding edge.
// All other floats are summed in double and rounded once. Calls f.template operator()<float or double>().
template <class F>
auto with_sum_type(DType dtype, F&& f) {
  return dtype == DType::f32 ? f.template operator()<float>() : f.template operator()<double>();
}
// All elements of an integer or bool tensor of at most 32 bits.
[[nodiscard]] std::vector<std::int64_t> whole_numbers(const Tensor& tensor);

using Outcome = Result<std::vector<Tensor>>;
// The outcome of an operator with one result.
[[nodiscard]] Outcome single(Result<Tensor> tensor);
[[nodiscard]] Outcome single(Tensor tensor);
[[nodiscard]] Outcome single(Buffer&& buffer);

}  // namespace byoc::evaluate
