// Writes the code of one function: the values of its graph have a register each. Internal to this folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sdk/model/ir/graph.hpp"
#include "sdk/program/bytecode/module.hpp"

namespace byoc::bytecode {

class FunctionWriter {
 public:
  FunctionWriter(Module& module, const ir::Graph& graph, const std::string& name);

  void evaluate(const ir::Node& node);
  // Calls a step of the library that has the node's constants.
  void open_step(const ir::Node& node, std::uint32_t primitive);
  void call(std::uint32_t function, const std::vector<ir::ValueId>& results, const std::vector<ir::ValueId>& arguments);
  // An If, whose branches are these functions.
  void branch(const ir::Node& node, std::uint32_t then_function, std::uint32_t else_function);
  // A Loop or Scan.
  void loop(const ir::Node& node, std::uint32_t body);
  void kill(ir::ValueId v);
  // Called after the last node.
  [[nodiscard]] Function finish();

 private:
  struct Round;  // of a loop
  std::uint32_t fresh() { return f_.registers++; }
  std::uint32_t reg(ir::ValueId v);
  std::uint32_t constant(std::uint32_t type, Blob bytes);
  template <class T>
  std::uint32_t single(DType dtype, T value, std::size_t rank);
  void emit(Op op, std::vector<std::uint32_t> words) { f_.code.push_back({op, std::move(words)}); }
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(f_.code.size()); }
  void call_registers(std::uint32_t function, const std::vector<std::uint32_t>& results,
                      const std::vector<std::uint32_t>& arguments);
  void begin_rounds(const ir::Node& node, Round& r);
  std::vector<std::size_t> leave_if_done(const Round& r);
  void one_round(const ir::Node& node, const Round& r, std::uint32_t body);
  void end_rounds(const ir::Node& node, const Round& r);
  ir::ValueId evaluated_id(ir::ValueId v);
  std::uint32_t add_node(const ir::Node& node);
  [[nodiscard]] bool is_in_library(ir::ValueId v) const;

  Module& module_;
  const ir::Graph& graph_;
  Function f_;
  ir::Graph nodes_;                         // that the function evaluates
  std::map<ir::ValueId, ir::ValueId> ids_;  // in nodes_
  std::map<ir::ValueId, std::uint32_t> registers_;
};

}  // namespace byoc::bytecode
