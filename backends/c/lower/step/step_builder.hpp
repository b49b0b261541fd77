// Builds one step: operands and results by their position at the node, kernels and parameters by name.
#pragma once

#include <map>
#include <string>

#include "backends/c/emitter.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "backends/c/lower/step/reasons.hpp"

namespace byoc::c {

class StepBuilder {
 public:
  StepBuilder(Emitter& emitter, const codegen::Node& node)
      : emitter_(emitter), node_(node), name_(stem(emitter, node)), count_(0) {
    step_.symbol = emitter.host().claim(name_);
    step_.nodes = {node_id(emitter, node)};
  }

  StepText text;

  // The C expressions of an operand and of a result, made known to the step at first use.
  std::string input(std::size_t index) {
    std::string& known = inputs_[index];
    if (known.empty()) known = operand(emitter_, step_, node_.inputs[index], name_ + "_" + std::to_string(index));
    return known;
  }
  std::string output(std::size_t index) {
    std::string& known = outputs_[index];
    if (known.empty()) {
      known = "out" + std::to_string(step_.outputs.size());
      step_.outputs.push_back({node_.outputs[index]});
    }
    return known;
  }
  // A workspace of the step, as a C expression of type void*.
  std::string workspace(std::uint64_t bytes, std::uint32_t align) {
    step_.workspaces.push_back({bytes, align, {}});
    return "ws" + std::to_string(step_.workspaces.size() - 1);
  }
  // The result may start where the operand does, or `lead` bytes before it.
  void overlay(std::size_t output_index, std::size_t input_index, std::uint64_t lead = 0) {
    const auto place = [](const std::string& name) { return static_cast<std::uint32_t>(std::stoul(name)); };
    if (inputs_[input_index].starts_with("in"))
      step_.overlays.push_back({place(outputs_[output_index].substr(3)), place(inputs_[input_index].substr(2)), lead});
  }
  // A table of the step's own in flash.
  template <class T>
  std::string table(std::string_view what, std::span<const T> elements) {
    return emitter_.constant(name_ + "_" + std::string(what), elements, false);
  }
  // Defines a parameter struct and returns its address.
  std::string parameters(std::string_view type, const ParameterText& fields) {
    const std::string symbol = step_.symbol + "_params" + (count_ == 0 ? "" : std::to_string(count_));
    ++count_;
    text.parameters.push_back(fields.definition(type, symbol));
    return "&" + symbol;
  }
  void line(const std::string& code) { text.body += "  " + code + "\n"; }
  // The end of the step where the condition holds, and why that is a failure.
  void fail_if(const std::string& condition, std::string_view reason) {
    line("if (" + condition + ") return 1;");
    may_fail(reason);
  }
  // A call that returns 0 for success.
  void call_checked(const std::string& call, std::string_view reason) { fail_if(call + " != 0", reason); }
  void may_fail(std::string_view reason) { step_.failure = reason; }

  // `macs`: multiply-accumulates of one call.
  void finish(std::string_view kernel, std::uint64_t macs = 0) {
    // Results nobody wrote to and operands nobody read are those without elements.
    for (std::size_t o = 0; o < node_.outputs.size(); ++o)
      if (node_.outputs[o] != codegen::kNoValue && (!outputs_.contains(o) || is_empty(node_.outputs[o])))
        line("(void)" + output(o) + ";");
    for (const auto& [index, expression] : inputs_)
      if (expression.starts_with("in") && is_empty(node_.inputs[index])) line("(void)" + expression + ";");
    step_.kernel = kernel;
    step_.macs = macs;
    emitter_.step(node_, std::move(step_), text);
  }

  Emitter& emitter() { return emitter_; }
  [[nodiscard]] const std::string& symbol() const { return step_.symbol; }

 private:
  [[nodiscard]] bool is_empty(codegen::ValueId value) const { return emitter_.value(value).elements() == 0; }

  Emitter& emitter_;
  const codegen::Node& node_;
  std::string name_;
  codegen::Step step_;
  std::map<std::size_t, std::string> inputs_, outputs_;
  std::size_t count_;
};

}  // namespace byoc::c
