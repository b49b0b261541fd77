// Builds one step around kernels that exist for many element types, operand by operand.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backends/c/emitter.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "backends/c/lower/step/reasons.hpp"

namespace byoc::c {

class TypedStep {
 public:
  TypedStep(Emitter& emitter, const codegen::Node& node);

  // C expressions: the pointer of an operand or a result; "NULL" where the node has none.
  [[nodiscard]] std::string in(std::size_t index);
  [[nodiscard]] std::string out(std::size_t index);
  [[nodiscard]] std::string workspace(std::uint64_t bytes);
  // The address of a parameter structure, which is defined before the function.
  [[nodiscard]] std::string parameters(const ParameterText&, std::string_view type, std::string_view name = "params");

  // Calls `kernel`, which `header` declares by a macro of the symbol and `types`.
  void call(const Kernel& kernel, std::string_view header, std::string_view macro,
            const std::vector<std::string>& types, const std::vector<std::string>& arguments);
  bool emit();

  codegen::Step step;
  StepText text;
  const std::string name;  // what symbols of the node start with

 private:
  Emitter& emitter_;
  const codegen::Node& node_;
  std::map<std::size_t, std::string> inputs_, outputs_;
};

// "byoc_<what>_<type>..."
[[nodiscard]] std::string typed_symbol(std::string_view what, std::initializer_list<DType> types);

}  // namespace byoc::c
