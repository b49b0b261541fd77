// Calls of steps in C, and where the operands are in the function that calls. Internal to this folder.
#pragma once

#include <string>
#include <vector>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// The C type of an operand's elements; "void" where none is stated.
[[nodiscard]] std::string operand_type(const plan::Operand& operand);

// Names the values of a routine in its C function: inputs->x and outputs->y in <prefix>_run, in0 and out0 in the
// function of a body.
class CallWriter {
 public:
  CallWriter(const PrintRequest& request, const plan::Routine& routine);

  // "  status = m_conv(...);" and the end of the run where it failed.
  [[nodiscard]] std::string call(const plan::Call& call) const;
  // The start of an operand, as a pointer to `type`.
  [[nodiscard]] std::string address(const plan::Operand& at, const std::string& type, bool is_const) const;
  // The moves after the last call.
  [[nodiscard]] std::string moves() const;

  // The variable that points to the workspace in a pool: "ws", "ws_dtcm"; and its declaration.
  [[nodiscard]] std::string start(std::size_t pool) const;
  [[nodiscard]] std::string base(std::size_t pool) const;
  // The parameter behind it: "workspace", "workspace_dtcm".
  [[nodiscard]] std::string parameter(std::size_t pool) const;

 private:
  [[nodiscard]] bool is_main() const { return &routine_ == &request_.program.main; }
  [[nodiscard]] std::string input_name(std::size_t i) const;
  [[nodiscard]] std::string output_name(std::size_t i) const;

  const PrintRequest& request_;
  const plan::Routine& routine_;
  const std::vector<std::string> fields_;  // of the pools
};

}  // namespace byoc::executor
