#include "sdk/export/compile_tree.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "sdk/base/support/name_table.hpp"
#include "sdk/export/object_gate.hpp"
#include "sdk/library/compile/llvm_module.hpp"
#include "sdk/library/compile/worker.hpp"
#include "sdk/library/pack/static_library.hpp"

namespace byoc {
namespace {

constexpr std::uint32_t kBlobAlign = 16;

std::string text_of(const Blob& blob) { return {reinterpret_cast<const char*>(blob.data()), blob.size()}; }
ObjectBytes bytes_of(const Blob& blob) { return {blob.bytes().begin(), blob.bytes().end()}; }

// The file that diagnostics name for an object: the user's own, or the member that a codegen's became.
std::string who(const Module& m, const std::string& member) { return m.codegen.empty() ? label(m) : member; }

std::string member_name(const Module& m) { return m.name.ends_with(".o") ? m.name : m.name + ".o"; }

class TreeCompiler {
 public:
  TreeCompiler(const ModuleTree& tree, const TargetSpec& target, const CompileTreeOptions& options, Diagnostics& diags)
      : tree_(tree),
        target_(target),
        options_(options),
        diags_(diags),
        compiler_(options.compiler),
        gate_(target, diags) {
    objects_.resize(tree.modules.size());
  }

  Result<std::vector<LibraryMember>> run() {
    const std::size_t before = diags_.errors();
    if (!has_linked_object()) compile_sources();
    for (std::size_t i = 0; i < tree_.modules.size(); ++i) add_module(i);
    if (tree_.lto && diags_.errors() == before) add_linked();
    for (const Module& m : tree_.modules)
      if (is_linked(m)) {
        const Diagnostics::Origin origin(diags_, m.codegen);
        check_promises(m);
      }
    add_constants();
    gate_.finish();
    if (diags_.errors() != before) return failure;
    return std::move(members_);
  }

  Result<std::vector<ObjectBytes>> run_sources() {
    const std::size_t before = diags_.errors();
    compile_sources();
    if (diags_.errors() != before) return failure;
    return std::move(objects_);
  }

 private:
  void compile_sources() {
    std::vector<std::size_t> modules;
    for (std::size_t i = 0; i < tree_.modules.size(); ++i)
      if (const Module& m = tree_.modules[i]; m.c() != nullptr && !m.has_object() && !is_left_out(m))
        modules.push_back(i);
    if (modules.empty() || !make_compiler()) return;
    std::vector<Source> sources;
    for (const std::size_t i : modules) {
      sources.push_back(source_of(tree_.modules[i]));
      sources.back().isolate = options_.isolate;
      sources.back().label = label(tree_.modules[i]);
    }
    auto compiled =
        compiler_->compile_all(sources, tree_.headers, diags_, options_.compile.limits, options_.compile.jobs);
    if (options_.files_read != nullptr)
      for (std::string& file : compiler_->all_files_read()) options_.files_read->push_back(std::move(file));
    for (std::size_t k = 0; compiled && k < modules.size(); ++k) {
      CompiledSource& c = (*compiled)[k];
      objects_[modules[k]] = std::move(c.object);
      if (!c.findings.empty() && options_.found) options_.found(tree_.modules[modules[k]], std::move(c.findings));
    }
  }

  bool make_compiler() {
    if (compiler_ != nullptr) return true;
    CompilerChoice choice = options_;
    choice.lto = choice.lto || tree_.lto;
    auto made = Compiler::create(target_, choice.toolchain, with(choice, options_.compile), diags_);
    if (!made) return false;
    own_compiler_ = std::move(*made);
    compiler_ = own_compiler_.get();
    return true;
  }

  [[nodiscard]] Source source_of(const Module& m) const {
    std::string stem = file_name(m);
    stem.resize(stem.rfind('.'));
    const CCode& c = *m.c();
    Source source{stem,       text_of(m.bytes),      m.opt_level(), c.directory,
                  c.standard, c.include_directories, c.language,    c.flags};
    if (m.codegen.empty() || options_.built_in.contains(m.codegen)) return source;
    source.codegen = m.codegen;
    const auto rules = options_.rules.find(m.codegen);
    if (rules != options_.rules.end()) source.rules = &rules->second;
    return source;
  }

  // Linked into one, steps are no functions that a loader could call.
  [[nodiscard]] bool is_left_out(const Module& m) const { return tree_.lto && m.for_loaders; }
  // True if its code is in one object with that of other modules.
  [[nodiscard]] bool is_linked(const Module& m) const {
    return tree_.lto && !m.for_loaders && m.compiled() != nullptr &&
           (m.c() == nullptr || m.c()->language != "assembly");
  }
  [[nodiscard]] bool has_linked_object() const { return tree_.lto && tree_.linked.bytes.size() != 0; }

