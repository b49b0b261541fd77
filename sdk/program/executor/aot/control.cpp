#include <initializer_list>

#include "byoc/c_text.hpp"
#include "sdk/program/executor/aot/calls.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/aot/functions.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc::executor {
namespace {

class ControlWriter {
 public:
  ControlWriter(const PrintRequest& request, const plan::Call& call)
      : request_(request), call_(call), control_(*call.control) {}

  std::string run() const {
    return control_head(request_, call_) + " {\n" +
           (control_.kind == plan::ControlKind::branch ? branch_text() : loop_text()) + "}\n";
  }

 private:
  const plan::Routine& body(std::size_t i) const { return request_.program.bodies[control_.bodies[i]]; }

  // The call of a body with the workspaces that it needs.
  std::string call(const plan::Routine& body, const std::vector<std::string>& arguments) const {
    std::string out = body.symbol + "(";
    if (body.uses_instance) out += "instance, ";
    for (const std::string& a : arguments) out += a + ", ";
    for (const std::string& w : workspace_parameters(request_, body)) out += w + ", ";
    out.resize(out.size() - 2);
    return out + ")";
  }

  static std::string input(std::size_t i) { return "in" + number(i); }
  static std::string output(std::size_t i) { return "out" + number(i); }

  std::string branch_text() const {
    std::vector<std::string> arguments;
    for (const std::uint32_t i : control_.captured) arguments.push_back(input(i));
    for (std::size_t i = 0; i < call_.outputs.size(); ++i) arguments.push_back(output(i));
    return "  if (" + input(*control_.condition) + "[0] != 0) return " + call(body(0), arguments) + ";\n  return " +
           call(body(1), arguments) + ";\n";
  }

  // Declarations, what happens before the loop, its arguments, and what happens after the body and after the loop.
  struct Pieces {
    std::string declarations, before, after_body, after;
    std::vector<std::string> inputs, outputs;
  };

  // A carried value goes from `now` to `next`. One buffer serves for both where the body allows it; otherwise the
  // output and a second buffer take turns, and the first round reads the caller's.
  static void add_carried(const plan::CarriedValue& value, Pieces& p) {
    const std::string in = input(value.input), out = output(value.output);
    if (value.in_place) {
      p.before += "  if (" + out + " != " + in + ") memcpy(" + out + ", " + in + ", " + number(value.bytes) + ");\n";
      p.inputs.push_back(out);
      p.outputs.push_back(out);
      return;
    }
    const std::string type(c_type(value.dtype)), k = number(value.output);
    const std::string now = "now" + k, next = "next" + k, second = "second" + k;
    p.declarations += "  " + type + " *const " + second + " = (" + type + " *)(void *)((uint8_t *)workspace + " +
                      number(value.second) + ");\n  const " + type + " *" + now + " = " + in + ";\n  " + type + " *" +
                      next + " = " + out + ";\n";
    p.inputs.push_back(now);
    p.outputs.push_back(next);
    p.after_body += "    " + now + " = " + next + ";\n    " + next + " = " + next + " == " + out + " ? " + second +
                    " : " + out + ";\n";
    p.after += "  if (" + now + " != " + out + ") memcpy(" + out + ", " + now + ", " + number(value.bytes) + ");\n";
  }

  // "in3 + i * 4"; backwards: from the last slice on.
  static std::string slice(const std::string& base, const plan::Sliced& s) {
    return base + " + " + (s.backwards ? "(rounds - 1 - i)" : "i") + " * " + number(s.elements);
  }

  std::string loop_text() const {
    Pieces p;
    for (const plan::CarriedValue& c : control_.carried) add_carried(c, p);
    for (const plan::Sliced& s : control_.scanned) p.inputs.push_back(slice(input(s.operand), s));
    for (const std::uint32_t i : control_.captured) p.inputs.push_back(input(i));
    for (const plan::Sliced& s : control_.stacked) p.outputs.push_back(slice(output(s.operand), s));
    const bool is_scan = control_.kind == plan::ControlKind::scan;
    return p.declarations + (is_scan ? scan_head() : loop_head()) + "  int32_t status;\n" + p.before +
           (is_scan ? scan_loop(p) : counted_loop(p)) + p.after + "  return 0;\n";
  }

  std::string scan_head() const { return "  const int64_t rounds = " + number(*control_.rounds) + ";\n  int64_t i;\n"; }

  std::string loop_head() const {
    std::string out;
    if (control_.trip_count) out += "  const int64_t rounds = " + input(*control_.trip_count) + "[0];\n";
    const std::string start = control_.condition ? input(*control_.condition) + "[0]" : "1";
    return out + "  uint8_t again = " + start + ", last_again;\n  int64_t i;\n";
  }

  std::string round(const std::vector<std::string>& arguments) const {
    return "    status = " + call(body(0), arguments) + ";\n    if (status != 0) return status;\n";
  }

  static std::vector<std::string> join(std::initializer_list<std::vector<std::string>> lists) {
    std::vector<std::string> out;
    for (const auto& l : lists) out.insert(out.end(), l.begin(), l.end());
    return out;
  }

  std::string scan_loop(const Pieces& p) const {
    return "  for (i = 0; i < rounds; ++i) {\n" + round(join({p.inputs, p.outputs})) + p.after_body + "  }\n";
  }

  std::string counted_loop(const Pieces& p) const {
    // The number of slices that the stacked outputs have room for; the model must run as many rounds.
    const std::string room = control_.rounds ? number(*control_.rounds) : "";
    std::string out =
        std::string("  for (i = 0; ") + (control_.trip_count ? "i < rounds && " : "") + "again != 0; ++i) {\n";
    const RunFailure* failure = request_.model.failure_of(call_.step.symbol);
    const std::string code = failure == nullptr ? "1" : upper_case(request_.model.prefix) + "_FAILED_" + failure->name;
    if (!room.empty())
      out += "    if (i >= " + room + ") return " + code + "; /* more rounds than the model states */\n";
    out += "    last_again = again;\n";
    out += round(join({{"&i", "&last_again"}, p.inputs, {"&again"}, p.outputs})) + p.after_body + "  }\n";
    if (!room.empty())
      out += "  if (i != " + room + ") return " + code + "; /* fewer rounds than the model states */\n";
    return out;
  }

  const PrintRequest& request_;
  const plan::Call& call_;
  const plan::Control& control_;
};

std::vector<DType> types(const std::vector<plan::Operand>& operands) {
  std::vector<DType> out;
  for (const plan::Operand& o : operands) out.push_back(o.dtype);
  return out;
}

}  // namespace

std::string control_head(const PrintRequest& request, const plan::Call& call) {
  const CallWriter names(request, request.program.main);
  std::vector<std::string> workspaces;
  for (const plan::Operand& w : call.workspaces) workspaces.push_back(names.parameter(w.index));
  return "int32_t " + call.step.symbol + "(" +
         parameter_list(request, call.uses_instance, types(call.inputs), types(call.outputs), workspaces) + ")";
}

std::string control_function(const PrintRequest& request, const plan::Call& call) {
  return ControlWriter(request, call).run();
}

}  // namespace byoc::executor
