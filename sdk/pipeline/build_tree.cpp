#include "sdk/pipeline/build_tree.hpp"

#include <cstring>
#include <filesystem>
#include <memory>

#include "sdk/compile/compiler.hpp"
#include "sdk/compile/llvm_module.hpp"
#include "sdk/compile/worker.hpp"
#include "sdk/object/object_facts.hpp"
#include "sdk/pack/pack_format.hpp"
#include "sdk/pipeline/add_pack.hpp"
#include "sdk/support/file.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

class TreeBuilder {
 public:
  TreeBuilder(const TargetSpec& target, const BuildTreeOptions& options, Diagnostics& diags)
      : target_(target), options_(options), diags_(diags) {
    // The user's own language and style; only errors count.
    compile_.opt_level = options.opt_level;
    compile_.warnings_as_errors = false;
    compile_.standard = "gnu11";
  }

  // Goes on after an error, so that one run tells about every file.
  Result<std::vector<ArchiveMember>> run(std::span<const std::string> files) {
    std::vector<ArchiveMember> members;
    for (const std::string& file : files) {
      auto object = make_object(file);
      if (!object) continue;
      auto facts = read_object_facts(*object, file, diags_);
      if (!facts || !check_object(*facts, target_, file, diags_)) continue;
      const fs::path name = fs::path(file).filename();
      members.push_back({name.extension() == ".o" ? name.string() : name.string() + ".o", std::move(*object)});
    }
    if (members.size() != files.size()) return failure;
    return members;
  }

 private:
  Result<ObjectBytes> make_object(const std::string& file) {
    const std::string suffix = fs::path(file).extension().string();
    if (suffix != ".bc" && suffix != ".ll" && suffix != ".c" && suffix != ".o")
      return diags_.error(file, {}, "has an unknown suffix", suffix.empty() ? "none" : suffix, ".bc, .ll, .c or .o");
    auto text = read_text(file, diags_);
    if (!text) return failure;
    if (suffix == ".c") return compile_c(file, *text);
    const auto bytes = std::as_bytes(std::span(*text));
    if (suffix == ".o") return ObjectBytes(bytes.begin(), bytes.end());
    return compile_llvm_module(file, bytes, target_, compile_, diags_);
  }

  Result<ObjectBytes> compile_c(const std::string& file, const std::string& text) {
    if (!compiler_) {
      auto made = Compiler::create(target_, options_.toolchain, compile_, diags_);
      if (!made) return failure;
      compiler_ = std::move(*made);
    }
    Source source;
    source.name = fs::path(file).stem().string();
    source.text = text;
    source.directory = fs::absolute(file).parent_path().string();
    return compile::run_in_worker(file, [&](Diagnostics& own) { return compiler_->compile(source, {}, own); }, diags_);
  }

  const TargetSpec& target_;
  const BuildTreeOptions& options_;
  Diagnostics& diags_;
  CompileOptions compile_;
  std::unique_ptr<Compiler> compiler_;
};

}  // namespace

Result<void> build_tree(std::span<const std::string> files, const TargetSpec& target, const BuildTreeOptions& options,
                        const std::string& out, Diagnostics& diags) {
  if (!pack_format(out, diags)) return failure;
  if (files.empty()) return diags.error(out, {}, "there is nothing to build it from", "no file", ".bc, .ll, .c or .o");
  auto members = TreeBuilder(target, options, diags).run(files);
  if (!members) return failure;
  OutputSet outputs(diags);
  if (!add_pack(std::move(*members), target, {}, out, outputs, diags)) return failure;
  return outputs.commit();
}

}  // namespace byoc
