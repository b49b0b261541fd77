#include "sdk/program/executor/aot/fields.hpp"

#include "byoc/c_text.hpp"

#ifndef BYOC_VERSION
#error "the build defines BYOC_VERSION"
#endif

namespace byoc::executor {

std::string number(std::uint64_t n) { return std::to_string(n); }

Fields fields_of(const PrintRequest& request) {
  return {{"TITLE", c_comment(request.model.name)},    {"VERSION", BYOC_VERSION},
          {"TARGET", c_comment(request.target.name)},  {"PREFIX", request.model.prefix},
          {"UPPER", upper_case(request.model.prefix)}, {"HEADER", request.header},
          {"INTERNAL_HEADER", request.internal_header}};
}

std::string further_workspaces(const ModelInterface& model, const std::string& before) {
  std::string out;
  for (const PoolWorkspace& w : model.further_workspaces) out += before + w.field;
  return out;
}

}  // namespace byoc::executor
