// One TFLite operator during its import: the interface of the functions in operators/.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/import/tflite/model.hpp"
#include "sdk/model/ir/graph.hpp"
#include "sdk/model/shapes/known_elements.hpp"

namespace byoc::tflite {

class OperatorImport;
struct VariableScope;

// The form in which an operator takes quantised uint8 tensors: its uint8 kernel computes with integers and zero points
// that are 128 less what its int8 kernel computes (shifted), or either form will do, or it wants them as they are.
enum class ByteForm : std::uint8_t { uint8, shifted, either };

// The supported versions, inputs and outputs of one builtin operator.
struct OperatorEntry {
  schema::BuiltinOperator code = schema::BuiltinOperator::ADD;
  std::int32_t newest_version = 1;  // the oldest is 1
  std::size_t min_inputs = 1;       // these must be given; later ones may be -1
  std::size_t max_inputs = 1;
  Result<void> (*function)(OperatorImport&) = nullptr;
  std::size_t max_outputs = 1;
  std::uint64_t state_inputs = 0;  // bit k: input k is a variable tensor that the operator changes
  std::size_t min_outputs = 1;
  bool takes_handle = false;     // input 0 is the handle of a resource variable
  bool gives_handle = false;     // output 0 is one
  bool gives_state = false;      // output 0 may be a variable tensor, which holds the last one until the next run
  bool gives_constants = false;  // its outputs become constants, and it no node
  bool takes_complex = false;    // input 0 is COMPLEX64: float32 with a further dim of 2
  bool gives_complex = false;    // output 0 is
  bool newer_options = false;    // they are in builtin_options_2
  bool reshapes = false;         // elements stay where they are: complex ones, too
  ByteForm bytes = ByteForm::uint8;
  bool dequantises = false;  // int8 weights of float activations become floats
};

// The table of operators, in the order of their codes (operators.cpp).
[[nodiscard]] std::span<const OperatorEntry> supported_operators();
// Null: an operator that is not supported.
[[nodiscard]] const OperatorEntry* find_operator(schema::BuiltinOperator code);
// "CONV_2D", "CUSTOM 'name'", "operator number 999".
[[nodiscard]] std::string name_of_operator(schema::BuiltinOperator code, const schema::OperatorCode&);
// "2", "1 to 3", "1 or more".
[[nodiscard]] std::string expected_count(std::size_t least, std::size_t most);

// Every tensor has a static shape. Functions that return a Result report under the operator's name.
class OperatorImport {
 public:
  // `where` names the operator in messages. `inputs` and `outputs` are values of `graph`, in range.
  OperatorImport(const schema::Operator& source, std::int64_t position, std::string where,
                 std::vector<ir::ValueId> inputs, std::vector<ir::ValueId> outputs, ir::Graph& graph,
                 Diagnostics& diags)
      : source_(source),
        position_(position),
        where_(std::move(where)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        graph_(graph),
        diags_(diags) {}

  // Reads another subgraph of the model; reports what is wrong with it.
  using ReadSubgraph = std::function<Result<ir::Graph>(std::int32_t index)>;
  void read_subgraphs_with(ReadSubgraph read) { read_subgraph_ = std::move(read); }
  Result<ir::Graph> subgraph(std::int32_t index) { return read_subgraph_(index); }
  // As read_subgraphs_with() and subgraph(), for a subgraph that assigns the initial values of variables.
  void read_initialisation_with(ReadSubgraph read) { read_initialisation_ = std::move(read); }
  Result<ir::Graph> initialisation(std::int32_t index) { return read_initialisation_(index); }
  // The resource variables that this subgraph sees.
  void use_variables(VariableScope& variables) { variables_ = &variables; }
  [[nodiscard]] VariableScope& variables() { return *variables_; }
  // True if quantised uint8 tensors appear as int8 ones: where a kernel of uint8 differs from that of int8.
  void know_shifted() { shifted_ = true; }
  [[nodiscard]] bool shifted() const { return shifted_; }
  // The graph that the operator becomes part of, for operators that become more than nodes.
  [[nodiscard]] ir::Graph& graph() { return graph_; }

  // The operator's options; null when it has none. Errors: options of another operator.
  template <class T>
  Result<const T*> optional_options() {
    if (source_.builtin_options_type() == schema::BuiltinOptions::NONE) return static_cast<const T*>(nullptr);
    const T* options = source_.builtin_options_as<T>();
    if (options == nullptr) return wrong_options();
    return options;
  }
  // The options of an operator that requires them.
  template <class T>
  Result<const T*> options() {
    auto found = optional_options<T>();
    if (found && *found == nullptr) return refuse("the operator has no options");
    return found;
  }

  // As options(), from builtin_options_2.
  template <class T>
  Result<const T*> newer_options() {
    const T* options = source_.builtin_options_2_as<T>();
    if (options == nullptr) return refuse("the operator has no options");
    return options;
  }

  // The options of a CUSTOM operator, a FlexBuffer.
  void read_custom_options(std::string bytes) { custom_options_ = std::move(bytes); }
  [[nodiscard]] const std::string& raw_options() const { return custom_options_; }
  [[nodiscard]] bool has_option(std::string_view name) const;
  // An option that is an integer or a truth value. Errors: it is neither, or out of range.
  Result<std::int64_t> option(std::string_view name, std::int64_t low, std::int64_t high);
  // An option that is a finite number. Errors: it is not.
  Result<float> real_option(std::string_view name);
  // The option T, where there is one, is the element type of v.
  Result<void> expect_option_type(ir::ValueId v);
  // Keeps an option as an attribute of the node, under its name.
  Result<void> keep_option(ir::Node& node, std::string_view name, std::int64_t low, std::int64_t high);

  [[nodiscard]] std::size_t input_count() const { return inputs_.size(); }
  [[nodiscard]] ir::ValueId input(std::size_t i) const { return i < inputs_.size() ? inputs_[i] : ir::kNoValue; }
  [[nodiscard]] std::size_t output_count() const { return outputs_.size(); }
  [[nodiscard]] ir::ValueId output(std::size_t i = 0) const { return outputs_[i]; }
  [[nodiscard]] const ir::Value& value(ir::ValueId v) const { return graph_.values[v]; }
  [[nodiscard]] const ir::TensorType& type(ir::ValueId v) const { return value(v).type; }
  [[nodiscard]] const std::vector<ir::Dim>& dims(ir::ValueId v) const { return *type(v).dims; }
  [[nodiscard]] std::size_t rank(ir::ValueId v) const { return dims(v).size(); }

  // "TRANSPOSE_CONV"
  [[nodiscard]] std::string name() const { return where_.substr(0, where_.find(' ')); }
  // An error about this operator.
  Failure refuse(std::string message, std::string found = {}, std::string expected = {});
  // "input 1 'name'", "the output 'name'".
  [[nodiscard]] std::string describe(ir::ValueId v) const;

  Result<void> expect_dtype(ir::ValueId v, std::initializer_list<DType> allowed);
  Result<void> expect_rank(ir::ValueId v, std::size_t rank);
  // Once inputs of the model have other lengths than it states, an output gets these dims instead.
  Result<void> expect_dims(ir::ValueId v, const std::vector<ir::Dim>& dims);
  void resize(const schema::SubGraph& source) { resized_ = &source; }
  [[nodiscard]] bool resizes() const { return resized_ != nullptr; }
  // Elements that follow from constants and shapes, and the subgraph that the operator is of.
  void know(const shapes::KnownElements& elements, const schema::SubGraph& subgraph) {
    elements_ = &elements;
    subgraph_ = &subgraph;
  }
  // Error: `shape`, which says the shape of an output, is an input of the subgraph, and the model leaves the shape
  // open: what it states instead stands for nothing.
  Result<void> expect_no_placeholder(ir::ValueId shape, ir::ValueId output);
  // True if an output has got other dims than the model states, because a shape that it computes is known here.
  [[nodiscard]] bool has_corrected() const { return corrected_; }
  // True if the model leaves some dim of it open, and the inputs have other lengths than it states.
  [[nodiscard]] bool is_resized(ir::ValueId v) const;
  // The dims of an output of which the model leaves one open at most, of as many elements as `v` has; the stated ones
  // where nothing is resized. Error: more are open.
  Result<std::vector<ir::Dim>> resized_like(ir::ValueId output, ir::ValueId v);
  // Error: an output with open dims that no rule has given dims.
  [[nodiscard]] Result<void> check_resized();
  // Gives an output of the operator these dims where the model leaves its shape empty; otherwise expects them.
  Result<void> give_dims(ir::ValueId v, const std::vector<ir::Dim>& dims);
  // Only a run tells the length of the output: the length that the model states is a guess.
  void open_dims(ir::ValueId v) { graph_.values[v].type.dims.reset(); }
  // An input or output that carries data through kernels: float32, or int8 or int16 with one scale (int16: zero
  // point 0). uint8 and hybrid kernels are refused here.
  Result<void> expect_activation(ir::ValueId v);
  // Both are activations of one element type.
  Result<void> expect_activations(ir::ValueId a, ir::ValueId b);
  // The kernel moves integers and never rescales them.
  Result<void> expect_equal_quantisation(ir::ValueId a, ir::ValueId b);
  // The kernel's result has a scale and zero point of its own (for the int8 and int16 forms of SOFTMAX and so on).
  Result<void> expect_quantisation(ir::ValueId v, float scale, std::int64_t zero_point);
  // Expects one of these integer types, with one scale and a zero point in the type's range.
  Result<void> expect_quantised(ir::ValueId v, std::initializer_list<DType> allowed);
  // Both have one element type that kernels move without looking at it. Their quantisation may differ: the integers
  // stay as they are. uint8 kernels and scales per axis are refused here.
  Result<void> expect_moved(ir::ValueId from, ir::ValueId to);
  // Counts negative ones from the end. Errors: outside [-rank, rank).
  Result<std::size_t> axis(std::int64_t named, std::size_t rank);
  // A constant tensor of int32 or int64 as integers, or one that follows from constants and shapes: the outputs' dims
  // then follow from it, whatever the model states. `what` it is, for the message: "the paddings".
  Result<std::vector<std::int64_t>> integers(ir::ValueId v, std::string_view what);
  // True if integers() has the elements of this operand.
  [[nodiscard]] bool is_known(ir::ValueId v) const;

  // A new state of this type, zeros (or the zero point) at first. The operator says what comes next. Errors: the
  // operator is in a body.
  Result<ir::ValueId> add_state(const ir::TensorType& type);
  void set_next_state(ir::ValueId state, ir::ValueId next);
  // The value of variable tensor `i` (an input) before this operator. Errors: input `i` is no variable tensor.
  Result<ir::ValueId> state(std::size_t i);
  // Makes an output a constant. Errors: it is one already.
  Result<void> give_constant(ir::ValueId v, Blob bytes);
  // A new value of its type: what it holds behind this operator.
  ir::ValueId next_state(std::size_t i);

  // A new i64 constant of one dimension.
  ir::ValueId add_integers(const std::vector<std::int64_t>& values);
  ir::ValueId add_scalar(float value);
  ir::ValueId add_reals(const std::vector<float>& values);  // f32, of one dimension
  // A tensor between the nodes of an operator that becomes several: element type and quantisation of `like`.
  ir::ValueId add_tensor(ir::ValueId like, std::vector<ir::Dim> dims);
  ir::ValueId add_tensor(DType dtype, std::vector<ir::Dim> dims);

  // Adds the node that computes the operator's output, or these.
  ir::Node& node(std::string op, std::vector<ir::ValueId> inputs) { return node(std::move(op), inputs, {output()}); }
  ir::Node& node(std::string op, std::vector<ir::ValueId> inputs, std::vector<ir::ValueId> outputs) {
    return add_node("", std::move(op), std::move(inputs), std::move(outputs));
  }
  ir::Node& byoc_node(std::string op, std::vector<ir::ValueId> inputs) {
    return byoc_node(std::move(op), std::move(inputs), {output()});
  }
  ir::Node& byoc_node(std::string op, std::vector<ir::ValueId> inputs, std::vector<ir::ValueId> outputs) {
    return add_node("byoc", std::move(op), std::move(inputs), std::move(outputs));
  }
  // A tensor of `parts` behind each other along `axis`.
  ir::ValueId joined(std::vector<ir::ValueId> parts, std::size_t axis);
  // Adds a Reshape of `from` to `to`, a tensor of as many elements.
  void reshape(ir::ValueId from, ir::ValueId to);
  // Adds a Transpose of `from` to `to`: dimension i of `to` is dimension perm[i] of `from`.
  void transpose(ir::ValueId from, ir::ValueId to, std::vector<std::int64_t> perm);
  // Writes the attribute `activation` where there is one. Errors: TANH, SIGN_BIT and unknown ones.
  Result<void> fuse(ir::Node& node, schema::ActivationFunctionType activation);

 private:
  Failure wrong_options();
  ir::Node& add_node(std::string domain, std::string op, std::vector<ir::ValueId> inputs,
                     std::vector<ir::ValueId> outputs);

  const schema::Operator& source_;
  const std::int64_t position_;
  const std::string where_;
  const std::vector<ir::ValueId> inputs_;
  const std::vector<ir::ValueId> outputs_;
  ir::Graph& graph_;
  Diagnostics& diags_;
  ReadSubgraph read_subgraph_, read_initialisation_;
  VariableScope* variables_ = nullptr;
  std::string custom_options_;
  const schema::SubGraph* resized_ = nullptr;
  std::vector<ir::ValueId> given_;  // outputs that have got dims
  const shapes::KnownElements* elements_ = nullptr;
  const schema::SubGraph* subgraph_ = nullptr;
  bool follows_ = false;  // the outputs' dims follow from an operand that the model computes
  bool corrected_ = false;
  bool shifted_ = false;
};

}  // namespace byoc::tflite
