// Helpers for the steps of quantisation lifting: finding producers, reading constants, making values.
//
// The steps, in order (sdk/model/prepare/lift_quantisation.cpp):
//   annotate   QuantizeLinear, DequantizeLinear, QLinear*: parameters move from operands onto the tensors
//   merge      one Quantize for each value and quantisation, one Dequantize for each value
//   sink       Dequantize moves behind operators that only move or select elements
//   hoist      Quantize moves before such operators; a Quantize that undoes a Dequantize disappears
//   fuse       an operator between Dequantize and Quantize becomes that operator on quantised tensors
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/model/ir/graph.hpp"
#include "sdk/model/lift/source_node.hpp"

namespace byoc::lift {

class Rewriter {
 public:
  // The operators of `literal` stay as the model has them.
  Rewriter(ir::Graph& g, const SourceNodes& literal) : graph(g), literal_(literal) { index(); }

  ir::Graph& graph;

  // Finds producers and counts reads anew; for use after graph.nodes changed.
  void index();
  [[nodiscard]] bool stays(const ir::Node& node) const { return literal_.contains(source_of(node)); }
  // The number of leading operands that are moved unchanged to the outputs: 0 if the node does more than that, or
  // stays.
  [[nodiscard]] std::size_t moved(const ir::Node& node) const;
  // The node that computes `v`, or null. Valid until graph.nodes changes.
  [[nodiscard]] const ir::Node* producer(ir::ValueId v) const;
  // The number of reads of `v` by nodes and the graph's outputs.
  [[nodiscard]] std::size_t reads(ir::ValueId v) const { return v < reads_.size() ? reads_[v] : 0; }

  // The value that `v` is dequantised from by byoc.Dequantize, or kNoValue.
  [[nodiscard]] ir::ValueId dequantised_from(ir::ValueId v) const;
  [[nodiscard]] const ir::TensorType& type(ir::ValueId v) const { return graph.values[v].type; }
  // Per-tensor quantisation of an integer value; null if it has none or another kind.
  [[nodiscard]] const Quantisation* per_tensor(ir::ValueId v) const;

  // A value of the dims of `like` with this element type and quantisation; takes over its name.
  ir::ValueId quantised_like(ir::ValueId like, DType dtype, const Quantisation& q);
  // The constant `v` with this quantisation: `v` itself if it is that, a second value over the same bytes otherwise.
  ir::ValueId constant_with(ir::ValueId v, const Quantisation& q);

 private:
  const SourceNodes& literal_;
  std::vector<ir::NodeId> producer_;
  std::vector<std::size_t> reads_;
};

// i8, u8, i16, u16: what activations and weights are quantised to.
[[nodiscard]] bool is_quantised_type(DType t);
// These, and integers of fewer bits: constants alone have them.
[[nodiscard]] bool is_weight_type(DType t);
// The type in which integers of fewer than 8 bits are moved: i8 and u8. Other types stay.
[[nodiscard]] DType whole_bytes(DType t);
// Elements of an f32 constant; nullopt for anything else.
[[nodiscard]] std::optional<std::vector<float>> floats(const ir::Graph&, ir::ValueId v);
// Elements of a constant of an integer type of at most 64 bits, sign or zero extended; nullopt for anything else.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const ir::Graph&, ir::ValueId v);

// Quantisation from constant operands, for an integer tensor of type `of`. `zero_point` may be kNoValue. With one
// element: per tensor. With several: along `axis`, which may count from the end. nullopt where the operands are not
// constant, not f32, out of range or do not fit.
[[nodiscard]] std::optional<Quantisation> read_parameters(const ir::Graph&, const ir::TensorType& of, ir::ValueId scale,
                                                          ir::ValueId zero_point, std::int64_t axis);

// Steps. Each leaves graph.nodes in topological order; what became unused is still there.
void annotate(ir::Graph&, const SourceNodes& literal);
void merge_equal(ir::Graph&);
void sink_dequantise(ir::Graph&, const SourceNodes& literal);
void hoist_quantise(ir::Graph&, const SourceNodes& literal);
void fuse(ir::Graph&, const SourceNodes& literal);

}  // namespace byoc::lift
