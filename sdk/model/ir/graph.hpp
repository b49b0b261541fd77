// The graph: SSA values and the nodes that compute them.
//
// Operators have ONNX's names and attributes (domain ""); what ONNX lacks is in domain "byoc". docs/graph-language.md
// lists them. Ids are indexes; passes that remove something call compact() (sdk/model/ir/rewrite.hpp) at their end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/types.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/identity.hpp"

namespace byoc::codegen {
class ModelSource;
}

namespace byoc::ir {

using ValueId = std::uint32_t;
using NodeId = std::uint32_t;
inline constexpr ValueId kNoValue = 0xffffffffu;  // an optional input or output that is not given
inline constexpr NodeId kNoNode = 0xffffffffu;

// A dimension: a length >= 0, or an open symbol -1 - i where i indexes Graph::symbols.
using Dim = std::int64_t;
[[nodiscard]] constexpr Dim symbol_dim(std::size_t index) { return -1 - static_cast<Dim>(index); }
[[nodiscard]] constexpr bool is_open(Dim d) { return d < 0; }

// The kind of a value: a tensor, a sequence of tensors, an optional tensor, an optional sequence.
enum class Container : std::uint32_t { tensor, sequence, optional, optional_sequence };

// For sequences and optionals, dtype and dims describe each tensor in them; dims are nullopt or open where those
// tensors differ.
struct TensorType {
  DType dtype = DType::undefined;        // undefined until it is inferred
  std::optional<std::vector<Dim>> dims;  // row-major; nullopt until it is inferred; {} is a scalar
  std::optional<Quantisation> quantisation = {};
  Container container = Container::tensor;

  [[nodiscard]] bool is_tensor() const { return container == Container::tensor; }
  [[nodiscard]] bool is_static() const;  // a tensor of numbers, dtype and every dim known: it has a size in bytes
  [[nodiscard]] bool is_shaped() const;  // a tensor, of strings too, dtype and every dim known
  [[nodiscard]] std::int64_t elements() const;  // is_static() only; checked not to overflow by the verifier
  [[nodiscard]] std::uint64_t bytes() const;    // is_static() only; 4-bit types rounded up to a byte
  bool operator==(const TensorType&) const = default;
};

// "i8[1,49,10,1]", "seq(f32[2])" for messages: symbols by name, "?" where the shape is not known, the first of very
// many dims.
struct Graph;
[[nodiscard]] std::string to_string(const TensorType&, const Graph&);
// The text before and after the element type in to_string().
[[nodiscard]] std::string_view container_prefix(Container);
[[nodiscard]] std::string_view container_suffix(Container);

// Bytes of a constant: row-major, little-endian, of exactly the type's size; of strings as pack_texts() makes them
// (sdk/model/ir/texts.hpp).
struct Constant {
  Blob bytes;
  [[nodiscard]] const Identity& identity() const;  // computed at first use
 private:
  mutable std::optional<Identity> identity_;
};

// A typed constant that is not a value of the graph (an attribute).
struct Tensor {
  TensorType type;
  Blob bytes;
};

using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                               std::vector<std::string>, Tensor, std::shared_ptr<Graph>>;

struct Value {
  std::string name;  // as the model says: may be empty, shared, or no identifier
  TensorType type;
  std::optional<Constant> constant;  // set: the value is known
  bool is_state = false;             // a variable of the instance, listed in Graph::states
  std::int64_t source_index = -1;    // position in the source's own tensor table (TFLite); -1 where it has none
};

struct Node {
  std::string domain;  // "" is ai.onnx; "byoc"; "com.microsoft" before it is lifted
  std::string op;
  std::int64_t version = 1;    // the operator set the node follows: opset of its domain, or the byoc version
  std::string name;            // as the model says; may be empty
  std::int64_t position = -1;  // index among the source's operators, for diagnostics and reports
  // The operator of the model that this node is a part of, "com.microsoft.MatMulNBits"; "": the node is the model's.
  std::string part_of = {};
  std::vector<ValueId> inputs;   // kNoValue: not given
  std::vector<ValueId> outputs;  // kNoValue: not wanted
  std::map<std::string, Attribute, std::less<>> attributes;

