#include "sdk/base/support/diagnostics.hpp"

#include "sdk/base/support/visible.hpp"

namespace byoc {

std::string message_with_origin(const Diagnostic& d) {
  return d.codegen.empty() ? d.message : "codegen '" + d.codegen + "': " + d.message;
}

std::string to_string(const Diagnostic& d) {
  std::string out;
  if (!d.file.empty()) out += d.file + ": ";
  out += d.level == Level::error ? "error: " : d.level == Level::warning ? "warning: " : "note: ";
  if (!d.node.empty()) out += "'" + d.node + "': ";
  out += message_with_origin(d);
  if (!d.found.empty() || !d.expected.empty()) {
    out += " (";
    if (!d.found.empty()) out += "found " + d.found;
    if (!d.found.empty() && !d.expected.empty()) out += ", ";
    if (!d.expected.empty()) out += "expected " + d.expected;
    out += ")";
  }
  return visible_text(out);
}

void Diagnostics::add(Diagnostic d) {
  if (d.codegen.empty()) d.codegen = origin_;
  std::size_t& reported = d.level == Level::error ? errors_ : others_;
  if (++reported <= kMost) {
    all_.insert(all_.end() - (left_out_ != 0 ? 1 : 0), std::move(d));
    return;
  }
  if (left_out_++ == 0) all_.push_back({Level::note, {}, {}, "further errors and warnings are left out", {}, {}});
  all_.back().found = std::to_string(left_out_);
}

Failure Diagnostics::error(Diagnostic d) {
  d.level = Level::error;
  add(std::move(d));
  return failure;
}

Failure Diagnostics::error(std::string file, std::string node, std::string message, std::string found,
                           std::string expected) {
  return error(Diagnostic{Level::error, std::move(file), std::move(node), std::move(message), std::move(found),
                          std::move(expected)});
}

void Diagnostics::warning(std::string file, std::string node, std::string message, std::string found,
                          std::string expected) {
  add(Diagnostic{Level::warning, std::move(file), std::move(node), std::move(message), std::move(found),
                 std::move(expected)});
}

}  // namespace byoc
