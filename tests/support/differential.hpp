// One graph through the whole pipeline against the evaluator, value by value.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/target.hpp"
#include "sdk/model/evaluate/agreement.hpp"
#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::test {

struct DifferentialOptions {
  Objective objective = Objective::balanced;
  bool lift = false;
  std::string keep;  // where the library stays; "" for none
  // For many graphs in one process: Job::kernel_objects.
  std::map<std::string, std::vector<std::byte>>* kernel_objects = nullptr;
};

// Prepares the graph. "", or what the evaluator cannot run or preparing without lifting changes.
[[nodiscard]] std::string prepare_checked(const ir::Graph& graph, std::span<const evaluate::Tensor> inputs,
                                          ir::Graph& prepared, bool lift = false);

// Prepares, exports for this machine, runs, and compares every value that is in memory with what the evaluator makes
// of the values the node had as inputs. So one operator's rounding never counts against the next. "" or what differs.
[[nodiscard]] std::string check_on_host(const ir::Graph& graph, std::span<const evaluate::Tensor> inputs,
                                        codegen::Codegen& codegen, const DifferentialOptions& options = {});

// The graph that the codegen is given of it (Partition::graph): what it does not take on quantised tensors is literal.
[[nodiscard]] ir::Graph as_placed(codegen::Codegen& codegen, const ir::Graph& prepared, const TargetSpec& target);
// What the codegen states of each node, for compare_values().
[[nodiscard]] std::vector<evaluate::Allowance> stated_by(codegen::Codegen& codegen, const ir::Graph& prepared,
                                                         const TargetSpec& target);

// Compares the values of one run with the evaluator, node by node, strictly (evaluate::Agreement). `values`: those that
// are known, beside `outputs`.
[[nodiscard]] std::string compare_values(const ir::Graph& prepared, std::span<const evaluate::Tensor> inputs,
                                         const std::map<ir::ValueId, evaluate::Tensor>& values,
                                         std::span<const evaluate::Tensor> outputs,
                                         std::vector<evaluate::Allowance> stated, bool flushes = false);

// A smaller graph for which `fails` holds as it does for this one: fewer outputs, and nodes replaced by inputs of the
// values they compute.
struct Reduced {
  ir::Graph graph;
  std::vector<evaluate::Tensor> inputs;
};
[[nodiscard]] Reduced reduce(const ir::Graph& graph, std::span<const evaluate::Tensor> inputs,
                             const std::function<bool(const Reduced&)>& fails);

}  // namespace byoc::test
