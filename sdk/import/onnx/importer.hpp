// ModelProto -> graph.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sdk/import/onnx/operators.hpp"
#include "sdk/import/onnx/tensor.hpp"

namespace onnx {
class ModelProto;
class NodeProto;
class TypeProto;
class ValueInfoProto;
}  // namespace onnx

namespace byoc::onnx_import {

class Importer {
 public:
  Importer(const ::onnx::ModelProto& model, TensorReader& tensors, ir::Graph& graph, Diagnostics& diags)
      : model_(model), tensors_(tensors), graph_(graph), diags_(diags), emitter_(graph, diags) {}

  Result<void> run();

 private:
  Result<void> check_header();
  Result<void> add_initialisers();
  Result<void> add_inputs();
  Result<void> add_stated_types();
  Result<void> add_nodes();
  Result<void> add_outputs();

  // The type that the model states for `name`, with open dims as symbols.
  Result<ir::TensorType> read_type(const ::onnx::TypeProto& type, const std::string& name);
  ir::Dim named_symbol(const std::string& name);
  ir::Dim fresh_symbol(const std::string& stem);

  Result<ir::ValueId> define(const std::string& name, const std::string& by);
  const OperatorRule* find_rule(const ir::Node& node, std::int64_t& opset);
  Result<void> define_outputs(const ::onnx::NodeProto& from, ir::Node& node);
  Result<void> resolve_inputs(const ::onnx::NodeProto& from, ir::Node& node);
  Result<void> check_operands(const OperatorRule& rule, const ::onnx::NodeProto& from, ir::Node& node);
  Failure error(std::string where, std::string message, std::string found = {}, std::string expected = {});

  const ::onnx::ModelProto& model_;
  TensorReader& tensors_;
  ir::Graph& graph_;
  Diagnostics& diags_;
  Emitter emitter_;
  std::map<std::string, std::int64_t> opsets_;    // domain -> version; "ai.onnx" is ""
  std::map<std::string, ir::ValueId> values_;     // what is defined, by name
  std::set<std::string> read_;                    // names that a node or the graph reads
  std::map<std::string, ir::TensorType> stated_;  // value_info and graph outputs
};

}  // namespace byoc::onnx_import
