// A partition as programs see it.
#pragma once

#include <span>

#include "byoc/byoc.hpp"
#include "sdk/ir/graph.hpp"
#include "sdk/partition/partition.hpp"

namespace byoc::api {

// Of a partition of `given`. `model`: what became of it; null where nothing was compiled.
[[nodiscard]] PartitionReport make_report(const ir::Graph& given, std::span<codegen::Codegen* const> codegens,
                                          const TargetSpec& target, const Partition& partition,
                                          const std::vector<RewriteSummary>& rewrites, const ModelInterface* model);

}  // namespace byoc::api
