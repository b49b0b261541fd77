#include "sdk/target/target/target_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
#include "sdk/base/support/name_table.hpp"
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
  f.read("name", t.name);
  f.read("triple", t.triple);
  f.read("cpu", t.cpu);
  f.read("march", t.march);
  f.read("fpu", t.fpu);
  f.read("float_abi", t.float_abi, {"", "soft", "softfp", "hard"});
  f.read("abi", t.abi);
  f.read("code_model", t.code_model, {"", "small", "medium", "large"});
  f.read("endianness", t.endianness, {"little", "big"});
  f.read("pointer_width", width);
  f.read("short_enums", t.short_enums);
  f.read("hosted", t.hosted);
  f.read("pic", t.pic);
  f.read("isa", t.isa);
  read_pools(f, t.pools, file, diags);
  f.read("gnu_command", t.gnu_command);
  f.read("gnu_flags", t.gnu_flags);
  f.read("include_dirs", t.include_dirs);
  f.read("default_toolchain", t.default_toolchain, {"clang", "gnu"});
  f.read("simulator", t.simulator);
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
  const TargetSpec empty;
  const auto text = [&](const char* key, const std::string& value, const std::string& initial = {}) {
    if (value != initial) out[key] = value;
  };
  const auto list = [&](const char* key, const std::vector<std::string>& value) {
    if (!value.empty()) out[key] = value;
  };
  const auto flag = [&](const char* key, bool value) {
    if (value) out[key] = value;
  };
  text("name", t.name);
  text("triple", t.triple);
  text("cpu", t.cpu);
  text("march", t.march);
  text("fpu", t.fpu);
  text("float_abi", t.float_abi);
  text("abi", t.abi);
  text("code_model", t.code_model);
  text("endianness", t.endianness, empty.endianness);
  out["pointer_width"] = t.pointer_width;
  flag("short_enums", t.short_enums);
  flag("hosted", t.hosted);
  flag("pic", t.pic);
  list("isa", t.isa);
  for (const MemoryPool& p : t.pools) {
    Json pool = {{"name", p.name}, {"kind", p.kind == PoolKind::flash ? "flash" : "ram"}, {"size", p.size}};
    if (!p.attributes.empty()) pool["attributes"] = p.attributes;
    if (!p.section.empty()) pool["section"] = p.section;
    out["pools"].push_back(pool);
  }
  text("gnu_command", t.gnu_command);
  list("gnu_flags", t.gnu_flags);
  list("include_dirs", t.include_dirs);
  text("default_toolchain", t.default_toolchain, empty.default_toolchain);
  text("simulator", t.simulator);
  return out;
}

std::string write_target(const TargetSpec& t) { return json_text(target_json(t), 2); }

}  // namespace byoc
