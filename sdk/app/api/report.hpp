// A partition as programs see it.
#pragma once

#include <span>

#include "byoc/byoc.hpp"
#include "sdk/codegen/partition/partition.hpp"
#include "sdk/codegen/partition/report.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::api {

// The report of a partition of `given`. `model`: the compiled model; null if nothing was compiled.
[[nodiscard]] PartitionReport make_report(const ir::Graph& given, std::span<codegen::Codegen* const> codegens,
                                          const TargetSpec& target, const Partition& partition,
                                          const std::vector<RewriteSummary>& rewrites, const ModelInterface* model,
                                          std::span<const FunctionCode> code = {});

}  // namespace byoc::api
