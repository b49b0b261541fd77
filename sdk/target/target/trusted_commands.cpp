#include "sdk/target/target/trusted_commands.hpp"

#include <algorithm>
#include <array>

#include "sdk/base/support/valid_text.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

template <class Has>
bool known(const Has& has) {
  return std::any_of(known_targets().begin(), known_targets().end(), has);
}

bool among(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// -mcpu=cortex-m4 and the like: no file, no program, nothing for a tool behind the compiler.
bool selects_cpu(const std::string& flag) {
  constexpr std::array kEnums{"-fshort-enums", "-fno-short-enums"};
  return std::find(kEnums.begin(), kEnums.end(), flag) != kEnums.end() ||
         (flag.starts_with("-m") && !flag.starts_with("-mllvm") && is_option_value(flag));
}

}  // namespace

Result<TargetSpec> with_trusted_commands(TargetSpec target, const std::optional<TargetSpec>& named,
                                         const std::string& file, Diagnostics& diags) {
  if (named) {
    if (named->name != target.name)
      return diags.error(file, "--target", "the folder is for another target", named->name, target.name);
    if (!merge_targets(std::array{std::pair(std::string("--target"), *named), std::pair(file, target)}, diags))
      return failure;
    target.gnu_command = named->gnu_command;
    target.gnu_flags = named->gnu_flags;
    target.include_dirs = named->include_dirs;
    target.default_toolchain = named->default_toolchain;
    target.simulator = named->simulator;
    return target;
  }
  const std::size_t before = diags.count();
  const auto refuse = [&](const char* field, const std::string& found) {
    diags.error(file, field, "is of no target that byoc knows, and would be used on this machine", found,
                "--target with the description that the folder was made for");
  };
  if (!known([&](const TargetSpec& t) { return t.gnu_command == target.gnu_command; }))
    refuse("gnu_command", target.gnu_command);
  for (const std::string& flag : target.gnu_flags)
    if (!selects_cpu(flag) && !known([&](const TargetSpec& t) { return among(t.gnu_flags, flag); }))
      refuse("gnu_flags", flag);
  for (const std::string& folder : target.include_dirs)
    if (!known([&](const TargetSpec& t) { return among(t.include_dirs, folder); })) refuse("include_dirs", folder);
  if (diags.count() != before) return failure;
  return target;
}

}  // namespace byoc
