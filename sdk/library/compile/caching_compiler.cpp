#include <algorithm>
#include <filesystem>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/library/compile/compilers.hpp"
#include "sdk/library/compile/machine_headers.hpp"

namespace byoc::compile {
namespace {

// The names behind #include; also those that are compiled away. False: one is not written out.
bool add_includes(const std::string& text, std::vector<std::string>& out) {
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
    const std::size_t word = text.find_first_not_of(" \t", at + 1);
    if (word == std::string::npos || text.compare(word, 7, "include") != 0) continue;
    const std::size_t open = text.find_first_not_of(" \t", word + 7);
    if (open == std::string::npos || (text[open] != '"' && text[open] != '<')) return false;
    const std::size_t close = text.find(text[open] == '"' ? '"' : '>', open + 1);
    if (close == std::string::npos) return false;
    out.push_back(text.substr(open + 1, close - open - 1));
  }
  return true;
}

class CachingCompiler : public Compiler {
 public:
  CachingCompiler(std::unique_ptr<Compiler> compiler, ObjectCache cache, const TargetSpec& target,
                  const CompileOptions& options, const std::string& program)
      : compiler_(std::move(compiler)), cache_(std::move(cache)), include_dirs_(c_library_folders(target)) {
    CacheKey of_compiler;
    of_compiler.add(BYOC_VERSION).add(compiler_->identity()).add(compiler_->flags()).add_file(program);
    of_compiler.add(options.opt_level).add(options.standard);
    for (const std::string& d : options.defines) of_compiler.add(d);
    base_ = of_compiler.text();
  }

  Result<ObjectBytes> compile(const Source& source, const HeaderMap& headers, Diagnostics& diags) override {
    const auto make = [&](Diagnostics& own) { return compiler_->compile(source, headers, own); };
    CacheKey key;
    return describe(source, headers, key) ? cache_.get(key, diags, make) : make(diags);
  }

  // Findings are found anew each time, as diagnostics are.
  Result<ObjectBytes> compile_checked(const Source& source, const HeaderMap& headers, const SourceRules& rules,
                                      std::vector<SourceFinding>& findings, Diagnostics& diags) override {
    CacheKey key;
    if (!describe(source, headers, key)) return compiler_->compile_checked(source, headers, rules, findings, diags);
    key.add(rules.target).add(rules.no_float ? "f" : "").add(rules.no_double ? "d" : "");
    for (const auto& [name, prototype] : rules.prototypes) key.add(prototype);
    return cache_.get(
        key, diags, [&](Diagnostics& own) { return compiler_->compile_checked(source, headers, rules, findings, own); },
        [&] { return findings.empty(); });
  }

  [[nodiscard]] std::string identity() const override { return compiler_->identity(); }
  [[nodiscard]] std::string flags() const override { return compiler_->flags(); }
  [[nodiscard]] std::vector<std::string> files_read() const override { return compiler_->files_read(); }

 private:
  // Adds everything that the object is made of. False: it includes files that are neither given nor the C library's,
  // and nothing is known of those.
  bool describe(const Source& source, const HeaderMap& headers, CacheKey& key) const {
    if (!source.include_directories.empty() || source.language == "assembly") return false;
    key.add(base_).add(source.name).add(source.text).add(source.opt_level).add(source.standard);
    key.add(source.language);
    for (const std::string& f : source.flags) key.add(f);
    std::vector<std::string> open;
    if (!add_includes(source.text, open)) return false;
    std::set<std::string> seen;
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      if (!seen.insert(name).second) continue;
      const auto given = headers.find(name);
      if (given != headers.end()) {
        key.add(name).add(given->second);
        if (!add_includes(given->second, open)) return false;
      } else if (!source.directory.empty() && std::filesystem::exists(source.directory + "/" + name)) {
        return false;
      } else {
        add_machine_header(name, key, open);
      }
    }
    return true;
  }

  // The first of this name, as compilers look for it, and what it includes in turn where that is written out.
  void add_machine_header(const std::string& name, CacheKey& key, std::vector<std::string>& open) const {
    for (const std::string& d : include_dirs_) {
      Diagnostics unreadable;
      const auto text = read_text(d + "/" + name, unreadable);
      if (!text) continue;
      key.add(name).add(*text);
      (void)add_includes(*text, open);
      return;
    }
    key.add(name).add("none");  // the compiler's own, which its identity stands for, or an error when it is compiled
  }

  std::unique_ptr<Compiler> compiler_;
  ObjectCache cache_;
  std::vector<std::string> include_dirs_;
  std::string base_;
};

}  // namespace

std::unique_ptr<Compiler> make_caching_compiler(std::unique_ptr<Compiler> compiler, ObjectCache cache,
                                                const TargetSpec& target, const CompileOptions& options,
                                                const std::string& program) {
  if (!cache.on()) return compiler;
  return std::make_unique<CachingCompiler>(std::move(compiler), std::move(cache), target, options, program);
}

}  // namespace byoc::compile
