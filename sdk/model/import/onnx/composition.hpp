// Builder for operators that are expanded while the model is read, as ONNX defines them by function bodies. A file of
// operators/ composes each one with this builder.
#pragma once

#include <initializer_list>

#include "sdk/model/import/onnx/operators.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {

// Emits nodes of domain "" that have the name and the position of the node that they make up.
class Composition {
 public:
  using Value = ir::ValueId;
  using Values = std::vector<Value>;
  using Attributes = std::map<std::string, ir::Attribute, std::less<>>;

  Composition(Normaliser& target, const ir::Node& node) : target_(target), node_(node) {}

  // has(): the node has this operand. wants(): somebody reads this output.
  [[nodiscard]] bool has(std::size_t input) const { return node_.input(input) != ir::kNoValue; }
  [[nodiscard]] bool wants(std::size_t output) const;
  [[nodiscard]] Value in(std::size_t i) const { return node_.input(i); }

  // The first, or all outputs of an operator. Operands that are kNoValue are left out, or off at the end.
  Value op(std::string_view name, Values inputs, Attributes attributes = {});
  Values op(std::string_view name, Values inputs, Attributes attributes, std::size_t outputs);
  // The operator gives output `output` of the node.
  void give(std::size_t output, std::string_view name, Values inputs, Attributes attributes = {});
  void give(std::size_t output, Value v) { give(output, "Identity", {v}); }

  Value integers(const std::vector<std::int64_t>& elements) { return target_.integers(elements); }  // i64[n]
  Value integer(std::int64_t element);                                                              // i64[]
  Value boolean(bool element);                                                                      // bool[]
  Value reals(const std::vector<float>& elements) { return target_.reals(elements); }               // f32[n]
  Value real(float element) { return target_.scalar(element); }                                     // f32[]
  Value texts(const std::vector<std::string>& elements);                                            // string[n]
  Value cast(Value v, DType to) { return op("Cast", {v}, {{"to", ir::onnx_number(to)}}); }
  // A number of the element type that `like` turns out to have.
  Value real_like(float element, Value like) { return op("CastLike", {real(element), like}); }

  // i64[n]: dims `first` up to `end` of a value, whose rank need not be known.
  Value dims(Value v, std::int64_t first, std::int64_t end);
  Value dim(Value v, std::int64_t which);
  Value join(Values vectors) { return op("Concat", std::move(vectors), {{"axis", std::int64_t{0}}}); }

  // The outputs of a graph that reads nothing but its inputs, as part of this one.
  Values inlined(const ir::Graph& body, const Values& inputs);

  // Facts about a value that are known while the model is read: stated, or following from what computes it.
  [[nodiscard]] DType dtype(Value v) const;
  [[nodiscard]] std::optional<std::size_t> rank(Value v) const;
  [[nodiscard]] std::optional<std::int64_t> known_dim(Value v, std::size_t which) const;
  // These facts about an operand whose expansion depends on them. Errors: it is not known.
  Result<DType> dtype_of_input(std::size_t i);
  Result<std::size_t> rank_of_input(std::size_t i);

  Failure refuse(std::string message, std::string found = {}, std::string expected = {}) {
    return target_.refuse(node_, std::move(message), std::move(found), std::move(expected));
  }

 private:
  ir::Node make(std::string_view name, Values inputs, Attributes attributes) const;

  Normaliser& target_;
  const ir::Node& node_;
};

}  // namespace byoc::onnx_import
