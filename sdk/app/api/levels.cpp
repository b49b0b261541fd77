#include "sdk/app/api/levels.hpp"

#include <algorithm>
#include <array>

#include "sdk/app/api/codegens.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/export/rules.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::api {
namespace {

constexpr std::array<std::string_view, 3> kLevels{"v2", "v3", "v4"};
constexpr const char* kOption = "--multiversion";
constexpr std::int32_t kLowest = 2;

std::int32_t number_of(std::string_view level) {
  const auto* found = std::find(kLevels.begin(), kLevels.end(), level);
  return found == kLevels.end() ? 0 : kLowest + static_cast<std::int32_t>(found - kLevels.begin());
}

// Level of a target's CPU; 0: none of the numbered levels, the base architecture.
std::int32_t level_of(const TargetSpec& target) {
  constexpr std::string_view kStem = "x86-64-";
  const std::string_view cpu = target.cpu;
  return cpu.starts_with(kStem) ? number_of(cpu.substr(kStem.size())) : 0;
}

Result<void> check(const ExportOptions& o, Diagnostics& diags) {
  if (!o.target.triple.starts_with("x86_64") || !o.target.hosted)
    return diags.error({}, kOption, "is of x86-64 with an operating system", o.target.name, "host, or x86-64-v2");
  if (o.target.cpu != "x86-64" && level_of(o.target) == 0)
    return diags.error({}, kOption, "is for targets that are a level themselves", o.target.name, "host, or x86-64-v2");
  return check_request(o, {}, diags);
}

Result<Library> compile(const Model& model, const Codegens::Impl& codegens, const ExportOptions& base,
                        const std::string& level, Diagnostics& diags) {
  auto target = resolve_target("x86-64-" + level, diags);
  auto set = target ? make_codegens(codegens.choice, *target, diags) : failure;
  if (!set) return failure;
  ExportOptions own = base;
  own.multiversion = {};
  own.levels = {};
  own.level_objects = {};
  own.name = base.name + "_" + level;
  own.target = std::move(*target);
  own.codegens = (*set)->order;
  own.owner = *set;
  own.origins = (*set)->origins;
  own.add_files = {};
  own.step_table = own.trace = false;
  own.generated = {};
  own.kernel_objects = nullptr;
  own.names_map = {};
  return compile_model(model.impl().graph, own, diags);
}

}  // namespace

Result<void> compile_levels(const Model& model, const Codegens::Impl& codegens, ExportOptions& options,
                            Diagnostics& diags) {
  if (options.multiversion.empty()) return {};
  if (!check(options, diags)) return failure;
  std::vector<std::string> levels = options.multiversion;
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  const std::int32_t own = level_of(options.target);
  auto directory = TemporaryDirectory::create(diags);
  if (!directory) return failure;
  for (const std::string& level : levels) {
    const std::int32_t number = number_of(level);
    if (number == 0 || number < own)
      return diags.error({}, kOption, number == 0 ? "is no level of x86-64" : "is below the target's own level", level,
                         number == 0 ? "v2, v3 or v4" : "one of " + options.target.name + " or above");
    if (number == own) continue;
    auto library = compile(model, codegens, options, level, diags);
    const std::string path = directory->path() + "/" + level + ".o";
    if (!library || !write_object(*library, path, diags)) return failure;
    const auto file = MappedFile::open(path, diags);
    if (!file) return failure;
    const auto bytes = (*file)->bytes();
    options.levels.push_back({number, library->interface()});
    options.level_objects.emplace_back(bytes.begin(), bytes.end());
  }
  return {};
}

}  // namespace byoc::api