  void add_module(std::size_t index) {
    const Module& m = tree_.modules[index];
    if (is_left_out(m)) return;
    const Diagnostics::Origin origin(diags_, m.codegen);
    switch (m.kind()) {
      case ModuleKind::c:
      case ModuleKind::llvm:
        if (is_linked(m)) {
          if (!linked_module_) linked_position_ = members_.size();
          linked_module_ = linked_module_.value_or(index);
          break;
        }
        if (m.has_object())
          objects_[index] = bytes_of(m.compiled()->object);
        else if (m.kind() == ModuleKind::llvm)
          objects_[index] = compile_llvm(m);
        if (!objects_[index].empty()) add_object(index, member_name(m), std::move(objects_[index]));
        break;
      case ModuleKind::object: add_object(index, member_name(m), bytes_of(m.bytes)); break;
      case ModuleKind::static_library: add_library(index); break;
      case ModuleKind::blob: {
        ConstantArtifact c{.symbol = to_identifier(m.name), .bytes = m.bytes};
        c.align = kBlobAlign;
        c.model_data = false;
        constants_.push_back(std::move(c));
        constants_module_ = constants_module_.value_or(index);
        break;
      }
      case ModuleKind::constants: constants_module_ = index; break;
      case ModuleKind::opaque: break;  // carried, not compiled
    }
    if (!m.constants.empty() && !constants_module_) constants_module_ = index;
    constants_.insert(constants_.end(), m.constants.begin(), m.constants.end());
    if (!is_linked(m)) check_promises(m);
  }

  // All C and LLVM modules as one object, in place of the first of them.
  void add_linked() {
    if (!linked_module_) return;
    LinkedModule linked;
    if (has_linked_object())
      linked = {bytes_of(tree_.linked.bytes), tree_.linked.defined};
    else if (auto made = link_modules())
      linked = std::move(*made);
    else
      return;
    const Module& first = tree_.modules[*linked_module_];
    const std::string name = member_name(first);
    auto facts = gate_.admit(linked.object, name, name);
    if (facts == nullptr) return;
    for (const auto& [symbol, from] : linked.defined) defined_.insert(symbol);
    LibraryMember member{name, std::move(linked.object), {}, {}, *linked_module_};
    member.linked = std::move(linked.defined);
    member.facts = std::move(facts);
    members_.insert(members_.begin() + static_cast<std::ptrdiff_t>(linked_position_), std::move(member));
  }

  Result<LinkedModule> link_modules() {
    CompileOptions how = options_.compile;
    how.cache = options_.cache;
    std::vector<LinkInput> inputs;
    std::vector<std::size_t> modules;
    std::string level = "0";
    for (std::size_t i = 0; i < tree_.modules.size(); ++i) {
      const Module& m = tree_.modules[i];
      if (!is_linked(m)) continue;
      // Without a model everything is visible; with one, everything except codegens' modules.
      const bool visible = options_.all_visible || m.codegen.empty();
      std::span<const std::byte> bytes = m.has_object() ? m.compiled()->object.bytes() : m.bytes.bytes();
      if (m.kind() == ModuleKind::c && !m.has_object()) bytes = objects_[i];
      inputs.push_back({who(m, file_name(m)), bytes, visible, m.codegen});
      modules.push_back(i);
      level = stronger(level, m.opt_level().empty() ? how.opt_level : m.opt_level());
    }
    how.opt_level = level;
    auto linked = link_llvm_modules("the link of " + label(tree_.modules[*linked_module_]), inputs, needed_, target_,
                                    how, diags_);
    if (!linked) return failure;
    for (auto& [symbol, input] : linked->defined) input = modules[input];
    return linked;
  }

  // Functions that are compiled for size carry an attribute for it, so that one level fits all.
  static std::string stronger(const std::string& a, const std::string& b) {
    constexpr std::string_view kOrder = "01zs23";
    return kOrder.find(a) < kOrder.find(b) ? b : a;
  }

  ObjectBytes compile_llvm(const Module& m) {
    CompileOptions how = options_.compile;
    how.cache = options_.cache;
    if (!m.opt_level().empty()) how.opt_level = m.opt_level();
    auto object = compile_llvm_module(label(m), m.bytes.bytes(), target_, how, diags_);
    return object ? std::move(*object) : ObjectBytes();
  }

  void add_object(std::size_t index, const std::string& name, ObjectBytes object) {
    const Module& m = tree_.modules[index];
    if (is_there(m, object)) return;
    const auto facts = gate_.admit(object, who(m, name), m.codegen);
    if (facts == nullptr) return;
    if (m.kind() == ModuleKind::llvm) warn_of_data(*facts, who(m, name));
    for (const ObjectSymbol& s : facts->defined) {
      defined_.insert(s.name);
      needed_.insert(s.name);
    }
    needed_.insert(facts->undefined.begin(), facts->undefined.end());
    members_.push_back({name, std::move(object), {}, m.kind() == ModuleKind::c ? "" : m.codegen, index});
    members_.back().facts = facts;
  }

