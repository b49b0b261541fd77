// --depfile: what an output was made from, as make and ninja read it.
#include <set>

#include "sdk/app/cli/commands.hpp"

namespace byoc::cli {
namespace {

// GNU make manual, "Rule Syntax", and what ninja takes of it. Nothing where a name cannot be said.
std::optional<std::string> depfile_name(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == '\n' || c == '\0') return std::nullopt;
    if (c == ' ' || c == '#' || c == '\t' || c == '\\') out += '\\';
    if (c == '$') out += '$';
    out += c;
  }
  return out;
}

}  // namespace

Result<std::string> depfile_text(const std::string& output, const std::vector<std::string>& files, Diagnostics& diags) {
  const auto target = depfile_name(output);
  if (!target) return diags.error(output, "--depfile", "a name with the end of a line in it cannot be said there");
  std::string out = *target + ":";
  for (const std::string& file : std::set<std::string>(files.begin(), files.end())) {
    const auto name = depfile_name(file);
    if (!name) return diags.error(file, "--depfile", "a name with the end of a line in it cannot be said there");
    out += " \\\n  " + *name;
  }
  return out + "\n";
}

}  // namespace byoc::cli
