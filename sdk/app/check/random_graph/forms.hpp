// One small graph for each form of an operator: forms that occur in networks, and those that codegens forget. Random
// graphs contain them only by chance; a codegen that claims a form is run on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sdk/app/check/random_graph/random_graph.hpp"

namespace byoc::check {

class Builder;

struct Form {
  std::string op;    // "Conv"
  std::string type;  // "i8", as of TFLite; "f32"
  std::string form;  // "dilated"
  // Adds the nodes; false where shape inference or the codegen refuses them.
  bool (*build)(Builder&, const Form&);
  int parameter = 0;  // of the form, for `build`
};

// In a fixed order; each (op, type, form) once.
[[nodiscard]] const std::vector<Form>& forms();

// Nullopt if it is refused. Both inputs and parameters are random.
[[nodiscard]] std::optional<RandomGraph> form_graph(std::uint64_t seed, const Form& form, codegen::Codegen& codegen,
                                                    const TargetSpec& target);

}  // namespace byoc::check
