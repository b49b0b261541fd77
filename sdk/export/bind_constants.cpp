#include "sdk/export/bind_constants.hpp"

#include <algorithm>
#include <map>

#include "sdk/base/support/sha256.hpp"

namespace byoc {
namespace {

// A hash of everything that determines how the constants are read.
class LayoutHash {
 public:
  void add(const std::string& text) {
    const std::string framed = std::to_string(text.size()) + ":" + text;
    hash_.update(std::as_bytes(std::span(framed)));
  }
  void add(std::uint64_t number) { add(std::to_string(number)); }
  [[nodiscard]] std::array<std::uint8_t, 16> finish() {
    const auto whole = hash_.finish();
    std::array<std::uint8_t, 16> out{};
    std::copy_n(whole.begin(), out.size(), out.begin());
    return out;
  }

 private:
  Sha256 hash_;
};

}  // namespace

Result<BoundConstants> bind_constants(const plugin::Compilation& compilation, const std::string& prefix,
                                      Diagnostics& diags) {
  BoundConstants out;
  LayoutHash hash;
  hash.add("byoc weights 1");
  for (const ConstantArtifact& c : compilation.constants) {
    if (!c.moves) continue;
    const std::uint32_t align = std::max(c.align, 4U);
    out.bytes = (out.bytes + align - 1) / align * align;
    out.align = std::max(out.align, align);
    out.constants.push_back({c.symbol, out.bytes, align, c.element, c.model_data, c.bytes});
    hash.add(c.symbol);
    hash.add(out.bytes);
    hash.add(c.bytes.size());
    hash.add(static_cast<std::uint64_t>(c.element));
    out.bytes += c.bytes.size();
  }
  if (out.constants.empty())
    return diags.error({}, "--weights-blob", "no constant of the model can leave the library",
                       constants_that_stay(compilation));
  for (const plugin::SourceArtifact& s : compilation.sources) {
    hash.add(s.decl.symbol);
    hash.add(s.text);
  }
  for (const auto& [name, text] : compilation.headers) {
    hash.add(name);
    hash.add(text);
  }
  hash.add(prefix);
  out.layout = hash.finish();
  return out;
}

std::string constants_that_stay(const plugin::Compilation& compilation) {
  std::map<std::string, std::vector<std::string>> of;
  for (const ConstantArtifact& c : compilation.constants)
    if (!c.moves) of[c.codegen].push_back(c.symbol);
  std::string out;
  for (const auto& [codegen, symbols] : of) {
    out += (out.empty() ? "" : "; ") + symbols.front();
    if (symbols.size() > 1) out += " and " + std::to_string(symbols.size() - 1) + " more";
    out += " of codegen '" + codegen + "'";
  }
  return out;
}

}  // namespace byoc
