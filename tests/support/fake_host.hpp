// A codegen::Host that keeps what a codegen pushes, so that tests can look at it or compile and run it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::test {

class FakeHost final : public codegen::PlainHost {
 public:
  struct Constant {
    codegen::ConstantDecl decl;
    std::vector<std::byte> bytes;
  };
  struct Source {
    codegen::SourceDecl decl;
    std::string text;
  };
  struct Artifact {
    codegen::ArtifactDecl decl;
    std::vector<std::byte> bytes;
  };

  std::vector<Constant> constants;
  std::vector<codegen::Arrangement> arrangements;
  std::vector<Artifact> artifacts;
  std::vector<Source> sources;
  std::map<std::string, std::string> headers;
  std::vector<codegen::PrivateValue> private_values;
  std::vector<codegen::Step> steps;
  std::map<codegen::ValueId, codegen::ValueId> aliases;  // value -> of
  std::map<codegen::ValueId, codegen::ValueId> fusions;  // value -> into
  std::map<codegen::ValueId, codegen::PrivateLayout> layouts;
  std::vector<codegen::Instance> instances;
  std::vector<std::pair<codegen::Severity, std::string>> diagnostics;

  std::string claim(std::string_view stem) override {
    std::string base = "test_";
    for (char ch : stem)
      base += (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ? ch : '_';
    std::string name = base;
    for (int i = 1; !names_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
    return name;
  }
  void constant(const codegen::ConstantDecl& decl, std::span<const std::byte> bytes) override {
    constants.push_back({decl, {bytes.begin(), bytes.end()}});
  }
  void constant_owned(const codegen::ConstantDecl& decl, std::vector<std::byte> bytes) override {
    constants.push_back({decl, std::move(bytes)});
  }
  void constant_from_value(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId id,
                           std::uint64_t offset, std::uint64_t length) override {
    constant(decl, region.values[id].data.subspan(offset, length));
  }
  void constant_arranged(const codegen::ConstantDecl& decl, const codegen::Region& region, codegen::ValueId id,
                         const codegen::Arrangement& how) override {
    constants.push_back({decl, codegen::arranged(how, region.values[id].data)});
    arrangements.push_back(how);
  }
  void source(const codegen::SourceDecl& decl, std::string_view text) override {
    for (const Source& s : sources)
      if (decl.shared && s.decl.shared && s.decl.symbol == decl.symbol) return;
    sources.push_back({decl, std::string(text)});
  }
  void artifact(const codegen::ArtifactDecl& decl, std::vector<std::byte> bytes) override {
    artifacts.push_back({decl, std::move(bytes)});
  }
  void header(std::string_view name, std::string_view text) override { headers[std::string(name)] = text; }
  std::uint32_t private_value(const codegen::PrivateValue& value) override {
    private_values.push_back(value);
    return static_cast<std::uint32_t>(private_values.size() - 1);
  }
  void step(const codegen::Region&, const codegen::Step& step) override { steps.push_back(step); }
  void alias(const codegen::Region&, codegen::ValueId value, codegen::ValueId of) override { aliases[value] = of; }
  void stored_privately(const codegen::Region&, codegen::ValueId value, const codegen::PrivateLayout& layout) override {
    layouts[value] = layout;
  }
  void fused(const codegen::Region&, codegen::ValueId value, codegen::ValueId into) override { fusions[value] = into; }
  void instance(const codegen::Instance& instance) override { instances.push_back(instance); }
  void diag(codegen::Severity severity, const codegen::Region&, codegen::NodeId, std::string_view text) override {
    diagnostics.emplace_back(severity, text);
  }
  [[nodiscard]] std::size_t errors() const override {
    std::size_t n = 0;
    for (const auto& [severity, text] : diagnostics) n += severity == codegen::Severity::error ? 1 : 0;
    return n;
  }

 private:
  std::set<std::string> names_;
};

}  // namespace byoc::test