  template <class T>
  [[nodiscard]] const T* find(std::string_view key) const {
    auto it = attributes.find(key);
    return it == attributes.end() ? nullptr : std::get_if<T>(&it->second);
  }
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t otherwise) const;
  [[nodiscard]] float real(std::string_view key, float otherwise) const;
  [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key, std::vector<std::int64_t> otherwise) const;
  [[nodiscard]] bool is(std::string_view op_domain, std::string_view op_name) const {
    return op == op_name && domain == op_domain;
  }
  // The input at `index`, or kNoValue when it is absent or not given.
  [[nodiscard]] ValueId input(std::size_t index) const { return index < inputs.size() ? inputs[index] : kNoValue; }
  // "Conv 'layer1/conv' (#3)" for diagnostics; of a part "com.microsoft.MatMulNBits 'node1' (#0, its MatMul)".
  [[nodiscard]] std::string describe() const;
  // "com.microsoft.MatMulNBits"; operators of ai.onnx without their domain.
  [[nodiscard]] std::string full_name() const;
  // Takes the other node's name, position and whose part it is: both compute the same for the model.
  void stand_for(const Node& other);
};

// A variable of the instance. Nodes read `value`, which is what the run before left there; what `next` holds at the end
// of a run is `value` of the next one. Nothing writes in place, so the graph stays SSA; the executor commits.
struct State {
  ValueId value = kNoValue;
  ValueId next = kNoValue;  // of the same element type and dims; `value` itself where nothing changes it
  Blob initial;             // at init and reset; empty: the zero point of a quantised value, else 0
};

// A dim of an output whose length only a run tells: the type says the most it can be, and a further output, an i32
// scalar, what it is. Elements beyond that length are 0.
struct CountedDim {
  std::uint32_t output = 0;  // position in Graph::outputs
  std::uint32_t dim = 0;
  std::uint32_t count = 0;  // position in Graph::outputs
  bool operator==(const CountedDim&) const = default;
};

// The graphs that a node carries as attributes (If's branches, the body of Loop and Scan), by the attributes' names.
// Their operands are explicit: a body reads its own inputs only, and what it captures is passed by the node.
// docs/graph-language.md says which input of the node is which of the body.
struct Graph {
  std::string name;                   // as the model says
  std::string file;                   // where it came from, for diagnostics
  std::vector<FileStamp> files = {};  // what was read for it, as it was then; of the model's own graph only
  Requant requant = Requant::onnx;
  std::vector<std::string> symbols;   // names of open dimensions
  std::vector<DimRange> ranges = {};  // of symbols, by position; those behind its end have none
  std::vector<Value> values;
  std::vector<Node> nodes;                 // topological order (the verifier holds it)
  std::vector<ValueId> inputs;             // no constants among them
  std::vector<ValueId> outputs;            // may repeat, may be inputs or constants
  std::vector<State> states;               // of the model's own graph only
  std::vector<CountedDim> counted = {};    // of the model's own graph only; counts follow all other outputs
  std::vector<BoundedValue> bounded = {};  // of the model's own graph only: what its inputs and outputs stand for
  // The graph from which lifting made this one (sdk/model/prepare): types known, constants folded, operators as the
  // model has them. Only the model's own graph has it; null if nothing was lifted.
  std::shared_ptr<const Graph> literal = {};
  // If an operator gives another shape than its result is stated to have, the model is wrong: a warning is given, and
  // the operator's shape is used. ONNX Runtime does so, too, and such models are in use. Bodies have this flag, too.
  bool stated_shapes_may_err = false;
  FoldLimit fold_limit = {};  // that prepare kept to; lifting anew keeps to it again
  // Source of parts of the model in its own format. Only the model's own graph has it; null if there is none.
  std::shared_ptr<const codegen::ModelSource> source = {};

  ValueId add_value(Value v);
  ValueId add_constant(std::string value_name, TensorType type, Blob bytes);
  Node& add_node(Node n);
  [[nodiscard]] bool is_constant(ValueId v) const { return v != kNoValue && values[v].constant.has_value(); }
};

// Bytes of the state at init and reset: `initial`, or the zero point or 0 in every element.
[[nodiscard]] std::vector<std::byte> initial_bytes(const Graph&, const State&);
// The body attributes of a node, in the order of their names; none for most nodes.
[[nodiscard]] std::vector<std::shared_ptr<Graph>> bodies(const Node&);
// True if a value must outlive the nodes: it is an output or the next value of a state.
[[nodiscard]] bool leaves(const Graph&, ValueId);

// The elements of a constant i32 or i64, flattened; nullopt for everything else.
[[nodiscard]] std::optional<std::vector<std::int64_t>> constant_integers(const Graph&, ValueId);

// The node that computes each value, or kNoNode (inputs, constants).
[[nodiscard]] std::vector<NodeId> producers(const Graph&);
// The nodes that read each value, in order, each once.
[[nodiscard]] std::vector<std::vector<NodeId>> consumers(const Graph&);

}  // namespace byoc::ir
