#include "sdk/target/target/target_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/target_fields.hpp"
#include "sdk/base/support/valid_text.hpp"

namespace byoc {
namespace {

constexpr const char* kKind = "a target description";

// "bandwidth": 4 is the attribute "bandwidth-4", where plug-ins of every minor see it.
void read_speed(JsonFields& fields, const char* key, MemoryPool& pool, const std::string& file, Diagnostics& diags) {
  constexpr std::uint64_t kMost = 1000000;
  std::uint64_t value = 0;
  if (fields.find(key) == nullptr) return;
  const std::size_t before = diags.count();
  fields.read(key, value);
  if (diags.count() != before) return;
  if (value == 0 || value > kMost)
    diags.error(file, key, "of pool '" + pool.name + "' is out of range", std::to_string(value),
                "1 to " + std::to_string(kMost));
  pool.attributes.push_back(std::string(key) + "-" + std::to_string(value));
}

void read_pools(JsonFields& fields, std::vector<MemoryPool>& pools, const std::string& file, Diagnostics& diags) {
  const SortedJson* list = fields.find("pools");
  if (!list) return;
  if (!list->is_array()) {
    diags.error(file, "pools", "has the wrong type", list->type_name(), "a list of pools");
    return;
  }
  std::vector<MemoryPool> own;
  for (const SortedJson& item : *list) {
    if (!item.is_object()) {
      diags.error(file, "pools", "has the wrong type", item.type_name(), "an object for each pool");
      continue;
    }
    MemoryPool pool;
    std::string kind = "ram";
    JsonFields f(item, kKind, file, diags);
    f.read("name", pool.name);
    f.read("kind", kind, {"ram", "flash"});
    f.read("size", pool.size);
    f.read("attributes", pool.attributes);
    f.read("section", pool.section);
    for (const char* speed : kPoolSpeeds) read_speed(f, speed, pool, file, diags);
    f.finish();
    pool.kind = kind == "flash" ? PoolKind::flash : PoolKind::ram;
    if (pool.name.empty()) diags.error(file, "pools", "a pool has no name");
    if (!pool.section.empty() && !is_section_name(pool.section))
      diags.error(file, "pools", "pool '" + pool.name + "' has a section that is no name of one",
                  "'" + pool.section + "'", "something like '." + to_identifier(pool.name) + "'");
    for (const MemoryPool& other : own)
      if (other.name == pool.name) diags.error(file, "pools", "two pools have the name '" + pool.name + "'");
    own.push_back(std::move(pool));
  }
  // Pools of the extended description keep their order: the first RAM pool stays the first.
  for (MemoryPool& pool : own) {
    const auto same =
        std::find_if(pools.begin(), pools.end(), [&](const MemoryPool& p) { return p.name == pool.name; });
    if (same == pools.end())
      pools.push_back(std::move(pool));
    else
      *same = std::move(pool);
  }
}

// The known target that a description starts from.
void extend(JsonFields& fields, TargetSpec& target, const std::string& file, Diagnostics& diags) {
  std::string base;
  const std::size_t before = diags.count();
  fields.read("extends", base);
  if (diags.count() != before) return;
  const std::vector<TargetSpec>& known = known_targets();
  const auto found = std::find_if(known.begin(), known.end(), [&](const TargetSpec& t) { return t.name == base; });
  if (found == known.end()) {
    std::string names;
    for (const TargetSpec& t : known) names += (names.empty() ? "" : ", ") + t.name;
    diags.error(file, "extends", "is no known target", base, names);
    return;
  }
  target = *found;
  target.name.clear();
}

// Checks the texts that become options, names of files, and lines of a Makefile.
void check_texts(const TargetSpec& t, const std::string& file, Diagnostics& diags) {
  const auto check = [&](const char* key, const std::string& text, const TextRule& rule) {
    (void)bool(check_text(text, rule, file, key, diags));
  };
  for (const auto& [key, text] :
       {std::pair("name", &t.name), std::pair("triple", &t.triple), std::pair("simulator", &t.simulator)})
    if (!text->empty()) check(key, *text, kPlainName);
  for (const auto& [key, text] :
       {std::pair("cpu", &t.cpu), std::pair("march", &t.march), std::pair("fpu", &t.fpu), std::pair("abi", &t.abi)})
    check(key, *text, kOptionValue);
  for (const std::string& feature : t.isa) check("isa", feature, kPlainName);
  for (const MemoryPool& p : t.pools) {
    check("pools", p.name, kOneLine);
    for (const std::string& a : p.attributes) check("attributes", a, kPlainName);
  }
  check("gnu_command", t.gnu_command, kOneLine);
  if (t.gnu_command.starts_with('-'))
    diags.error(file, "gnu_command", "is an option and no program", t.gnu_command, "arm-none-eabi-gcc or the like");
  for (const auto& [key, words] : {std::pair("gnu_flags", &t.gnu_flags), std::pair("include_dirs", &t.include_dirs)})
    for (const std::string& word : *words) check(key, word, kOneLine);
}

void read_text(JsonFields& fields, const std::string& key, std::string& text) {
  if (key == "float_abi") return fields.read("float_abi", text, {"", "soft", "softfp", "hard"});
  if (key == "code_model") return fields.read("code_model", text, {"", "small", "medium", "large"});
  if (key == "endianness") return fields.read("endianness", text, {"little", "big"});
  if (key == "default_toolchain") return fields.read("default_toolchain", text, {"clang", "gnu"});
  fields.read(key.c_str(), text);
}

Json pool_json(const MemoryPool& p) {
  Json out = {{"name", p.name}, {"kind", p.kind == PoolKind::flash ? "flash" : "ram"}, {"size", p.size}};
  if (!p.attributes.empty()) out["attributes"] = p.attributes;
  if (!p.section.empty()) out["section"] = p.section;
  return out;
}

}  // namespace

Result<TargetSpec> parse_target(std::string_view text, const std::string& file, Diagnostics& diags) {
  const SortedJson object = try_parse_json(text);
  if (object.is_discarded()) return diags.error(file, {}, "is not JSON");
  return read_target(object, file, diags);
}

Result<TargetSpec> read_target(const SortedJson& object, const std::string& file, Diagnostics& diags) {
  if (!object.is_object()) return diags.error(file, {}, "is not a target description", object.type_name(), "an object");
  const std::size_t before = diags.count();
  TargetSpec t;
  std::uint64_t width = 32;
  JsonFields f(object, kKind, file, diags);
  if (object.contains("extends")) {
    extend(f, t, file, diags);
    if (diags.count() != before) return failure;
    width = t.pointer_width;
  }
  each_field(kTargetFields, [&](const char* key, auto member) {
    auto& value = t.*member;
    if constexpr (std::is_same_v<decltype(value), std::vector<MemoryPool>&>)
      read_pools(f, value, file, diags);
    else if constexpr (std::is_same_v<decltype(value), std::uint32_t&>)
      f.read(key, width);
    else if constexpr (std::is_same_v<decltype(value), std::string&>)
      read_text(f, key, value);
    else
      f.read(key, value);
  });
  f.finish();
  if (width != 32 && width != 64)
    diags.error(file, "pointer_width", "has an unknown value", std::to_string(width), "32 | 64");
  t.pointer_width = static_cast<std::uint32_t>(width);
  for (const auto& [key, value] :
       {std::pair("name", &t.name), std::pair("triple", &t.triple), std::pair("gnu_command", &t.gnu_command)})
    if (value->empty()) diags.error(file, key, "is missing");
  check_texts(t, file, diags);
  if (diags.count() != before) return failure;
  return t;
}

Json target_json(const TargetSpec& t) {
  Json out;
  const TargetSpec initial;
  each_field(kTargetFields, [&](const char* key, auto member) {
    const auto& value = t.*member;
    if constexpr (std::is_same_v<decltype(value), const std::vector<MemoryPool>&>)
      for (const MemoryPool& p : value) out[key].push_back(pool_json(p));
    else if (std::is_same_v<decltype(value), const std::uint32_t&> || value != initial.*member)
      out[key] = value;
  });
  return out;
}

std::string write_target(const TargetSpec& t) { return json_text(target_json(t), 2); }

}  // namespace byoc
