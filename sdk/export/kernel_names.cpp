#include "sdk/export/kernel_names.hpp"

#include <set>

#include "sdk/base/support/identity.hpp"
#include "sdk/target/target/cores.hpp"

namespace byoc {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool mentions(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + word.size();
    if (starts && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

class Fingerprint {
 public:
  Fingerprint(const plugin::Compilation& compilation, const ModuleSymbols& symbols)
      : compilation_(compilation), symbols_(symbols) {}

  // All inputs of the kernel: its text or module, the headers it includes, the shared kernels it names, and theirs.
  std::string of(const plugin::SourceArtifact& source) {
    text_.clear();
    seen_.clear();
    add_source(source);
    return text_;
  }
  std::string of_module(std::size_t index) {
    text_.clear();
    seen_.clear();
    add_module(index);
    return text_;
  }

 private:
  void add_source(const plugin::SourceArtifact& source) {
    if (!seen_.insert(source.decl.symbol).second) return;
    add_text(source.text);
    add_named([&](const std::string& symbol) { return mentions(source.text, symbol); });
  }

  void add_module(std::size_t index) {
    const plugin::OtherArtifact& module = compilation_.others[index];
    if (!seen_.insert(module.decl.symbol).second) return;
    text_.append(reinterpret_cast<const char*>(module.bytes.data()), module.bytes.size());
    text_ += '\0';
    add_named([&](const std::string& symbol) { return symbols_.at(index).used.contains(symbol); });
  }

  template <class IsNamed>
  void add_named(const IsNamed& is_named) {
    for (const plugin::SourceArtifact& other : compilation_.sources)
      if (other.decl.shared && is_named(other.decl.symbol)) add_source(other);
    for (std::size_t i = 0; i < compilation_.others.size(); ++i)
      if (compilation_.others[i].decl.shared && is_named(compilation_.others[i].decl.symbol)) add_module(i);
  }

  void add_text(const std::string& text) {
    text_ += text;
    text_ += '\0';
    for (const auto& [name, header] : compilation_.headers)
      if (text.find("#include \"" + name + "\"") != std::string::npos && seen_.insert("\"" + name).second)
        add_text(header);
  }

  const plugin::Compilation& compilation_;
  const ModuleSymbols& symbols_;
  std::string text_;
  std::set<std::string> seen_;
};

}  // namespace

std::map<std::string, std::string> name_kernels(
    const plugin::Compilation& compilation, const ModuleSymbols& symbols,
    const std::function<std::string(const std::string& symbol)>& toolchain) {
  std::map<std::string, std::string> out;
  Fingerprint fingerprint(compilation, symbols);
  const auto name = [&](const std::string& symbol, const std::string& text) {
    const std::string all = text + toolchain(symbol);
    constexpr std::size_t kDigits = 12;  // 48 bits: a clash among thousands of kernels is one in a billion
    out[symbol] = symbol + "_" + to_hex(identify(std::as_bytes(std::span(all)))).substr(0, kDigits);
  };
  for (const plugin::SourceArtifact& source : compilation.sources)
    if (source.decl.shared) name(source.decl.symbol, fingerprint.of(source));
  for (std::size_t i = 0; i < compilation.others.size(); ++i)
    if (compilation.others[i].decl.shared) name(compilation.others[i].decl.symbol, fingerprint.of_module(i));
  return out;
}

std::string toolchain_fingerprint(const TargetSpec& t, const Compiler& compiler, const std::string& level) {
  std::string out = t.triple + "|" + t.cpu + target::cpu_options(t) + "|" + t.march + "|" + t.fpu + "|" + t.float_abi +
                    "|" + t.abi + "|" + t.code_model + "|" + (t.short_enums ? "short-enums" : "") + "|" +
                    (t.pic ? "pic" : "");
  return out + "|" + compiler.identity() + "|" + compiler.flags() + "|" + level;
}

std::string rename_kernels(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string out;
  for (const auto& [symbol, name] : names)
    if (mentions(text, symbol)) out += "#define " + symbol + " " + name + "\n";
  return out + text;
}

}  // namespace byoc
