#include "sdk/target/target/target.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/target_fields.hpp"
#include "sdk/target/target/chips.hpp"
#include "sdk/target/target/cores.hpp"
#include "sdk/target/target/native_target.hpp"
#include "sdk/target/target/source_target.hpp"
#include "sdk/target/target/target_string.hpp"

namespace byoc {
namespace target {

std::span<const std::pair<std::string_view, std::string_view>> target_descriptions();  // generated: toolchains/*.json

}  // namespace target

namespace {

std::vector<TargetSpec> read_known() {
  std::vector<TargetSpec> out;
  for (const auto& [file, text] : target::target_descriptions()) {
    Diagnostics diags;
    auto target = parse_target(text, std::string(file), diags);
    assert(target && "a built-in target description is malformed");
    out.push_back(*target);
  }
  std::sort(out.begin(), out.end(), [](const TargetSpec& a, const TargetSpec& b) { return a.name < b.name; });
  return out;
}

std::string join(const std::vector<std::string>& items, const char* separator) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : separator) + item;
  return out;
}

std::string to_text(const std::vector<MemoryPool>& pools) {
  std::string out;
  for (const MemoryPool& p : pools) {
    out += (out.empty() ? "" : ", ") + p.name + (p.kind == PoolKind::flash ? " flash " : " ram ") +
           std::to_string(p.size) + (p.attributes.empty() ? "" : " " + join(p.attributes, " ")) +
           (p.section.empty() ? "" : " " + p.section);
  }
  return out;
}

struct FieldText {
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::uint32_t number) const { return std::to_string(number); }
  std::string operator()(const std::vector<std::string>& texts) const { return join(texts, " "); }
  std::string operator()(const std::vector<MemoryPool>& pools) const { return to_text(pools); }
};

// The fields that two objects in one library must agree about, as text, in the order of TargetSpec.
std::vector<std::pair<const char*, std::string>> link_fields(const TargetSpec& t) {
  std::vector<std::pair<const char*, std::string>> out;
  each_field(kPortableTargetFields,
             [&](const char* name, auto member) { out.emplace_back(name, FieldText()(t.*member)); });
  out.erase(out.begin());  // the name
  return out;
}

}  // namespace

const std::vector<TargetSpec>& known_targets() {
  static const std::vector<TargetSpec> targets = read_known();
  return targets;
}

Result<TargetSpec> known_target(const std::string& name, const std::string& file, Diagnostics& diags) {
  for (const TargetSpec& t : known_targets())
    if (t.name == name) return t;
  if (const Chip* chip = find_chip(name)) return chip_target(*chip);
  return diags.error(file, {}, "is for a target that byoc does not know", name, "--target with its description");
}

Result<TargetSpec> resolve_target(const std::string& text, Diagnostics& diags) {
  for (const TargetSpec& t : known_targets())
    if (t.name == text) return t;
  if (const Chip* chip = find_chip(text)) return chip_target(*chip);
  if (text == "native") return target::native_target();
  if (const TargetSpec sources = source_target(); text == sources.name) return sources;
  if (text.ends_with(".json") && text.find(' ') == std::string::npos) {
    auto json = read_text(text, diags);
    if (!json) return failure;
    return parse_target(*json, text, diags);
  }
  return target::parse_target_string(text, diags);
}

Result<TargetSpec> merge_targets(std::span<const std::pair<std::string, TargetSpec>> modules, Diagnostics& diags) {
  if (modules.empty()) return diags.error({}, {}, "there is no module to take the target from");
  const auto fields = link_fields(modules.front().second);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    bool same = true;
    std::string found;
    for (const auto& [name, target] : modules) {
      const std::string value = link_fields(target)[f].second;
      same = same && value == fields[f].second;
      found += (found.empty() ? "" : "; ") + name + ": " + (value.empty() ? "none" : value);
    }
    if (!same)
      return diags.error({}, {}, std::string("the modules are for different targets: ") + fields[f].first + " differs",
                         found, "one target for all");
  }
  return modules.front().second;
}

TargetSpec for_constants(TargetSpec target, std::uint64_t bytes, std::uint64_t limit) {
  const bool small = target.code_model.empty() || target.code_model == "small";
  if (!target.triple.starts_with("x86_64") || !small || bytes <= limit) return target;
  target.code_model = "medium";
  std::erase(target.gnu_flags, "-mcmodel=small");
  target.gnu_flags.emplace_back("-mcmodel=medium");
  return target;
}

std::vector<std::string> clang_flags(const TargetSpec& t) {
  std::vector<std::string> flags{"--target=" + t.triple};
  const bool x86 = t.triple.starts_with("x86_64") || t.triple.starts_with("i386");
  if (!t.cpu.empty()) flags.push_back((x86 ? "-march=" : "-mcpu=") + t.cpu + target::cpu_options(t));
  if (!t.march.empty()) flags.push_back("-march=" + t.march);
  if (!t.fpu.empty()) flags.push_back("-mfpu=" + t.fpu);
  if (!t.float_abi.empty()) flags.push_back("-mfloat-abi=" + t.float_abi);
  if (!t.abi.empty()) flags.push_back("-mabi=" + t.abi);
  if (!t.code_model.empty()) flags.push_back("-mcmodel=" + t.code_model);
  if (t.short_enums) flags.emplace_back("-fshort-enums");
  // Clang takes the triples of cores with an Arm state as that, whichever of the two they name.
  if (t.triple.starts_with("thumb") && t.triple.substr(0, t.triple.find('-')).ends_with("r"))
    flags.emplace_back("-mthumb");
  flags.emplace_back(t.pic ? "-fPIC" : "-fno-pic");
  return flags;
}

std::uint64_t pool_speed(const MemoryPool& pool, std::string_view speed) {
  std::uint64_t out = 0;
  for (const std::string& a : pool.attributes)
    if (a.size() > speed.size() && a.starts_with(speed) && a[speed.size()] == '-')
      (void)std::from_chars(a.data() + speed.size() + 1, a.data() + a.size(), out);
  return out;
}

}  // namespace byoc
