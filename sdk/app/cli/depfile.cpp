// --depfile: what an output was made from, as make and ninja read it.
#include <set>

#include "sdk/app/cli/commands.hpp"
#include "sdk/base/support/quoting.hpp"

namespace byoc::cli {

Result<std::string> depfile_text(const std::string& output, const std::vector<std::string>& files, Diagnostics& diags) {
  MakeText out;
  const auto add = [&](const std::string& file, Literal behind) {
    const auto name = make_name(file);
    if (!name) {
      diags.error(file, "--depfile", "make or ninja cannot be told this name", "'" + file + "'", kMakeNames);
      return false;
    }
    out += *name + behind;
    return true;
  };
  if (!add(output, ":")) return failure;
  for (const std::string& file : std::set<std::string>(files.begin(), files.end())) {
    out += " \\\n  ";
    if (!add(file, "")) return failure;
  }
  return out.text() + "\n";
}

}  // namespace byoc::cli
