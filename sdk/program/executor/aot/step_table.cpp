#include "sdk/program/executor/aot/step_table.hpp"

#include <algorithm>

#include "byoc/c_text.hpp"
#include "sdk/program/executor/aot/calls.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/aot/functions.hpp"
#include "sdk/program/executor/template.hpp"

namespace byoc::executor {
namespace {

bool is_open(const plan::Call& call) { return call.outputs[0].place == Place::given; }

std::string wrapper(const PrintRequest& request, const plan::Call& call, std::size_t s) {
  std::string arguments;
  std::size_t operand = 0;
  auto add = [&](const std::string& a) { arguments += (arguments.empty() ? "" : ", ") + a; };
  if (call.uses_instance)
    add((call.control ? "(" + request.model.prefix + "_instance_t *)" : "") + std::string("args->instance"));
  for (const plan::Operand& o : call.inputs)
    add("(const " + operand_type(o) + " *)args->operands[" + number(operand++) + "]");
  for (const plan::Operand& o : call.outputs)
    add("(" + operand_type(o) + " *)args->operands[" + number(operand++) + "]");
  for (std::size_t w = 0; w < call.workspaces.size(); ++w) add("args->workspaces[" + number(w) + "]");
  if (is_open(call)) add("args->dims");
  return "\nstatic int32_t call_" + number(s) + "(const byoc_step_args_t *args) {\n" +
         "  if (args->struct_size < sizeof(byoc_step_args_t)) return BYOC_STEP_ARGS_TOO_SMALL;\n  return " +
         call.step.symbol + "(" + arguments + ");\n}\n";
}

// {place, index, offset, bytes, constant}
std::string place(const plan::Program& program, const plan::Operand& o) {
  std::uint64_t index = o.index;
  std::string constant = "NULL";
  if (o.place == Place::workspace) index = program.main.workspace_index(o.index);
  if (o.place == Place::constant) constant = program.constants[o.index];
  if (o.place == Place::constant || o.place == Place::instance) index = 0;
  return "{" + number(static_cast<std::uint64_t>(o.place)) + ", " + number(index) + ", " + number(o.offset) + ", " +
         number(o.bytes) + ", " + constant + "}";
}

std::string places(const plan::Program& program, const plan::Call& call, std::size_t s) {
  std::string operands, workspaces;
  for (const auto* list : {&call.inputs, &call.outputs})
    for (const plan::Operand& o : *list) operands += "  " + place(program, o) + ",\n";
  for (const plan::Operand& w : call.workspaces) workspaces += "  " + place(program, w) + ",\n";
  const std::string end = "  {0, 0, 0, 0, NULL}};\n";
  return "static const byoc_place_t operands_" + number(s) + "[] = {\n" + operands + end +
         "static const byoc_place_t workspaces_" + number(s) + "[] = {\n" + workspaces + end;
}

std::string entry(const plan::Call& call, std::size_t s) {
  const std::string n = number(s);
  return "  {\"" + call.step.symbol + "\", call_" + n + ", operands_" + n + ", workspaces_" + n + ", " +
         number(call.inputs.size()) + ", " + number(call.outputs.size()) + ", " + number(call.workspaces.size()) +
         ", " + (call.uses_instance ? "1" : "0") + ", " + number(call.instance_offset) + "},\n";
}

std::string table_text(const PrintRequest& request, const std::string& table, const std::string& steps_header) {
  const plan::Program& program = request.program;
  Fields f = fields_of(request);
  f["TABLE"] = table;
  f["STEPS_HEADER"] = steps_header;
  f["PROTOTYPES"] = f["STEPS"] = f["ENTRIES"] = f["MOVES"] = "";
  std::vector<const plan::Call*> calls;
  for (const std::vector<plan::Call>* list : {&program.main.calls, &program.open})
    for (const plan::Call& call : *list) calls.push_back(&call);
  for (std::size_t s = 0; s < calls.size(); ++s) {
    const plan::Call& call = *calls[s];
    if (call.control) f["PROTOTYPES"] += control_head(request, call) + ";\n";
    f["STEPS"] += wrapper(request, call, s) + places(program, call, s);
    f["ENTRIES"] += entry(call, s);
  }
  for (const plan::Move& m : program.main.moves)
    f["MOVES"] += "  {" + place(program, m.to) + ", " + place(program, m.from) + "},\n";
  f["STEP_COUNT"] = number(calls.size());
  f["MOVE_COUNT"] = number(program.main.moves.size());
  return fill_template("step_table.c.in", f);
}

// Private values may be written piece by piece, and so may values that several steps write; a state is there before.
bool keeps(const plan::Routine& main, std::size_t step, const plan::Operand& output) {
  if (output.value == ir::kNoValue || output.place == Place::instance) return true;
  const auto is_it = [&](const plan::Operand& o) { return o.value == output.value; };
  const auto has_it = [&](const std::vector<plan::Operand>& list) {
    return std::any_of(list.begin(), list.end(), is_it);
  };
  if (has_it(main.calls[step].inputs)) return true;
  for (std::size_t s = 0; s < main.calls.size(); ++s)
    if (s != step && has_it(main.calls[s].outputs)) return true;
  return false;
}

// Each between guards, at an address that is what the plan's is but for a multiple of 64.
std::uint64_t arena_bytes(const plan::Call& call) {
  constexpr std::uint64_t kAround = 4 * 64;
  std::uint64_t out = kAround;
  for (const auto* list : {&call.inputs, &call.outputs, &call.workspaces})
    for (const plan::Operand& o : *list) out += o.bytes + kAround;
  return out;
}

}  // namespace

std::string step_table_text(const PrintRequest& request) {
  return table_text(request, request.model.prefix + "_step_table", "#include \"byoc/rt/steps.h\"\n");
}

std::string watched_steps_text(const PrintRequest& request) {
  const plan::Routine& main = request.program.main;
  std::string kept;
  std::uint64_t arena = 1;
  for (std::size_t s = 0; s < main.calls.size(); ++s) {
    for (const plan::Operand& o : main.calls[s].outputs) kept += keeps(main, s, o) ? "1, " : "0, ";
    arena = std::max(arena, arena_bytes(main.calls[s]));
  }
  const std::string p = request.model.prefix + "_step_";
  const std::string keep = "const uint8_t " + p + "keeps[]",
                    room = "unsigned char " + p + "arena[" + number(arena) + "]",
                    bytes = "const uint64_t " + p + "arena_bytes";
  return "\n" + table_text(request, p + "watched", fill_template("steps.h", {})) + "\nextern " + keep + ";\nextern " +
         room + ";\nextern " + bytes + ";\n" + keep + " = {" + kept + "0};\n" + room +
         " __attribute__((aligned(64)));\n" + bytes + " = " + number(arena) + "u;\n";
}

}  // namespace byoc::executor
