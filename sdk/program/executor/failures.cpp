#include "sdk/program/executor/failures.hpp"

#include <algorithm>
#include <tuple>

#include "sdk/base/support/name_table.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc::executor {
namespace {

// Far from the codes that drivers and steps of codegens return.
constexpr std::int32_t kFirstCode = 0x10001;

std::string names_of(const std::vector<std::string>& nodes) {
  std::string out;
  for (const std::string& n : nodes) out += (out.empty() ? "" : ", ") + n;
  return out;
}

void add(const std::vector<plan::Call>& calls, std::vector<RunFailure>& out) {
  for (const plan::Call& c : calls) {
    if (c.control && c.control->kind == plan::ControlKind::loop && c.control->rounds)
      out.push_back({0, {}, c.step.symbol, c.control->node + ": the number of rounds is not what the model states"});
    else if (!c.control && !c.step.failure.empty())
      out.push_back({0, {}, c.step.symbol, names_of(c.step.nodes) + ": " + c.step.failure});
  }
}

}  // namespace

std::vector<RunFailure> failures_of(const plan::Program& program, const std::string& prefix) {
  std::vector<RunFailure> out;
  add(program.main.calls, out);
  for (const plan::Routine& body : program.bodies) add(body.calls, out);
  add(program.open, out);
  const auto key = [](const RunFailure& f) { return std::tie(f.text, f.symbol); };
  std::sort(out.begin(), out.end(), [&](const RunFailure& a, const RunFailure& b) { return key(a) < key(b); });
  NameTable names;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].code = kFirstCode + static_cast<std::int32_t>(i);
    const std::string& symbol = out[i].symbol;
    out[i].name = names.claim(upper_case(symbol.starts_with(prefix + "_") ? symbol.substr(prefix.size() + 1) : symbol));
  }
  return out;
}

}  // namespace byoc::executor
