#include "sdk/program/executor/aot/header.hpp"

#include <algorithm>

#include "byoc/c_text.hpp"
#include "sdk/program/executor/aot/bind.hpp"
#include "sdk/program/executor/aot/error_text.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/aot/header_help.hpp"
#include "sdk/program/executor/aot/hooks.hpp"
#include "sdk/program/executor/aot/levels.hpp"
#include "sdk/program/executor/aot/resume.hpp"
#include "sdk/program/executor/aot/tie.hpp"
#include "sdk/program/executor/template.hpp"
#include "sdk/target/target/compiler_condition.hpp"

namespace byoc::executor {
namespace {

std::string type_text(const IoTensor& t) {
  std::string out(to_string(t.dtype));
  out += '[';
  for (std::size_t i = 0; i < t.dims.size(); ++i) out += (i ? "," : "") + std::to_string(t.dims[i]);
  return out + ']';
}

std::uint64_t elements(const IoTensor& t) {
  std::uint64_t n = 1;
  for (std::int64_t d : t.dims) n *= static_cast<std::uint64_t>(d);
  return n;
}

// Macros for one input or output: bytes, elements, rank, dims and, if it is quantised per tensor, how.
std::string io_constants(const std::string& upper, const char* role, const IoTensor& t) {
  const std::string stem = "#define " + upper + "_" + role + "_" + upper_case(t.field) + "_";
  std::string dims;
  for (std::int64_t d : t.dims) dims += (dims.empty() ? "" : ", ") + std::to_string(d);
  std::string out = "\n/* " + c_comment(t.name) + ": " + type_text(t) + " */\n";
  out += stem + "SIZE " + number(t.bytes) + "\n" + stem + "ELEMENTS " + number(elements(t)) + "\n";
  out += stem + "RANK " + number(t.dims.size()) + "\n";
  if (!t.dims.empty()) out += stem + "DIMS {" + dims + "}\n";
  if (t.align != 0) out += stem + "ALIGN " + number(t.align) + "\n";
  if (t.quantisation.scales.size() == 1) {
    out += stem + "SCALE " + c_float(t.quantisation.scales[0]) + "\n";
    out += stem + "ZERO_POINT (" + std::to_string(t.quantisation.zero_points[0]) + ")\n";
  }
  return out;
}

// The remark in a comment beside the type: ", of dim 1 as many as *y_count says, then zeros".
std::string remark(const std::vector<IoTensor>& tensors, const IoTensor& t) {
  std::string out = t.overwritten ? ", overwritten by the run" : "";
  for (const CountedLength& c : t.counted)
    out += ", of dim " + std::to_string(c.dim) + " as many as *" + tensors[c.output].field + " says, then zeros";
  return out;
}

// The remark for tensor `i` if it is part of a sequence, an optional or strings of the model.
std::string bounded_remark(const ModelInterface& model, bool outputs, std::size_t i) {
  const std::vector<IoTensor>& tensors = outputs ? model.outputs : model.inputs;
  std::string out;
  for (const BoundedValue& b : model.bounded) {
    if (b.is_output != outputs) continue;
    const bool is_element = i >= b.first && i - b.first < b.elements;
    if (is_element && b.is_text())
      out += ", strings of at most " + std::to_string(tensors[i].dims.back() - 1) + " bytes, each ended by a 0";
    if (is_element && b.count) out += ", there if *" + tensors[*b.count].field + " is more than " + number(i - b.first);
    if (is_element && b.given) out += ", there if *" + tensors[*b.given].field + " is not 0";
    if (b.count == i) out += ", how many of " + number(b.elements) + " are there";
    if (b.given == i) out += ", whether it is there";
  }
  return out;
}

std::string io_members(const ModelInterface& model, bool outputs) {
  const std::vector<IoTensor>& tensors = outputs ? model.outputs : model.inputs;
  std::string out;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const IoTensor& t = tensors[i];
    out += std::string("  ") + (t.overwritten || outputs ? "" : "const ") + std::string(c_type(t.dtype)) + " *" +
           t.field + "; /* " + type_text(t) + remark(tensors, t) + bounded_remark(model, outputs, i) + " */\n";
  }
  return out.empty() ? "  char none; /* C wants a member */\n" : out;
}

bool is_stateful(const ModelInterface& model) { return model.instance_bytes != 0; }

// Sizes of the workspaces beside the first, and where their variables go.
std::string workspace_constants(const ModelInterface& model, const std::string& upper) {
  std::string out;
  for (const PoolWorkspace& w : model.further_workspaces) {
    const std::string stem = "#define " + upper + "_WORKSPACE_" + upper_case(w.field) + "_";
    out += "/* The same in memory '" + c_comment(w.pool) + "'; a variable for it belongs into this section. */\n";
    out += stem + "SIZE " + number(w.bytes) + "\n" + stem + "ALIGN " + number(w.align) + "\n";
    out += stem + "SECTION \"" + w.section + "\"\n";
  }
  return out;
}

std::string instance_place(const ModelInterface& model, const std::string& upper) {
  if (!model.instance_place) return {};
  return "/* In memory '" + c_comment(model.instance_place->pool) +
         "'; a variable for it belongs into this section. */\n#define " + upper + "_INSTANCE_SECTION \"" +
         model.instance_place->section + "\"\n";
}

std::string devices(const ModelInterface& model) {
  if (model.devices.empty()) return {};
  const std::string& p = model.prefix;
  // Threads of the program's are known by type.
  const auto is_threads = [](const std::string& d) { return d == "threads"; };
  std::string out = "\n";
  if (std::any_of(model.devices.begin(), model.devices.end(), is_threads)) out += fill_template("threads.h", {}) + "\n";
  out += "/* Handles of devices, as their drivers gave them. */\ntypedef struct " + p + "_devices {\n";
  for (const std::string& d : model.devices)
    out += is_threads(d) ? "  const byoc_threads_t *threads;\n" : "  void *" + d + ";\n";
  return out + "} " + p + "_devices_t;\n\n/* After " + p + "_init, which makes all of them NULL; not while " + p +
         "_run is busy with this instance. */\nvoid " + p + "_set_devices(" + p + "_instance_t *instance, const " + p +
         "_devices_t *devices);\n";
}

// A variable of the example. `align` and `section` are macros or ""; `size` is an expression over macros.
std::string buffer(std::string_view type, const std::string& name, const std::string& size, const std::string& align,
                   const std::string& section = {}) {
  std::string attributes = align.empty() ? "" : "aligned(" + align + ")";
  if (!section.empty()) attributes += (attributes.empty() ? "section(" : ", section(") + section + ")";
  if (!attributes.empty()) attributes = " __attribute__((" + attributes + "))";
  return "static " + std::string(type) + " " + name + "[" + size + "]" + attributes + ";\n";
}

// An array without elements is no C: one of `bytes` 0 has one element.
// `macro` is the stem of the macros of its size and alignment.
std::string workspace(const std::string& name, const std::string& macro, std::uint64_t bytes,
                      const std::string& section = {}) {
  const std::string size = bytes == 0 ? macro + "_SIZE / 8 + 1" : "(" + macro + "_SIZE + 7) / 8";
  return buffer("uint64_t", name, size, macro + "_ALIGN", section);
}

std::string tensor_buffer(const IoTensor& t, const std::string& name, const std::string& macro, bool aligned) {
  const bool packed = bit_width(t.dtype) < 8;
  const std::string size = t.bytes == 0 ? "1" : macro + (packed ? "_SIZE" : "_ELEMENTS");
  return buffer(c_type(t.dtype), name, size, aligned ? macro + "_ALIGN" : "");
}

std::string names(const std::vector<IoTensor>& tensors, const std::string& stem) {
  std::string out;
  for (const IoTensor& t : tensors) out += (out.empty() ? "" : ", ") + stem + t.field;
  return out.empty() ? "0" : out;
}

std::string buffers(const ModelInterface& model, const std::string& upper) {
  std::string out = workspace("workspace", upper + "_WORKSPACE", model.workspace_bytes);
  for (const PoolWorkspace& w : model.further_workspaces) {
    const std::string macro = upper + "_WORKSPACE_" + upper_case(w.field);
    out += workspace("workspace_" + w.field, macro, w.bytes, macro + "_SECTION");
  }
  if (is_stateful(model))
    out += "static " + model.prefix + "_instance_t instance" +
           (model.instance_place ? " __attribute__((section(" + upper + "_INSTANCE_SECTION)))" : "") + ";\n";
  for (const IoTensor& t : model.inputs)
    out += tensor_buffer(t, "input_" + t.field, upper + "_INPUT_" + upper_case(t.field), t.align != 0);
  for (const IoTensor& t : model.outputs)
    out += tensor_buffer(t, "output_" + t.field, upper + "_OUTPUT_" + upper_case(t.field), false);
  return out;
}

// The fields for everything that the header tells callers.
Fields header_fields(const PrintRequest& request) {
  const ModelInterface& model = request.model;
  Fields f = fields_of(request);
  f["CONSTANTS"] = "";
  for (const IoTensor& t : model.inputs) f["CONSTANTS"] += io_constants(f["UPPER"], "INPUT", t);
  for (const IoTensor& t : model.outputs) f["CONSTANTS"] += io_constants(f["UPPER"], "OUTPUT", t);
  f["WORKSPACE_SIZE"] = number(model.workspace_bytes);
  f["WORKSPACE_ALIGN"] = number(model.workspace_align);
  f["FURTHER_WORKSPACES"] = workspace_constants(model, f["UPPER"]);
  f["WORKSPACES"] = further_workspaces(model, ", void *workspace_");
  f["POSITIONS"] = positions_text(model);
  f["CONVERSIONS"] = conversions_text(model);
  f["CHECKS"] = checks_text(request);
  f["INPUTS"] = io_members(model, false);
  f["OUTPUTS"] = io_members(model, true);
  const std::uint64_t words = (model.instance_bytes + 7) / 8;
  f["INSTANCE_WORDS"] = number(words);
  f["INSTANCE_SIZE"] = number(words * 8);
  f["INSTANCE_ALIGN"] = number(model.instance_align);
  // C99 has no word for it; the compilers that know none of this need 8 or less anyway.
  f["INSTANCE_ATTRIBUTE"] =
      model.instance_align > 8 ? " __attribute__((aligned(" + number(model.instance_align) + ")))" : "";
  f["INSTANCE_PLACE"] = instance_place(model, f["UPPER"]);
  f["DEVICES"] = devices(model);
  f["FUNCTIONS"] = fill_template(is_stateful(model) ? "run_stateful.h.in" : "run_stateless.h.in", f) +
                   failures_header_text(request) + bind_header_text(request) + hooks_header_text(request) +
                   levels_header_text(request) + resume_header_text(request);
  return f;
}

std::string target_check(const PrintRequest& request) {
  Fields f = fields_of(request);
  f["CONDITION"] = condition_to_run(request.target);
  return f["CONDITION"].empty() ? "" : fill_template("target_check.h.in", f);
}

}  // namespace

