// Models of the user's as graphs for the checks: each region that the codegen gets of one, with inputs of its own.
#pragma once

#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/app/check/random_graph/random_graph.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc::check {

struct ModelCase {
  std::string name;  // "kws.tflite, region 2 of 3 (Conv ... Softmax)"
  RandomGraph graph;
};

// Errors: those of loading the model; that the codegen claims nothing of it.
[[nodiscard]] Result<std::vector<ModelCase>> model_cases(const std::string& path, codegen::Codegen& codegen,
                                                         const TargetSpec& target, std::uint64_t seed,
                                                         Diagnostics& diags);

}  // namespace byoc::check
