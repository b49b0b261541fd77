// ModelProto -> graph.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sdk/model/import/onnx/functions.hpp"
#include "sdk/model/import/onnx/operators.hpp"
#include "sdk/model/import/onnx/tensor.hpp"

namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
class TypeProto;
class ValueInfoProto;
}  // namespace onnx

namespace byoc::onnx_import {

class Importer {
 public:
  // `source` is the model's graph, or one in a node of the graph that `parent` reads.
  Importer(const ::onnx::ModelProto& model, const ::onnx::GraphProto& source, const FunctionOpsets& function_opsets,
           TensorReader& tensors, ir::Graph& graph, Diagnostics& diags, Importer* parent = nullptr)
      : model_(model),
        source_(source),
        function_opsets_(function_opsets),
        tensors_(tensors),
        graph_(graph),
        diags_(diags),
        emitter_(graph, diags),
        parent_(parent),
        depth_(parent == nullptr ? 0 : parent->depth_ + 1) {}

  Result<void> run();

 private:
  // A value of a graph around this one, and the input that stands for it here.
  struct Capture {
    ir::ValueId inner, outer;
  };

  Result<void> check_header();
  Result<void> import_graph();
  void note_reads(const ::onnx::GraphProto& graph);
  // The value of that name, captured from the graphs around this one where it is not its own; kNoValue if nobody has
  // it.
  ir::ValueId find_value(const std::string& name);
  Result<void> import_bodies(const ::onnx::NodeProto& from, ir::Node& node);
  Result<void> add_initialisers();
  Result<void> add_inputs();
  Result<void> add_stated_types();
  Result<void> add_nodes();
  Result<void> add_outputs();

  // The type that the model states for `name`, with open dims as symbols.
  Result<ir::TensorType> read_type(const ::onnx::TypeProto& type, const std::string& name);
  Result<ir::TensorType> read_tensor_type(const ::onnx::TypeProto& type, const std::string& name);
  ir::Dim named_symbol(const std::string& name);
  ir::Dim fresh_symbol(const std::string& stem);

  Result<ir::ValueId> define(const std::string& name, const std::string& by);
  // The rule of an operator of a domain that is not known: it may have any operands and attributes.
  const OperatorRule* foreign_rule(const ::onnx::NodeProto& from, const ir::Node& node);
  const OperatorRule* find_rule(const ::onnx::NodeProto& from, const ir::Node& node, std::int64_t& opset);
  Result<void> define_outputs(const OperatorRule& rule, const ::onnx::NodeProto& from, ir::Node& node);
  Result<void> resolve_inputs(const ::onnx::NodeProto& from, ir::Node& node);
  Result<void> check_operands(const OperatorRule& rule, const ::onnx::NodeProto& from, ir::Node& node);
  Failure error(std::string where, std::string message, std::string found = {}, std::string expected = {});

  const ::onnx::ModelProto& model_;
  const ::onnx::GraphProto& source_;
  const FunctionOpsets& function_opsets_;
  TensorReader& tensors_;
  ir::Graph& graph_;
  Diagnostics& diags_;
  Normaliser emitter_;
  Importer* parent_;
  const int depth_;                     // graphs around this one
  std::vector<ir::TensorType> passed_;  // types of inputs, of a graph in a node
  std::vector<Capture> captures_;
  std::deque<OperatorRule> foreign_rules_;
  std::map<std::string, std::size_t> symbols_;    // indexes into those of the graph
  Opsets opsets_;                                 // of the model
  std::map<std::string, ir::ValueId> values_;     // what is defined, by name
  std::set<std::string> read_;                    // names that a node or the graph reads
  std::map<std::string, ir::TensorType> stated_;  // value_info and graph outputs
};

}  // namespace byoc::onnx_import