std::string layout_of(const PrintRequest& request) {
  Fields f = header_fields(request);
  for (const char* other : {"VERSION", "TARGET", "GUARD", "TARGET_CHECK", "TIES", "FACTS"}) f[other] = "";
  return layout_hash(request, fill_template("header.h.in", f));
}

// Headers of one layout may stand for each other; two others of one model in a source are refused by the compiler.
void print_header(const PrintRequest& request, Printed& out) {
  const std::string layout = layout_of(request);
  Fields f = header_fields(request);
  f["GUARD"] = "BYOC_MODEL_" + f["UPPER"] + "_" + upper_case(layout) + "_H";
  f["TARGET_CHECK"] = target_check(request);
  f["TIES"] = tie_header_text(request, layout);
  constexpr const char* kMark = "\f";  // no name or text of a model has it: they are identifiers, or in comments
  f["FACTS"] = kMark;
  out.header = fill_template("header.h.in", f);
  out.facts_at = out.header.find(kMark);
  out.header.erase(out.facts_at, 1);
}

std::string example_main_text(const PrintRequest& request) {
  const ModelInterface& model = request.model;
  Fields f = fields_of(request);
  f["BUFFERS"] = buffers(model, f["UPPER"]);
  f["INPUT_NAMES"] = names(model.inputs, "input_");
  f["OUTPUT_NAMES"] = names(model.outputs, "output_");
  f["INIT"] = is_stateful(model) ? "  if (" + model.prefix + "_init(&instance) != 0) return 1;\n" : "";
  f["INSTANCE_ARGUMENT"] = is_stateful(model) ? "&instance, " : "";
  f["WORKSPACES"] = further_workspaces(model, ", workspace_");
  return fill_template("example_main.c.in", f);
}

}  // namespace byoc::executor
