#include "sdk/target/module/module.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sdk/base/support/valid_text.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

struct KindFacts {
  std::string_view name;
  std::string_view suffix;
};
constexpr std::array kKindFacts{
    KindFacts{"c", ".c"},       KindFacts{"llvm", ".bc"},          KindFacts{"object", ".o"},
    KindFacts{"constants", ""}, KindFacts{"static_library", ".a"}, KindFacts{"blob", ".bin"},
    KindFacts{"opaque", ".bin"}};

class Checker {
 public:
  Checker(const ModuleTree& tree, Diagnostics& diags) : tree_(tree), diags_(diags), state_(tree.modules.size()) {}

  Result<void> run() {
    const std::size_t before = diags_.count();
    if (tree_.modules.empty()) return diags_.error({}, {}, "the module tree is empty");
    std::map<std::string, std::string> names;
    for (const Module& m : tree_.modules) {
      check_name(m, names);
      check_bytes(m);
      for (const std::size_t i : m.imports)
        if (i >= tree_.modules.size())
          diags_.error(label(m), m.name, "imports a module that is not there", "number " + std::to_string(i),
                       "less than " + std::to_string(tree_.modules.size()));
    }
    if (diags_.count() != before) return failure;
    if (!walk(0)) return failure;
    for (std::size_t i = 0; i < state_.size(); ++i)
      if (state_[i] == State::unseen)
        diags_.error(label(tree_.modules[i]), tree_.modules[i].name, "is not imported by the root or what it imports");
    return diags_.count() == before ? Result<void>() : failure;
  }

 private:
  enum class State { unseen, open, done };

  void check_name(const Module& m, std::map<std::string, std::string>& names) {
    if (!is_plain_name(m.name))
      diags_.error(label(m), m.name, "cannot be the name of a module", "'" + m.name + "'",
                   "letters, digits and _ . + -, not starting with . or -");
    const auto [other, is_new] = names.emplace(lower_case(m.name), label(m));
    if (!is_new)
      diags_.error(label(m), m.name, "two modules have one name", label(m) + " and " + other->second,
                   "names that differ in more than upper and lower case");
  }

  void check_bytes(const Module& m) {
    const bool wants = m.kind() != ModuleKind::constants;
    if (wants != (m.bytes.size() != 0))
      diags_.error(
          label(m), m.name,
          "a module of kind " + std::string(to_string(m.kind())) + " has " + (wants ? "no bytes" : "bytes of its own"));
    if (m.kind() == ModuleKind::opaque && m.loader().empty())
      diags_.error(label(m), m.name, "an opaque module says no loader");
  }

  bool walk(std::size_t at) {
    state_[at] = State::open;
    path_.push_back(at);
    for (const std::size_t next : tree_.modules[at].imports) {
      if (state_[next] == State::open) return cycle(next);
      if (state_[next] == State::unseen && !walk(next)) return false;
    }
    path_.pop_back();
    state_[at] = State::done;
    return true;
  }

  bool cycle(std::size_t start) {
    std::string text;
    for (auto it = std::find(path_.begin(), path_.end(), start); it != path_.end(); ++it)
      text += tree_.modules[*it].name + " -> ";
    const Module& m = tree_.modules[start];
    diags_.error(label(m), m.name, "the imports make a cycle", text + m.name, "a module that does not import itself");
    return false;
  }

  const ModuleTree& tree_;
  Diagnostics& diags_;
  std::vector<State> state_;
  std::vector<std::size_t> path_;
};

}  // namespace

std::string module_name(const std::string& text) {
  std::string out = text.substr(0, 200);
  // The letter in front makes is_plain_name() accept every character of a name.
  for (char& c : out)
    if (!is_plain_name(std::string{'a', c})) c = '_';
  return is_plain_name(out) ? out : "_" + out;
}

std::string upper_case(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

const CompiledCode* Module::compiled() const {
  if (const auto* source = c()) return &source->compiled;
  const auto* code = std::get_if<LlvmCode>(&content);
  return code == nullptr ? nullptr : &code->compiled;
}

CompiledCode* Module::compiled() { return const_cast<CompiledCode*>(std::as_const(*this).compiled()); }

std::string Module::opt_level() const { return compiled() == nullptr ? std::string() : compiled()->opt_level; }

std::string Module::loader() const {
  const auto* data = std::get_if<LoaderData>(&content);
  return data == nullptr ? std::string() : data->loader;
}

bool Module::has_object() const { return compiled() != nullptr && compiled()->object.size() != 0; }

ModuleContent content_of(ModuleKind kind) {
  switch (kind) {
    case ModuleKind::c: return CCode{};
    case ModuleKind::llvm: return LlvmCode{};
    case ModuleKind::object: return ElfObject{};
    case ModuleKind::constants: return ConstantsOnly{};
    case ModuleKind::static_library: return ObjectLibrary{};
    case ModuleKind::blob: return RawData{};
    case ModuleKind::opaque: return LoaderData{};
  }
  return CCode{};
}

std::string_view to_string(ModuleKind kind) { return kKindFacts[static_cast<std::size_t>(kind)].name; }

std::string file_name(const Module& m) {
  if (m.c() != nullptr && m.c()->language != "c") return m.name;  // a file of the user's, with its suffix
  const std::string suffix(kKindFacts[static_cast<std::size_t>(m.kind())].suffix);
  if (m.name.ends_with(suffix) || (m.kind() == ModuleKind::llvm && m.name.ends_with(".ll"))) return m.name;
  return m.name + suffix;
}

std::string label(const Module& m) { return m.origin.empty() ? file_name(m) : m.origin; }

Result<void> check_tree(const ModuleTree& tree, Diagnostics& diags) { return Checker(tree, diags).run(); }

std::uint64_t constant_bytes(const ModuleTree& tree) {
  std::uint64_t bytes = 0;
  for (const Module& m : tree.modules) {
    if (m.kind() == ModuleKind::blob) bytes += m.bytes.size();
    for (const ConstantArtifact& c : m.constants) bytes += c.bytes.size();
  }
  return bytes;
}

Result<TargetSpec> target_of(const ModuleTree& tree, const TargetSpec& target, Diagnostics& diags) {
  std::vector<std::pair<std::string, TargetSpec>> all{{"the library", target}};
  for (const Module& m : tree.modules)
    if (m.target)
      all.emplace_back(label(m) + (m.codegen.empty() || !m.origin.empty() ? "" : " of " + m.codegen), *m.target);
  return merge_targets(all, diags);
}

}  // namespace byoc
