#include "sdk/program/executor/aot/header_help.hpp"

#include <string_view>

#include "byoc/c_text.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/template.hpp"

namespace byoc::executor {
namespace {

struct Role {
  const char* lower;
  const char* upper;
  const std::vector<IoTensor>& tensors;
};

// Integers that one scale converts, and whose limits a float can be compared with.
bool is_converted(const IoTensor& t) {
  return t.quantisation.scales.size() == 1 && !t.quantisation.per_axis() &&
         (t.dtype == DType::i8 || t.dtype == DType::u8 || t.dtype == DType::i16 || t.dtype == DType::u16);
}

std::string limit(const IoTensor& t, bool upper) {
  const unsigned bits = bit_width(t.dtype);
  const bool is_signed = t.dtype == DType::i8 || t.dtype == DType::i16;
  const std::int64_t most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::to_string(upper ? most : is_signed ? -most - 1 : 0);
}

// The macros of a tensor: what behind their stem is the same for each.
std::vector<std::string_view> macros_of(const IoTensor& t) {
  std::vector<std::string_view> out{"SIZE", "ELEMENTS", "RANK"};
  if (!t.dims.empty()) out.emplace_back("DIMS");
  if (t.align != 0) out.emplace_back("ALIGN");
  if (t.quantisation.scales.size() == 1) out.insert(out.end(), {"SCALE", "ZERO_POINT"});
  return out;
}

std::string positions(const ModelInterface& model, const Role& role) {
  const std::string upper = upper_case(model.prefix);
  std::string out;
  for (std::size_t i = 0; i < role.tensors.size(); ++i) {
    const IoTensor& t = role.tensors[i];
    const std::string stem = upper + "_" + role.upper + "_", position = std::to_string(i);
    const std::string own = stem + upper_case(t.field) + "_";
    out += "#define " + model.prefix + "_" + role.lower + "_" + position + " " + t.field + "\n";
    for (const std::string_view macro : macros_of(t))
      out += "#define " + stem + position + "_" + std::string(macro) + " " + own + std::string(macro) + "\n";
  }
  return out;
}

std::string conversions(const ModelInterface& model, const Role& role) {
  std::string out;
  for (std::size_t i = 0; i < role.tensors.size(); ++i) {
    const IoTensor& t = role.tensors[i];
    if (!is_converted(t)) continue;
    out += fill_template("conversion.h.in",
                         {{"PREFIX", model.prefix},
                          {"ROLE", role.lower},
                          {"POSITION", std::to_string(i)},
                          {"TYPE", std::string(c_type(t.dtype))},
                          {"LEAST", limit(t, false)},
                          {"MOST", limit(t, true)},
                          {"STEM", upper_case(model.prefix) + "_" + role.upper + "_" + upper_case(t.field)}});
  }
  return out;
}

// Statements that end a checked run for each buffer that cannot be right.
std::string checks(const ModelInterface& model, const Role& role) {
  std::string out;
  for (const IoTensor& t : role.tensors) {
    const std::string pointer = std::string(role.lower) + "s->" + t.field;
    const std::string stem = upper_case(model.prefix) + "_" + role.upper + "_" + upper_case(t.field);
    const std::string align = t.align != 0 ? stem + "_ALIGN" : "sizeof(*" + pointer + ")";
    out += "  if (!" + pointer + ") return BYOC_CHECK_NULL;\n";
    out += "  if (BYOC_ADDRESS(" + pointer + ") % " + align + " != 0) return BYOC_CHECK_ALIGNMENT;\n";
    if (t.bytes != 0 && model.workspace_bytes != 0)
      out += "  if (BYOC_ADDRESS(" + pointer + ") < BYOC_ADDRESS(workspace) + " + upper_case(model.prefix) +
             "_WORKSPACE_SIZE &&\n      BYOC_ADDRESS(workspace) < BYOC_ADDRESS(" + pointer + ") + " + stem +
             "_SIZE)\n    return BYOC_CHECK_OVERLAP;\n";
  }
  return out;
}

}  // namespace

std::string positions_text(const ModelInterface& model) {
  const std::string all =
      positions(model, {"input", "INPUT", model.inputs}) + positions(model, {"output", "OUTPUT", model.outputs});
  return all.empty() ? all
                     : "\n/* Members and macros by position, which stay when the model's tensors are renamed: "
                       "inputs." +
                           model.prefix + "_input_0 = buffer. */\n" + all;
}

std::string conversions_text(const ModelInterface& model) {
  const std::string all =
      conversions(model, {"input", "INPUT", model.inputs}) + conversions(model, {"output", "OUTPUT", model.outputs});
  return all.empty() ? all
                     : "/* Conversions of one element. Reals are rounded to the nearest integer, halves away from "
                       "zero, and what is "
                       "beyond\n * the type's limits becomes the limit; what is no number becomes the lower one. */\n" +
                           fill_template("convert.h.in", {}) + all + "\n";
}

std::string checks_text(const PrintRequest& request) {
  const ModelInterface& model = request.model;
  const bool is_stateful = model.instance_bytes != 0;
  Fields f = fields_of(request);
  f["INSTANCE_PARAMETER"] = is_stateful ? model.prefix + "_instance_t *instance, " : "";
  f["INSTANCE_ARGUMENT"] = is_stateful ? "instance, " : "";
  f["INSTANCE_CHECK"] = is_stateful ? "  if (!instance) return BYOC_CHECK_NULL;\n" : "";
  f["WORKSPACES"] = further_workspaces(model, ", void *workspace_");
  f["WORKSPACE_ARGUMENTS"] = further_workspaces(model, ", workspace_");
  std::string& own = f["BUFFER_CHECKS"];
  if (model.workspace_bytes != 0) own += "  if (!workspace) return BYOC_CHECK_NULL;\n";
  own += "  if (BYOC_ADDRESS(workspace) % " + f["UPPER"] + "_WORKSPACE_ALIGN != 0) return BYOC_CHECK_ALIGNMENT;\n";
  for (const PoolWorkspace& w : model.further_workspaces) {
    own += "  if (!workspace_" + w.field + ") return BYOC_CHECK_NULL;\n";
    own += "  if (BYOC_ADDRESS(workspace_" + w.field + ") % " + f["UPPER"] + "_WORKSPACE_" + upper_case(w.field) +
           "_ALIGN != 0) return BYOC_CHECK_ALIGNMENT;\n";
  }
  own += checks(model, {"input", "INPUT", model.inputs}) + checks(model, {"output", "OUTPUT", model.outputs});
  return fill_template("checks.h.in", f);
}

}  // namespace byoc::executor
