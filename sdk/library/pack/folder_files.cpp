#include "sdk/library/pack/folder_files.hpp"

#include <algorithm>
#include <cassert>
#include <span>

#include "sdk/base/support/identity.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/quoting.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/compile/toolchain.hpp"
#include "sdk/library/pack/templates.hpp"
#include "sdk/target/target/source_target.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {

namespace {

std::string joined(const std::vector<std::string>& words, const char* between, const char* before = "") {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : between) + std::string(before) + w;
  return out;
}

// A word for a shell, as the value of a variable of a Makefile. Targets have no ends of lines.
std::string make_word(std::string_view word) { return make_value(shell_word(word)).value().text(); }

std::string cmake_word(std::string_view word) { return cmake_text(word).text(); }

std::vector<std::string> each(std::vector<std::string> words, std::string (*made)(std::string_view)) {
  for (std::string& w : words) w = made(w);
  return words;
}

// "arm-none-eabi-gcc" -> "arm-none-eabi-ar"
std::string archiver(const std::string& compiler) {
  const std::string_view suffix = "gcc";
  return compiler.ends_with(suffix) ? compiler.substr(0, compiler.size() - suffix.size()) + "ar" : "ar";
}

}  // namespace

std::string module_path(const Module& m) {
  switch (m.kind()) {
    case ModuleKind::c:
    case ModuleKind::llvm: return "src/" + file_name(m);
    case ModuleKind::object:
    case ModuleKind::static_library: return "lib/" + file_name(m);
    case ModuleKind::constants: return {};
    case ModuleKind::blob:
    case ModuleKind::opaque: return "data/" + file_name(m);
  }
  return {};
}

std::string header_path(const Package& package, const std::string& header) {
  return (header == package.header_name ? "include/" : "src/") + header;
}

std::string member_path(const LibraryMember& m) { return "lib/" + m.name; }

bool stands_alone(const Module& m) {
  const CCode* const c = m.c();
  if (c == nullptr || !c->include_directories.empty() || c->language != "c" || !c->flags.empty()) return false;
  const std::string_view text(reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size());
  return c->directory.empty() || text.find("#include \"") == std::string_view::npos;
}

bool compiled_from_one_source(const LibraryMember& member, const Module& m) {
  return member.constants.empty() && !member.linked && stands_alone(m);
}

std::string made_of(const Module& m, const ModuleTree& tree, const TargetSpec& target) {
  Identifier all;
  const auto add = [&](std::string_view text) {
    const std::string size = std::to_string(text.size()) + ":";
    all.update(std::as_bytes(std::span(size)));
    all.update(std::as_bytes(std::span(text)));
  };
  add(to_string(m.kind()));
  add({reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size()});
  add(m.opt_level());
  if (const CCode* const c = m.c()) {
    add(c->standard);
    if (c->language != "c") add(c->language);
    for (const std::string& flag : c->flags) add(flag);
  }
  add(write_target(target));
  if (m.c() != nullptr)
    for (const auto& [name, text] : tree.headers) {
      add(name);
      add(text);
    }
  return to_hex(all.finish());
}

std::string all_made_of(const ModuleTree& tree, const TargetSpec& target) {
  Identifier all;
  for (const Module& m : tree.modules) {
    if (m.compiled() == nullptr) continue;
    const std::string one = made_of(m, tree, target);
    all.update(std::as_bytes(std::span(one)));
  }
  return to_hex(all.finish());
}

std::map<std::string, std::string> build_files(const Package& package, const std::string& name) {
  std::vector<std::string> compiled, given, prebuilt, sources, given_files;
  std::string make_levels, cmake_levels;
  for (const LibraryMember& m : package.members) {
    const Module& module = package.tree.modules[m.module];
    if (module.for_loaders) continue;
    prebuilt.push_back(m.name);
    if (!compiled_from_one_source(m, module)) {
      given.push_back(m.name);
      given_files.push_back(member_path(m));
      continue;
    }
    const std::string file = file_name(module), object = file.substr(0, file.size() - 2) + ".o";
    const std::string level = module.opt_level().empty() ? "2" : module.opt_level();
    const std::string standard = module.c()->standard.empty() ? "" : " -std=" + module.c()->standard;
    compiled.push_back(object);
    sources.push_back("src/" + file);
    make_levels += "$(BUILD)/" + object + ": level := -O" + level + standard + "\n";
    cmake_levels += "set_source_files_properties(src/" + file + " PROPERTIES COMPILE_OPTIONS \"-O" + level +
                    (standard.empty() ? "" : ";" + standard.substr(1)) + "\")\n";
  }
  CompileOptions how;
  how.warnings = false;
  how.warnings_as_errors = false;
  const std::vector<std::string> target_flags = gnu_target_flags(package.target);
  const std::map<std::string, std::string> fields{
      {"AT", "@"},
      {"NAME", name},
      {"VARIABLE", to_identifier(name)},
      {"TARGET", package.target.name},
      {"CC", make_word(package.target.gnu_command)},
      {"AR", make_word(archiver(package.target.gnu_command))},
      {"TARGET_FLAGS", joined(each(target_flags, make_word), " ")},
      {"TARGET_FLAGS_LIST", joined(each(target_flags, cmake_word), ";")},
      {"LANGUAGE_FLAGS", joined(language_flags(how), " ")},
      {"COMPILED", joined(compiled, " ")},
      {"GIVEN", joined(given, " ")},
      {"PREBUILT", joined(prebuilt, " ")},
      {"SOURCES", sources.empty() ? "" : "\n    " + joined(sources, "\n    ")},
      {"GIVEN_FILES",
       given_files.empty() ? "" : "\n    " + joined(given_files, "\n    ", "${CMAKE_CURRENT_SOURCE_DIR}/")},
  };
  const auto filled = [&](const char* file, const std::string& levels) {
    auto all = fields;
    all["LEVELS"] = levels;
    return fill_template(pack_templates(), file, all);
  };
  if (makes_sources(package.target))
    return {{"Makefile", filled("Makefile.sources.in", {})},
            {"CMakeLists.txt", filled("CMakeLists.sources.in", {})},
            {"LICENSE", std::string(licence_files().front().second)}};
  return {{"Makefile", filled("Makefile.in", make_levels)},
          {"CMakeLists.txt", filled("CMakeLists.txt.in", cmake_levels)}};
}

}  // namespace byoc
