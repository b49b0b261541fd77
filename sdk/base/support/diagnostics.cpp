#include "sdk/base/support/diagnostics.hpp"

#include <string_view>

#include "sdk/base/support/visible.hpp"

namespace byoc {

std::string message_with_origin(const Diagnostic& d) {
  return d.codegen.empty() ? d.message : "codegen '" + d.codegen + "': " + d.message;
}

namespace {

// A linker's message has several lines. All but the first are indented, so that none looks like a diagnostic.
std::string visible_lines(std::string_view text) {
  std::string out;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    out += visible_text(text.substr(0, end)) + "\n  ";
  return out + visible_text(text);
}

}  // namespace

std::string to_string(const Diagnostic& d) {
  std::string out;
  if (!d.file.empty()) out += visible_text(d.file) + ": ";
  out += d.level == Level::error ? "error: " : d.level == Level::warning ? "warning: " : "note: ";
  if (!d.node.empty()) out += "'" + visible_text(d.node) + "': ";
  out += visible_lines(message_with_origin(d));
  if (!d.found.empty() || !d.expected.empty()) {
    out += " (";
    if (!d.found.empty()) out += "found " + visible_text(d.found);
    if (!d.found.empty() && !d.expected.empty()) out += ", ";
    if (!d.expected.empty()) out += "expected " + visible_text(d.expected);
    out += ")";
  }
  return out;
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
