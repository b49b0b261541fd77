// The interface of a lowering: the node, the machine, and ways to give constants, kernels and steps to the host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/llvm/ir/code.hpp"
#include "backends/llvm/machine.hpp"
#include "byoc/codegen.hpp"
#include "byoc/nodes/activation.hpp"

namespace byoc::bitcode {

// State that all regions of an export share: kernels by their computation, and the one module of the functions of
// steps.
class Modules {
 public:
  Modules(const Machine& machine, codegen::Host& host);

  // The symbol of a kernel, a module of its own, the same one in every export. `key` says what it computes among those
  // of its family; `write` writes it where there is none yet.
  std::string kernel(std::string_view family, const std::string& key,
                     const std::function<void(Code&, const std::string& symbol)>& write);
  // Hands the module of the steps over.
  void finish();

  [[nodiscard]] Code& steps() { return steps_; }
  void define(const std::string& symbol) { defined_.push_back(symbol); }
  // A step takes the threads of the program's: they are the model's instance.
  void take_threads();

 private:
  const Machine& machine_;
  codegen::Host& host_;
  Code steps_;
  std::vector<std::string> defined_;
  bool takes_threads_ = false;
  std::map<std::string, std::string, std::less<>> kernels_;
};

// An argument of a kernel: an operand of the step, or a constant.
struct Argument {
  enum class Kind { input, output, workspace, constant };
  Kind kind = Kind::input;
  std::size_t index = 0;
  std::string symbol = {};
  std::int64_t bytes = 0;  // from its start on
};
[[nodiscard]] inline Argument input(std::size_t index) { return {Argument::Kind::input, index, {}, 0}; }
[[nodiscard]] inline Argument output(std::size_t index) { return {Argument::Kind::output, index, {}, 0}; }
[[nodiscard]] inline Argument workspace(std::size_t index) { return {Argument::Kind::workspace, index, {}, 0}; }
[[nodiscard]] inline Argument constant(std::string symbol) {
  return {Argument::Kind::constant, 0, std::move(symbol), 0};
}
// A workspace that the step gets beside those it has.
[[nodiscard]] inline Argument scratch(codegen::Step& step, std::int64_t bytes, std::uint32_t align = 16) {
  step.workspaces.push_back({.bytes = static_cast<std::uint64_t>(bytes), .align = align});
  return workspace(step.workspaces.size() - 1);
}

struct Call {
  std::string kernel = {};
  std::vector<Argument> arguments = {};
  std::int64_t pieces = 0;  // of a kernel by range; 0: it is none
};

// The user's options.
struct BackendOptions {
  bool threads = false;  // kernels by range, for threads of the program's
  bool winograd = true;  // where it is faster
};

// A node with what follows it and is done with it in one pass.
struct Fused {
  codegen::ValueId output = codegen::kNoValue;
  std::vector<codegen::NodeId> nodes;
  nodes::Bounds bounds;
  codegen::ValueId added = codegen::kNoValue;  // a value of the output's shape
  // Factors of each channel, before anything is added; empty: none. There is no scale without a shift.
  std::vector<float> scale, shift;
};

class Emitter {
 public:
  Emitter(const codegen::Request& request, const Machine& machine, const codegen::Region& region, codegen::Host& host,
          Modules& modules, const BackendOptions& options);

  const codegen::Request& request;
  const Machine& machine;
  const codegen::Region& region;
  const BackendOptions& options;

  [[nodiscard]] const codegen::Value& value(codegen::ValueId id) const { return region.values[id]; }
  [[nodiscard]] const codegen::Value* given(const codegen::Node& node, std::size_t index) const;
  [[nodiscard]] codegen::NodeId id_of(const codegen::Node& node) const {
    return static_cast<codegen::NodeId>(&node - region.nodes.data());
  }

  // The node, its own activation, and of those that follow and are the only readers of their operand: a
  // BatchNormalization (if `may_scale`), an Add of a constant for each channel, which is the last dim (if `may_shift`),
  // an Add of a value that is computed already (if `may_add`), a Relu or Clip. They are done with it.
  struct Follower {
    bool may_scale = false, may_add = false, may_shift = false;
  };
  Fused fuse(const codegen::Node& node, Follower may);
  // The nodes of a chain, each of which the next one alone reads, and what follows the last.
  Fused fuse(std::span<const codegen::Node* const> before, const codegen::Node& last);
  // The node that alone reads a value that nobody else sees; null if there is none, or if it is done.
  [[nodiscard]] const codegen::Node* only_follower(codegen::ValueId value) const;
  // A constant, or a value that a step before makes.
  [[nodiscard]] bool is_made(codegen::ValueId value) const { return made_[value] || region.values[value].is_constant; }
  [[nodiscard]] bool is_done(codegen::NodeId n) const { return done_[n]; }

  // Constants, and their symbols.
  std::string arranged(std::string_view stem, codegen::ValueId value, const codegen::Arrangement& how);
  std::string floats(std::string_view stem, std::span<const float> elements);
  std::string elements(std::string_view stem, DType type, std::span<const std::byte> bytes);
  std::string elements_owned(std::string_view stem, DType type, std::vector<std::byte> bytes);  // many: not copied
  std::string as_it_is(std::string_view stem, codegen::ValueId value);

  [[nodiscard]] Modules& modules() { return modules_; }
  // True if a kernel should be one by range: threads were asked for, and `work` takes some microseconds.
  enum class Work : std::uint8_t { products, elements };
  [[nodiscard]] bool is_shared(Work what, std::int64_t work, std::int64_t pieces) const;
  // A name for a node's step and constants.
  [[nodiscard]] std::string stem(const codegen::Node& node) const;
  // Input `index` of the node as an argument: a constant, or an input that `step` gets beside those it has.
  [[nodiscard]] Argument operand(const codegen::Node& node, std::size_t index, codegen::Step& step);
  // Writes the function of the step, which makes these calls in turn, and hands it over. Fills in the symbol, the nodes
  // (this one) and the kernel's name where they are empty.
  void step(const codegen::Node& node, codegen::Step step, const std::vector<Call>& calls);
  void alias(codegen::ValueId value, codegen::ValueId of);
  // Reports an error about a node; returns false to be returned.
  bool error(const codegen::Node& node, std::string_view text);

 private:
  [[nodiscard]] std::optional<codegen::NodeId> only_reader(codegen::ValueId value) const;

  codegen::Host& host_;
  Modules& modules_;
  std::vector<std::vector<codegen::NodeId>> readers_;
  std::vector<bool> leaves_;  // [value] the region
  std::vector<bool> made_;    // [value] by a step so far, or outside
  std::vector<bool> done_;    // [node]
};

}  // namespace byoc::bitcode
