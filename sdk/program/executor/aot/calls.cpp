#include "sdk/program/executor/aot/calls.hpp"

#include "byoc/c_text.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/interface.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc::executor {

std::string operand_type(const plan::Operand& o) {
  return o.dtype == DType::undefined ? "void" : std::string(c_type(o.dtype));
}

CallWriter::CallWriter(const PrintRequest& request, const plan::Routine& routine)
    : request_(request), routine_(routine), fields_(pool_fields(request.program.pools)) {}

std::string CallWriter::start(std::size_t pool) const { return pool == 0 ? "ws" : "ws_" + fields_[pool]; }

std::string CallWriter::parameter(std::size_t pool) const {
  return pool == 0 ? "workspace" : "workspace_" + fields_[pool];
}

std::string CallWriter::base(std::size_t pool) const {
  return "  uint8_t *const " + start(pool) + " = (uint8_t *)" + parameter(pool) + ";\n";
}

std::string CallWriter::input_name(std::size_t i) const {
  return is_main() ? "inputs->" + request_.model.inputs[i].field : "in" + number(i);
}

std::string CallWriter::output_name(std::size_t i) const {
  return is_main() ? "outputs->" + request_.model.outputs[i].field : "out" + number(i);
}

std::string CallWriter::address(const plan::Operand& at, const std::string& type, bool is_const) const {
  const std::string through = is_const ? "(const void *)" : "(void *)";
  const std::string cast =
      type == "void" ? through : std::string("(") + (is_const ? "const " : "") + type + " *)" + through;
  // A parameter of the function is a pointer to elements already.
  const auto typed = [&](const plan::Tensor& tensor, const std::string& name) {
    return !is_main() && (type == "void" || c_type(tensor.dtype) == type) ? name : cast + name;
  };
  switch (at.place) {
    case Place::workspace: return cast + "(" + start(at.index) + " + " + number(at.offset) + ")";
    case Place::instance: return cast + "((uint8_t *)instance + " + number(at.offset) + ")";
    case Place::constant: return cast + request_.program.constants[at.index];
    case Place::input:
      if (at.offset != 0) return cast + "((uint8_t *)" + input_name(at.index) + " + " + number(at.offset) + ")";
      return typed(routine_.inputs[at.index], input_name(at.index));
    case Place::output: return typed(routine_.outputs[at.index], output_name(at.index));
    case Place::given: break;  // of open steps, which no routine calls
  }
  return {};
}

std::string CallWriter::call(const plan::Call& call) const {
  std::string arguments;
  // A control node's bodies find the parts of their codegens themselves.
  if (call.uses_instance)
    arguments = call.control ? "instance" : "(uint8_t *)instance + " + number(call.instance_offset);
  auto add = [&](const std::string& a) { arguments += (arguments.empty() ? "" : ", ") + a; };
  for (const plan::Operand& o : call.inputs) add(address(o, operand_type(o), true));
  for (const plan::Operand& o : call.outputs) add(address(o, operand_type(o), false));
  for (const plan::Operand& w : call.workspaces)
    add(w.place == Place::input ? address(w, "void", false) : start(w.index) + " + " + number(w.offset));
  const RunFailure* failure = call.control ? nullptr : request_.model.failure_of(call.step.symbol);
  const std::string code =
      failure == nullptr ? "status" : upper_case(request_.model.prefix) + "_FAILED_" + failure->name;
  return "  status = " + call.step.symbol + "(" + arguments + ");\n  if (status != 0) return " + code + ";\n";
}

std::string CallWriter::moves() const {
  std::string out;
  for (const plan::Move& m : routine_.moves) {
    const std::string to = m.to.place == Place::output ? output_name(m.to.index) : address(m.to, "void", false);
    out += "  memcpy(" + to + ", " + address(m.from, "void", true) + ", " + number(m.to.bytes) + ");\n";
  }
  return out;
}

}  // namespace byoc::executor
