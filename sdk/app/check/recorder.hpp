// A codegen that passes everything on to another and writes down what that hands over.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::check {

// A value of the graph, by its id, or a private one.
struct RecordedOperand {
  bool is_private = false;
  std::uint32_t id = 0;
  auto operator<=>(const RecordedOperand&) const = default;
};

struct RecordedStep {
  codegen::Step step;  // as it was given; its operands are the region's, these are the graph's:
  std::vector<RecordedOperand> inputs, outputs;
  std::size_t region = 0;
};

// The values of the graphs that it is shown are called "v" and their id.
class Recorder final : public codegen::Codegen {
 public:
  explicit Recorder(codegen::Codegen& inner) : inner_(inner) {}

  std::string_view id() const override { return inner_.id(); }
  std::string_view version() const override { return inner_.version(); }
  codegen::Role role() const override { return inner_.role(); }
  bool built_in() const override { return inner_.built_in(); }
  std::span<const codegen::Pattern> patterns() const override { return inner_.patterns(); }
  bool saves_memory() const override { return inner_.saves_memory(); }
  // Steps are tried one by one on the values of the graph that the checks know.
  bool accepts_rewrites() const override { return false; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& model, const TargetSpec& target) override {
    return told = inner_.verdicts(model, target);
  }
  std::vector<codegen::Group> groups(const codegen::Region& model, const TargetSpec& target,
                                     std::span<const codegen::Match> matches) override {
    return offered = inner_.groups(model, target, matches);
  }
  bool update_constants(std::span<const codegen::Region> to, codegen::ConstantUpdates& updates) override {
    return inner_.update_constants(to, updates);
  }
  bool compile(const codegen::Request& request, codegen::Host& host) override;

  std::vector<codegen::Verdict> told;
  std::vector<codegen::Group> offered;
  std::vector<codegen::Region> regions;
  std::vector<RecordedStep> steps;  // in an order in which they can run
  std::vector<codegen::PrivateValue> private_values;
  std::map<std::uint32_t, std::uint32_t> aliases;  // ids of the graph's values
  std::map<std::uint32_t, codegen::PrivateLayout> layouts;
  std::optional<codegen::Instance> instance;

 private:
  void order();
  codegen::Codegen& inner_;
};

}  // namespace byoc::check
