#include "sdk/program/executor/aot/bind.hpp"

#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/template.hpp"

namespace byoc::executor {
namespace {

Fields bind_fields(const PrintRequest& request) {
  Fields f = fields_of(request);
  f["BOUND_BYTES"] = number(request.bound->bytes);
  f["BOUND_ALIGN"] = number(request.bound->align);
  std::string& layout = f["LAYOUT"];
  for (const std::uint8_t byte : request.bound->layout) layout += (layout.empty() ? "" : ", ") + number(byte);
  return f;
}

}  // namespace

std::string bind_header_text(const PrintRequest& request) {
  return request.bound == nullptr ? "" : fill_template("bind.h.in", bind_fields(request));
}

std::string bind_text(const PrintRequest& request) { return fill_template("bind.c.in", bind_fields(request)); }

std::string check_bound(const PrintRequest& request) {
  if (request.bound == nullptr) return {};
  return "  if (" + request.model.prefix + "_weights_base == NULL) return BYOC_WEIGHTS_UNBOUND;\n";
}

}  // namespace byoc::executor
