// The official ONNX operator cases (Debian: libonnx-testdata): a model, and data sets of inputs and expected outputs.
#pragma once

#include <string>
#include <vector>

#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::test {

struct OnnxCase {
  std::string name;  // "node/test_abs"
  std::string path;  // its folder
};

// All cases of the folders that hold operators and small networks, sorted by name. None: they are not installed.
[[nodiscard]] std::vector<OnnxCase> onnx_cases();
// Further cases in the same form, below `root`.
[[nodiscard]] std::vector<OnnxCase> onnx_cases_in(const std::string& root, const std::string& group);

// The folders with one data set each.
[[nodiscard]] std::vector<std::string> data_sets(const OnnxCase&);

// What becomes a constant before the case is prepared: nothing; operands that say a shape, an axis or a count; all
// parameters (weights, scales, bounds), which most models have as constants where the cases feed them at run time.
enum class Bind { none, shapes, parameters };

struct LoadedCase {
  ir::Graph graph;  // prepared
  std::vector<evaluate::Tensor> inputs;
  std::vector<evaluate::Tensor> expected;
};

// On failure `problem` says why: a refusal of ours (then `refused`), or what is wrong with the case's files.
// `open_types`: of PrepareOptions, for what the evaluator alone runs.
Result<LoadedCase> load_case(const OnnxCase&, const std::string& data_set, Bind, bool lift, std::string& problem,
                             bool& refused, bool open_types = false);

}  // namespace byoc::test
