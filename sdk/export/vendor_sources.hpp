// The check of C source that codegens hand over: what it is held against, and what becomes of what it finds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/export/export.hpp"
#include "sdk/library/compile/check/source_check.hpp"

namespace byoc {

// For each codegen that is not part of byoc. `prototypes` are those of entry points, by symbol.
// Floating point is out of place where the target does it in software and no step of the codegen has a floating-point
// operand of that width.
[[nodiscard]] std::map<std::string, compile::SourceRules> source_rules(
    const ir::Graph& graph, const plugin::Compilation& compilation, const Job& job,
    const std::map<std::string, std::string>& prototypes);

struct VendorFindings {
  std::string codegen;
  std::vector<compile::SourceFinding> findings;
};

// Reports the findings, as warnings or as errors. A definition in another member of the library is no finding; nor is a
// function that a header declares if its codegen names a link library.
Result<void> report_findings(const std::vector<VendorFindings>& all, const plugin::Compilation& compilation,
                             const std::vector<LibraryMember>& members, CheckSources level, Diagnostics& diags);

}  // namespace byoc
