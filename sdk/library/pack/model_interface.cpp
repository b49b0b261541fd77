#include "sdk/library/pack/model_interface.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "sdk/library/pack/templates.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {
namespace {

using Fields = std::map<std::string, std::string>;

std::vector<std::string> fields_of(const std::vector<IoTensor>& tensors) {
  std::vector<std::string> out;
  for (const IoTensor& t : tensors) out.push_back(t.field);
  return out;
}

std::string join(const std::vector<std::string>& names, const std::string& before) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + before + n;
  return out;
}

// One list of parameters for inputs and outputs, so that an input and an output of one name differ.
std::string parameters(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  std::string out = join(inputs, "void *in_");
  const std::string more = join(outputs, "void *out_");
  if (!out.empty() && !more.empty()) out += ", ";
  out += more;
  return out.empty() ? "void" : out;
}

std::string members(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += "  void *" + n + ";\n";
  return out.empty() ? "  char none; /* C wants a member */\n" : out;
}

std::string assignments(const std::string& to, const std::string& from, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names)
    out.append("  ").append(to).append(n).append(" = ").append(from).append(n) += ";\n";
  return out;
}

void add_sizes(Fields& f, const std::vector<std::string>& fields, const std::string& role, const std::string& upper) {
  for (const std::string& name : fields) {
    const std::string field = upper_case(name);
    f["SIZES"] += "#define TVMGEN_" + upper + "_" + field + "_SIZE " + upper + role + field + "_SIZE\n";
  }
}

std::string buffer(const std::string& name, const std::string& stem, const std::string& section = {}) {
  return "static uint8_t " + name + "[" + stem + "_SIZE > 0 ? " + stem + "_SIZE : 1] __attribute__((aligned(" + stem +
         "_ALIGN)" + (section.empty() ? "" : ", section(" + section + ")") + "));\n";
}

// The program's handles, in the order of <model>_set_devices().
void add_devices(Fields& f, const std::vector<std::string>& devices, const std::string& name) {
  if (devices.empty()) return;
  f["DEVICES"] = "/* Handles of devices, as their drivers gave them. */\nstruct tvmgen_" + name + "_devices {\n" +
                 members(devices) + "};\n";
  f["DEVICES_PARAMETER"] = ", struct tvmgen_" + name + "_devices *devices";
  f["SET_DEVICES"] = "  " + name + "_devices_t handles;\n" + f["START"] +
                     assignments("handles.", "devices->", devices) + "  " + name +
                     "_set_devices(&instance, &handles);\n";
}

void add_memory(Fields& f, const ModelInterface& m, const std::string& name, const std::string& upper) {
  f["BUFFERS"] = buffer("workspace", upper + "_WORKSPACE");
  for (const PoolWorkspace& w : m.further_workspaces) {
    const std::string stem = upper + "_WORKSPACE_" + upper_case(w.field);
    f["BUFFERS"] += buffer("workspace_" + w.field, stem, stem + "_SECTION");
    f["WORKSPACES"] += ", workspace_" + w.field;
    f["POOLS"] += "#define TVMGEN_" + upper + "_" + upper_case(w.field) + "_WORKSPACE_POOL_SIZE " + stem + "_SIZE\n";
  }
  if (m.instance_bytes == 0) return;
  f["BUFFERS"] += "static " + name + "_instance_t instance" +
                  (m.instance_place ? " __attribute__((section(" + upper + "_INSTANCE_SECTION)))" : "") +
                  ";\nstatic int started;\n";
  f["START"] = "  if (!started) {\n    const int32_t status = " + name +
               "_init(&instance);\n    if (status != 0) return status;\n    started = 1;\n  }\n";
  f["INSTANCE"] = "&instance, ";
  add_devices(f, m.devices, name);
  f["STATE"] = "; what it keeps for the next run is there, too";
}

}  // namespace

ModelInterfaceText make_model_interface(const std::string& name, const std::string& header_name,
                                        const LibraryDescription* description) {
  const ModelInterface none, &m = description == nullptr ? none : description->interface;
  const std::vector<std::string> inputs = fields_of(m.inputs), outputs = fields_of(m.outputs);
  const std::string upper = upper_case(name);
  Fields f{{"NAME", name}, {"UPPER", upper}, {"HEADER", header_name}, {"FILE", lower_case(name)}};
  for (const char* empty : {"SIZES", "POOLS", "WORKSPACES", "START", "INSTANCE", "STATE", "UNUSED", "RESET", "DEVICES",
                            "DEVICES_PARAMETER", "SET_DEVICES"})
    f[empty];
  add_sizes(f, inputs, "_INPUT_", upper);
  add_sizes(f, outputs, "_OUTPUT_", upper);
  add_memory(f, m, name, upper);
  f["INPUTS"] = members(inputs);
  f["OUTPUTS"] = members(outputs);
  f["PARAMETERS"] = parameters(inputs, outputs);
  f["SET"] = assignments("in.", "in_", inputs) + assignments("out.", "out_", outputs);
  const std::string in = join(inputs, "inputs->"), out = join(outputs, "outputs->");
  f["ARGUMENTS"] = in + (in.empty() || out.empty() ? "" : ", ") + out;
  if (inputs.empty()) f["UNUSED"] += "  (void)inputs;\n";
  if (outputs.empty()) f["UNUSED"] += "  (void)outputs;\n";
  const bool keeps = !f["START"].empty();
  if (keeps) f["RESET"] = "/* Starts a new sequence. */\nint32_t tvmgen_" + name + "_reset(void);\n";
  ModelInterfaceText made;
  if (description == nullptr || description->executor != "aot") {
    made.header = fill_template(pack_templates(), "tvmgen_kernels.h.in", f);
    return made;
  }
  made.header = fill_template(pack_templates(), "tvmgen.h.in", f);
  if (keeps) f["RESET"] = fill_template(pack_templates(), "tvmgen_reset.c.in", f);
  made.source = fill_template(pack_templates(), "tvmgen.c.in", f);
  return made;
}

}  // namespace byoc
