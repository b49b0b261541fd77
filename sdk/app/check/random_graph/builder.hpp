// Helpers with which an entry of the generator's table adds a node.
#pragma once

#include <functional>
#include <numeric>
#include <optional>
#include <string>

#include "sdk/app/check/random_graph/choice.hpp"
#include "sdk/app/check/random_graph/random_graph.hpp"

namespace byoc::check {

using Dims = std::vector<std::int64_t>;

class Builder {
 public:
  Builder(std::uint64_t seed, codegen::Codegen& codegen, const TargetSpec& target, GraphCoverage* coverage);

  Choice choice;
  ir::Graph graph;

  [[nodiscard]] const ir::TensorType& type(ir::ValueId v) const { return graph.values[v].type; }
  [[nodiscard]] const Dims& dims(ir::ValueId v) const { return *graph.values[v].type.dims; }
  [[nodiscard]] DType dtype(ir::ValueId v) const { return graph.values[v].type.dtype; }
  [[nodiscard]] bool quantised(ir::ValueId v) const { return graph.values[v].type.quantisation.has_value(); }

  // A computed value, an input or a constant that suits; often a late one, so that graphs get deep. A new input where
  // none does: `make` says its type.
  ir::ValueId any(const std::function<bool(const ir::TensorType&)>& suits, const std::function<ir::TensorType()>& make);
  ir::ValueId any_of(DType dtype, std::size_t least_rank = 0, std::size_t most_rank = 5);
  ir::ValueId any_real(std::size_t least_rank = 0, std::size_t most_rank = 5) {
    return any_of(DType::f32, least_rank, most_rank);
  }
  // A value of any element type, quantised or not.
  ir::ValueId any_value(std::size_t least_rank = 0, std::size_t most_rank = 5);
  ir::ValueId any_quantised(std::size_t least_rank = 1, std::size_t most_rank = 4);
  // A value of exactly this type, or else a new input or constant.
  ir::ValueId same_type(ir::TensorType type);
  // Something that broadcasts with `v`: the same shape, or one with 1s, or fewer dims; a constant at times.
  ir::ValueId broadcastable(ir::ValueId v);

  ir::ValueId input(ir::TensorType type);
  // Random elements; at times a constant of this type that is there already, or a second one of the same bytes.
  ir::ValueId constant(ir::TensorType type);
  ir::ValueId constant(DType dtype, const Dims& dims) { return constant({dtype, dims, std::nullopt}); }
  ir::ValueId integers(const std::vector<std::int64_t>& elements);  // i64[n]
  ir::ValueId scalar(float value);
  ir::ValueId reals(const Dims& dims, float low, float high);
  ir::ValueId quantised_constant(DType dtype, const Dims& dims, Quantisation q, std::int64_t low, std::int64_t high);

  Dims shape(std::size_t least_rank, std::size_t most_rank);
  Quantisation per_tensor(DType dtype);
  DType quantised_dtype();  // i8, i16 or, with ONNX rounding, u8

  using Attributes = std::map<std::string, ir::Attribute, std::less<>>;
  // Adds the node unless shape inference or the backend refuses it; false then. Outputs that are quantised state how.
  bool add(const std::string& op, std::vector<ir::ValueId> inputs, Attributes attributes = {},
           std::vector<std::optional<ir::TensorType>> outputs = {std::nullopt}, std::int64_t version = 17);
  // Output of type `dtype` with this quantisation; the shape is inferred.
  static std::optional<ir::TensorType> as(DType dtype, std::optional<Quantisation> q) {
    return ir::TensorType{dtype, std::nullopt, std::move(q)};
  }

  [[nodiscard]] RandomGraph finish() &&;
  [[nodiscard]] std::vector<std::byte> elements(const ir::TensorType& type);

 private:
  bool accept(const std::string& name);

  codegen::Codegen& codegen_;
  const TargetSpec& target_;
  GraphCoverage* coverage_;
  bool has_odd_reals_ = false;  // NaN, infinities and the like among the elements
  std::map<ir::ValueId, std::vector<std::byte>> input_bytes_;
};

// The type of a value that has `v`'s elements in another shape: the shape is inferred.
[[nodiscard]] inline std::optional<ir::TensorType> like(const Builder& b, ir::ValueId v) {
  return Builder::as(b.dtype(v), b.type(v).quantisation);
}

[[nodiscard]] inline std::int64_t elements(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

// One kind of node, or several nodes together. `add` may add nothing.
struct Generator {
  std::string op;  // "" where there are several
  int weight;
  void (*add)(Builder&, const std::string& op);
};

[[nodiscard]] std::vector<Generator> generators();
// The parts of the table.
void add_elementwise(std::vector<Generator>&);
void add_movement(std::vector<Generator>&);
void add_layers(std::vector<Generator>&);
void add_quantised(std::vector<Generator>&);
void add_reductions(std::vector<Generator>&);
void add_special(std::vector<Generator>&);
void add_tflite(std::vector<Generator>&);
void add_signal(std::vector<Generator>&);
void add_control(std::vector<Generator>&);
void add_chains(std::vector<Generator>&);
void add_counted(std::vector<Generator>&);

}  // namespace byoc::check
