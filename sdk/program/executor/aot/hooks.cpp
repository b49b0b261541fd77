#include "sdk/program/executor/aot/hooks.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "byoc/c_text.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/template.hpp"

namespace byoc::executor {
namespace {

bool is_named(const plan::Call& call, std::size_t number_of_it, const std::string& tap) {
  std::size_t position = 0;
  const char* end = tap.data() + tap.size();
  if (std::from_chars(tap.data(), end, position).ptr == end) return position == number_of_it;
  const auto& nodes = call.step.nodes;
  return call.step.symbol == tap || std::any_of(nodes.begin(), nodes.end(),
                                                [&](const std::string& n) { return n.find(tap) != std::string::npos; });
}

Fields hooks_fields(const PrintRequest& request) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  Fields f = fields_of(request);
  f["STEP_COUNT"] = number(request.program.main.calls.size());
  f["TYPES"] = fill_template("hooks.h", {});
  f["STEP_NAMES"] = "";
  for (const plan::Call& c : request.program.main.calls)
    f["STEP_NAMES"] += "  {\"" + c.step.symbol + "\", \"" + to_identifier(c.step.kernel) + "\", " +
                       number(std::min(c.step.macs, kMost)) + "u},\n";
  return f;
}

}  // namespace

Result<std::set<std::size_t>> tapped_steps(const PrintRequest& request, Diagnostics& diags) {
  std::set<std::size_t> out;
  const auto& calls = request.program.main.calls;
  for (const std::string& tap : request.taps) {
    bool found = false;
    for (std::size_t s = 0; s < calls.size(); ++s)
      if (!tap.empty() && is_named(calls[s], s, tap)) found = out.insert(s).second || out.contains(s);
    if (!found)
      return diags.error(request.program.file, "--tap", "names no step of the model", "'" + tap + "'",
                         "a number below " + number(calls.size()) + ", a step's symbol, or a part of a node's name");
  }
  return out;
}

std::string hooks_header_text(const PrintRequest& request) {
  return request.hooks ? fill_template("hooks.h.in", hooks_fields(request)) : "";
}

std::string hooks_text(const PrintRequest& request) {
  return request.hooks ? fill_template("hooks.c.in", hooks_fields(request)) : "";
}

std::string hooks_local(const PrintRequest& request) {
  return request.hooks ? "  const byoc_hooks_t *const hooks = the_hooks;\n" : "";
}

std::string before_step(const PrintRequest& request, std::size_t step) {
  return request.hooks ? "  BEGIN_STEP(" + number(step) + "u);\n" : "";
}

std::string after_step(const PrintRequest& request, const CallWriter& writer, std::size_t step, bool tapped) {
  if (!request.hooks) return {};
  std::string out = "  END_STEP(" + number(step) + "u);\n";
  const auto& outputs = request.program.main.calls[step].outputs;
  for (std::size_t i = 0; tapped && i < outputs.size(); ++i)
    out += "  TAP(" + number(step) + "u, " + number(i) + "u, " + writer.address(outputs[i], "void", true) + ", " +
           number(outputs[i].bytes) + "u);\n";
  return out;
}

}  // namespace byoc::executor
