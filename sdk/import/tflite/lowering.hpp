// One TFLite operator on its way into the graph: what the functions in operators/ work with.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/import/tflite/model.hpp"
#include "sdk/ir/graph.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc::tflite {

class Lowering;

// What is supported of one builtin operator. All of them have one output.
struct OperatorEntry {
  schema::BuiltinOperator code = schema::BuiltinOperator::ADD;
  std::int32_t newest_version = 1;  // the oldest is 1
  std::size_t min_inputs = 1;       // these must be given; later ones may be -1
  std::size_t max_inputs = 1;
  Result<void> (*lower)(Lowering&) = nullptr;
};

// The table of operators, in the order of their codes (operators.cpp).
[[nodiscard]] std::span<const OperatorEntry> supported_operators();

// Every tensor has a static shape. Functions that return a Result report under the operator's name.
class Lowering {
 public:
  // `where` names the operator in messages. `inputs` and `outputs` are values of `graph`, in range.
  Lowering(const schema::Operator& source, std::int64_t position, std::string where, std::vector<ir::ValueId> inputs,
           std::vector<ir::ValueId> outputs, ir::Graph& graph, Diagnostics& diags)
      : source_(source),
        position_(position),
        where_(std::move(where)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        graph_(graph),
        diags_(diags) {}

  // The operator's options; null when it has none. Errors: options of another operator.
  template <class T>
  Result<const T*> optional_options() {
    if (source_.builtin_options_type() == schema::BuiltinOptions::NONE) return static_cast<const T*>(nullptr);
    const T* options = source_.builtin_options_as<T>();
    if (options == nullptr) return wrong_options();
    return options;
  }
  // For operators that mean nothing without their options.
  template <class T>
  Result<const T*> options() {
    auto found = optional_options<T>();
    if (found && *found == nullptr) return refuse("the operator has no options");
    return found;
  }

  [[nodiscard]] std::size_t input_count() const { return inputs_.size(); }
  [[nodiscard]] ir::ValueId input(std::size_t i) const { return i < inputs_.size() ? inputs_[i] : ir::kNoValue; }
  [[nodiscard]] ir::ValueId output() const { return outputs_[0]; }
  [[nodiscard]] const ir::Value& value(ir::ValueId v) const { return graph_.values[v]; }
  [[nodiscard]] const ir::TensorType& type(ir::ValueId v) const { return value(v).type; }
  [[nodiscard]] const std::vector<ir::Dim>& dims(ir::ValueId v) const { return *type(v).dims; }
  [[nodiscard]] std::size_t rank(ir::ValueId v) const { return dims(v).size(); }

  // An error about this operator.
  Failure refuse(std::string message, std::string found = {}, std::string expected = {});
  // "input 1 'name'", "the output 'name'".
  [[nodiscard]] std::string describe(ir::ValueId v) const;

  Result<void> expect_dtype(ir::ValueId v, std::initializer_list<DType> allowed);
  Result<void> expect_rank(ir::ValueId v, std::size_t rank);
  Result<void> expect_dims(ir::ValueId v, const std::vector<ir::Dim>& dims);
  // An input or output that carries data through kernels: float32, or int8 or int16 with one scale (int16: zero
  // point 0). uint8 and hybrid kernels are refused here.
  Result<void> expect_activation(ir::ValueId v);
  // Both are activations of one element type.
  Result<void> expect_activations(ir::ValueId a, ir::ValueId b);
  // The kernel moves integers and never rescales them.
  Result<void> expect_equal_quantisation(ir::ValueId a, ir::ValueId b);
  // The kernel's result has a scale and zero point of its own (for the int8 and int16 forms of SOFTMAX and so on).
  Result<void> expect_quantisation(ir::ValueId v, float scale, std::int64_t zero_point);
  // A constant tensor of int32 or int64 as integers. `what` it is, for the message: "the paddings".
  Result<std::vector<std::int64_t>> integers(ir::ValueId v, std::string_view what);

  // A new i64 constant of one dimension.
  ir::ValueId add_integers(const std::vector<std::int64_t>& values);
  ir::ValueId add_scalar(float value);

  // Adds the node that computes the operator's output.
  ir::Node& node(std::string op, std::vector<ir::ValueId> inputs) {
    return add_node("", std::move(op), std::move(inputs));
  }
  ir::Node& byoc_node(std::string op, std::vector<ir::ValueId> inputs) {
    return add_node("byoc", std::move(op), std::move(inputs));
  }
  // Writes the attribute `activation` where there is one. Errors: TANH, SIGN_BIT and unknown ones.
  Result<void> fuse(ir::Node& node, schema::ActivationFunctionType activation);

 private:
  Failure wrong_options();
  ir::Node& add_node(std::string domain, std::string op, std::vector<ir::ValueId> inputs);

  const schema::Operator& source_;
  const std::int64_t position_;
  const std::string where_;
  const std::vector<ir::ValueId> inputs_;
  const std::vector<ir::ValueId> outputs_;
  ir::Graph& graph_;
  Diagnostics& diags_;
};

}  // namespace byoc::tflite
