#include "sdk/base/support/repeats.hpp"

#include <utility>

namespace byoc {
namespace {

// The message without its quoted parts and digits.
std::string shape_of(const std::string& message) {
  std::string out;
  bool quoted = false;
  for (const char ch : message) {
    if (ch == '\'') quoted = !quoted;
    if (!quoted && (ch < '0' || ch > '9')) out += ch;
  }
  return out;
}

}  // namespace

void Repeats::add(Diagnostic d) {
  std::string kind = d.file + '\n' + shape_of(message_with_origin(d));
  add(std::move(d), std::move(kind));
}

void Repeats::add_as_said(Diagnostic d) {
  std::string kind = d.file + "\n'" + message_with_origin(d);  // no shape begins with a quotation mark
  add(std::move(d), std::move(kind));
}

void Repeats::error_of(std::string codegen, std::string file, std::string node, std::string message, std::string found,
                       std::string expected) {
  add({Level::error, std::move(file), std::move(node), std::move(message), std::move(found), std::move(expected),
       std::move(codegen)});
}

void Repeats::error(std::string file, std::string node, std::string message, std::string found, std::string expected) {
  add({Level::error, std::move(file), std::move(node), std::move(message), std::move(found), std::move(expected)});
}

void Repeats::add(Diagnostic d, std::string kind) {
  if (d.level == Level::error) {
    ++errors_;
    const auto [at, fresh] = known_.emplace(std::move(kind), kinds_.size());
    if (!fresh) {
      ++kinds_[at->second].more;
      return;
    }
  }
  kinds_.push_back({std::move(d)});
}

void Repeats::tell(Diagnostics& diags) const {
  for (const Kind& k : kinds_) {
    Diagnostic d = k.first;
    if (k.more != 0) d.message += " (and " + std::to_string(k.more) + " more)";
    diags.add(std::move(d));
  }
}

}  // namespace byoc
