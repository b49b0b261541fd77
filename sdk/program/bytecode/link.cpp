// A module and the steps that it calls.
#include <string_view>
#include <unordered_map>

#include "sdk/model/evaluate/value.hpp"
#include "sdk/program/bytecode/machine.hpp"

namespace byoc::bytecode {
namespace {

// An open step's operands are given, a closed one's have a place of the library's plan.
bool same_operands(const Primitive& p, const byoc_step_entry_t& e) {
  bool same = p.inputs == e.input_count && p.operands.size() == e.input_count + std::uint64_t{e.output_count} &&
              p.workspaces.size() == e.workspace_count && p.uses_instance == (e.uses_instance != 0) &&
              (!p.uses_instance || p.instance_offset == e.instance_offset);
  for (std::size_t i = 0; same && i < p.operands.size(); ++i)
    same = p.operands[i] == e.operands[i].bytes && p.open.has_value() == (e.operands[i].place == BYOC_PLACE_GIVEN);
  for (std::size_t i = 0; same && i < p.workspaces.size(); ++i) same = p.workspaces[i] == e.workspaces[i].bytes;
  return same;
}

}  // namespace

Result<Machine> Machine::link(const Module& module, const byoc_step_table_t* table, void* instance,
                              const std::string& file, Diagnostics& diags) {
  Machine out;
  out.module_ = &module;
  out.file_ = file;
  out.table_ = table;
  out.instance_ = static_cast<std::byte*>(instance);
  if (module.instance_bytes != 0 && instance == nullptr)
    return diags.error(file, {}, "needs an instance of its kernel library");
  std::unordered_map<std::string_view, const byoc_step_entry_t*> steps;
  for (std::uint32_t s = 0; table != nullptr && s < table->step_count; ++s)
    steps.emplace(table->steps[s].name, &table->steps[s]);
  for (const Primitive& p : module.primitives) {
    const auto at = steps.find(p.name);
    const byoc_step_entry_t* found = at == steps.end() ? nullptr : at->second;
    if (found == nullptr) return diags.error(file, p.name, "the kernel library has no such step");
    if (!same_operands(p, *found))
      return diags.error(file, p.name, "the kernel library has a step of this name with other operands");
    out.steps_.push_back(found);
  }
  out.reset();
  return out;
}

void Machine::reset() {
  states_.clear();
  if (module_->lacks_constants()) return;  // no run comes to them
  for (const State& s : module_->states)
    states_.push_back(evaluate::value_of(module_->type(s.type), module_->constants[s.constant].bytes));
}

}  // namespace byoc::bytecode