  // Data that is neither constant nor zero takes RAM, and flash for its initial values, in every firmware.
  void warn_of_data(const ObjectFacts& facts, const std::string& object) {
    for (const ObjectSection& s : facts.sections)
      if (s.allocated && s.writable && !s.zeroed && !s.start_up_code && s.size != 0 &&
          !s.name.starts_with(".data.rel.ro"))
        diags_.warning(object, s.name, "a global of the LLVM module is not constant, and lies in RAM",
                       std::to_string(s.size) + " bytes", "constant, or zero at the start");
  }

  // Two codegens may bring the same library: what another one's brought is there once.
  [[nodiscard]] bool is_there(const Module& m, const ObjectBytes& object) const {
    return !m.codegen.empty() && std::any_of(members_.begin(), members_.end(), [&](const LibraryMember& other) {
      const std::string& codegen = tree_.modules[other.module].codegen;
      return !codegen.empty() && codegen != m.codegen && other.object == object;
    });
  }

  void add_library(std::size_t index) {
    const Module& m = tree_.modules[index];
    auto objects = read_static_library(m.bytes.bytes(), who(m, m.name), diags_);
    if (!objects) return;
    std::string stem = m.name;
    if (stem.ends_with(".a")) stem.resize(stem.size() - 2);
    // Libraries of two vendors may have members of one name, and so may one library.
    for (auto& [member, bytes] : *objects) {
      std::string member_stem = stem + "_" + module_name(member);  // it becomes a file, and a word of a Makefile
      if (member_stem.ends_with(".o")) member_stem.resize(member_stem.size() - 2);
      std::string unique = member_stem + ".o";
      for (int n = 2; has_member(unique); ++n) unique = member_stem + "_" + std::to_string(n) + ".o";
      add_object(index, unique, std::move(bytes));
    }
  }

  // True if there is, or will be, a member of this name.
  [[nodiscard]] bool has_member(const std::string& name) const {
    return std::any_of(members_.begin(), members_.end(), [&](const LibraryMember& m) { return m.name == name; }) ||
           std::any_of(tree_.modules.begin(), tree_.modules.end(),
                       [&](const Module& m) { return member_name(m) == name; });
  }

  void check_promises(const Module& m) {
    for (const Symbol& symbol : m.symbols)
      if (symbol.function && !defined_.contains(symbol.name) && m.kind() != ModuleKind::opaque)
        diags_.error(
            who(m, m.name), symbol.name,
            std::string(m.codegen.empty() ? "the module " : "") + "promised this symbol and does not define it");
  }

  void add_constants() {
    if (constants_.empty()) return;
    const Module& m = tree_.modules[*constants_module_];
    const std::string name = m.kind() == ModuleKind::constants ? m.name : tree_.modules[0].name + "_constants";
    members_.push_back({name + ".o", {}, std::move(constants_), {}, *constants_module_});
  }

  const ModuleTree& tree_;
  const TargetSpec& target_;
  const CompileTreeOptions& options_;
  Diagnostics& diags_;
  Compiler* compiler_;
  std::unique_ptr<Compiler> own_compiler_;
  ObjectGate gate_;
  std::vector<ObjectBytes> objects_;  // of the modules that are C
  std::vector<LibraryMember> members_;
  std::vector<ConstantArtifact> constants_;
  std::optional<std::size_t> constants_module_;
  std::set<std::string> defined_;
  std::set<std::string> needed_;  // by objects: what they define and refer to
  std::optional<std::size_t> linked_module_;
  std::size_t linked_position_ = 0;  // among the members
};

// Nullopt if the tree or its targets have errors.
std::optional<TargetSpec> checked_target(const ModuleTree& tree, const TargetSpec& target, Diagnostics& diags) {
  if (!check_tree(tree, diags)) return std::nullopt;
  auto one = target_of(tree, target, diags);
  return one ? std::optional(std::move(*one)) : std::nullopt;
}

}  // namespace

Result<std::vector<LibraryMember>> compile_tree(const ModuleTree& tree, const TargetSpec& target,
                                                const CompileTreeOptions& options, Diagnostics& diags) {
  const compile::KeptWorkers kept;
  const auto one = checked_target(tree, target, diags);
  if (!one) return failure;
  return TreeCompiler(tree, *one, options, diags).run();
}

Result<std::vector<ObjectBytes>> compile_c_modules(const ModuleTree& tree, const TargetSpec& target,
                                                   const CompileTreeOptions& options, Diagnostics& diags) {
  const auto one = checked_target(tree, target, diags);
  if (!one) return failure;
  return TreeCompiler(tree, *one, options, diags).run_sources();
}

}  // namespace byoc
