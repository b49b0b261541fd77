#include "sdk/library/compile/toolchain.hpp"

#include <algorithm>
#include <array>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/library/compile/compiler.hpp"

namespace byoc {
namespace {

constexpr std::array kWords{"{source}", "{object}", "{directory}", "{name}", "{opt}", "{standard}", "{flags}"};

std::string list_of_words() {
  std::string out;
  for (const char* w : kWords) out += (out.empty() ? "" : " ") + std::string(w);
  return out;
}

bool mentions(const std::vector<std::string>& words, const std::string& what) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& w) { return w.find(what) != std::string::npos; });
}

void check_words(const Toolchain& t, const std::string& file, Diagnostics& diags) {
  if (t.compile.empty() || t.compile[0].empty()) {
    diags.error(file, "compile", "is missing");
    return;
  }
  for (const auto& [field, words] : {std::pair("compile", &t.compile), std::pair("version", &t.version)})
    for (const std::string& word : *words) (void)bool(check_text(word, kOneLine, file, field, diags));
  for (const char* needed : {"{source}", "{object}"})
    if (!mentions(t.compile, needed)) diags.error(file, "compile", "does not say where the file goes", {}, needed);
  if (std::find(t.compile.begin(), t.compile.end(), "{flags}") == t.compile.end())
    diags.error(file, "compile", "has no place for further options", {}, "a word {flags}");
  for (const std::string& word : t.compile) {
    for (std::size_t at = word.find('{'); at != std::string::npos; at = word.find('{', at + 1)) {
      const std::string found = word.substr(at, word.find('}', at) - at + 1);
      if (std::find(kWords.begin(), kWords.end(), found) == kWords.end())
        diags.error(file, "compile", "has an unknown word in braces", found, list_of_words());
    }
  }
  for (const auto& [field, text] :
       {std::pair("include", &t.include), std::pair("quote_include", &t.quote_include), std::pair("define", &t.define)})
    if (text->find("{}") == std::string::npos) diags.error(file, field, "has no place for the value", *text, "{}");
  for (const auto& [field, text] :
       {std::pair("name", &t.name), std::pair("include", &t.include), std::pair("quote_include", &t.quote_include),
        std::pair("define", &t.define), std::pair("debug", &t.debug)})
    (void)bool(check_text(*text, kOneLine, file, field, diags));
}

}  // namespace

Result<Toolchain> parse_toolchain(std::string_view text, const std::string& file, Diagnostics& diags) {
  const auto object = try_parse_json(text);
  if (object.is_discarded()) return diags.error(file, {}, "is not JSON");
  if (!object.is_object())
    return diags.error(file, {}, "is not a toolchain description", object.type_name(), "an object");
  const std::size_t before = diags.count();
  Toolchain t;
  JsonFields f(object, "a toolchain description", file, diags);
  f.read("name", t.name);
  f.read("compile", t.compile);
  f.read("version", t.version);
  f.read("include", t.include);
  f.read("quote_include", t.quote_include);
  f.read("define", t.define);
  f.read("debug", t.debug);
  f.finish();
  if (diags.count() != before) return failure;
  if (t.name.empty()) diags.error(file, "name", "is missing");
  check_words(t, file, diags);
  if (diags.count() != before) return failure;
  return t;
}

std::vector<std::string> language_flags(const CompileOptions& options) {
  // One section per function and object lets --gc-sections drop what a firmware does not call.
  std::vector<std::string> flags{"-std=" + options.standard, "-ffunction-sections", "-fdata-sections",
                                 "-ffp-contract=off", "-fno-math-errno"};
  if (options.warnings)
    for (const char* f : {"-Wall", "-Wextra", "-Wpedantic"}) flags.emplace_back(f);
  else
    flags.emplace_back("-w");
  if (options.warnings_as_errors) flags.emplace_back("-Werror");
  if (!options.sanitize.empty()) {
    flags.push_back("-fsanitize=" + options.sanitize);
    flags.emplace_back("-fno-sanitize-recover=all");
  }
  return flags;
}

std::vector<std::string> flags_of_source(const Source& source) {
  std::vector<std::string> out;
  // A vendor's library is as its compilers take it: what they alone know, and what of it no layer needs, is no news.
  if (!source.codegen.empty())
    for (const char* f : {"-Wno-error", "-Wno-pedantic", "-Wno-unknown-pragmas", "-Wno-attributes",
                          "-Wno-unused-function", "-Wno-unused-parameter"})
      out.emplace_back(f);
  // Neither tables for unwinding nor guards for statics, which a library without an operating system has no use for.
  if (source.language == "c++")
    for (const char* f : {"-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"}) out.emplace_back(f);
  if (!source.standard.empty())
    out.push_back("-std=" + source.standard);
  else if (source.language == "c++")
    out.emplace_back("-std=gnu++17");
  out.insert(out.end(), source.flags.begin(), source.flags.end());
  return out;
}

std::vector<std::string> gnu_target_flags(const TargetSpec& target) {
  std::vector<std::string> flags = target.gnu_flags;
  if (target.pic) flags.emplace_back("-fPIC");
  // If the comparison that ends a loop also serves a branch behind it, GCC 12 for Armv8.1-M makes the loop count down
  // in its place, and the branch uses the count. Seen at -Os: "for (k = n; k > 1; k -= 2) ...; if (k > 0) ..." with
  // floats. With this option one comparison never serves two branches.
  if (target.has("mve")) flags.emplace_back("-fno-cse-follow-jumps");
  // The assembler before binutils 2.41 takes a conversion of floats on condition "ne", vcvtne, for MVE's vcvtn in a
  // block of vector predicates. With this option only moves are conditional.
  if (target.has("mve")) flags.emplace_back("-fno-if-conversion2");
  return flags;
}

Toolchain gnu_toolchain(const TargetSpec& target, const CompileOptions& options) {
  Toolchain t;
  t.name = target.gnu_command;
  t.compile = {target.gnu_command};
  for (const std::string& f : gnu_target_flags(target)) t.compile.push_back(f);
  for (const std::string& f : language_flags(options)) t.compile.push_back(f);
  // A mapped folder and a fixed seed: the object does not depend on where it was made. The folder is the same for every
  // source (kSameFolder), for launchers that cache go by the command.
  for (const char* word :
       {"-O{opt}", "{flags}", "-ffile-prefix-map=/proc/self/cwd=.", "-frandom-seed={name}", "-fdiagnostics-color=never",
        "-fno-diagnostics-show-caret", "-I.", "-c", "{source}", "-o", "{object}"})
    t.compile.emplace_back(word);
  t.version = {"-dumpfullversion"};
  t.has_gnu_options = true;
  return t;
}

}  // namespace byoc
