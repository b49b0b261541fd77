#include "sdk/program/executor/header_facts.hpp"

#include "sdk/base/support/name_table.hpp"
#include "sdk/program/executor/template.hpp"

namespace byoc::executor {
namespace {

std::string stack_text(const StackBound& stack, const std::string& upper) {
  if (stack.bytes == 0) return {};
  const std::string others = stack.allowance == 0
                                 ? std::string()
                                 : ", " + std::to_string(stack.allowance) + " of them for functions of other libraries";
  return "/* Stack that a call takes at most, in bytes, by the calls in the code that byoc compiled" + others +
         ". */\n#define " + upper + "_STACK_SIZE " + std::to_string(stack.bytes) + "\n";
}

std::string id_text(const std::string& id, const std::string& upper) {
  if (id.empty()) return {};
  return "/* SHA-256 of the model's file. */\n#define " + upper + "_ID \"" + id + "\"\n";
}

}  // namespace

std::string header_with(const Printed& printed, const std::string& prefix, const HeaderFacts& facts) {
  std::string out = printed.header;
  if (printed.facts_at > out.size()) return out;
  const std::string upper = upper_case(prefix);
  return out.insert(printed.facts_at, stack_text(facts.stack, upper) + id_text(facts.id, upper));
}

}  // namespace byoc::executor
