#include "sdk/executor/aot.hpp"

#include <algorithm>

#include "byoc/c_text.hpp"
#include "sdk/executor/interface_of.hpp"
#include "sdk/executor/root.hpp"
#include "sdk/executor/step_table.hpp"
#include "sdk/executor/template.hpp"
#include "sdk/ir/control.hpp"
#include "sdk/plan/control.hpp"

#ifndef BYOC_VERSION
#error "the build defines BYOC_VERSION"
#endif

namespace byoc::executor {
namespace {

using Fields = std::map<std::string, std::string>;

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string number(std::uint64_t n) { return std::to_string(n); }

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

std::string io_members(const std::vector<IoTensor>& tensors, const char* qualifier) {
  std::string out;
  for (const IoTensor& t : tensors)
    out += std::string("  ") + (t.overwritten ? "" : qualifier) + std::string(c_type(t.dtype)) + " *" + t.field +
           "; /* " + type_text(t) + (t.overwritten ? ", overwritten by the run" : "") + " */\n";
  return out.empty() ? "  char none; /* C wants a member */\n" : out;
}

class Writer {
 public:
  Writer(const AotRequest& request, const ModelInterface& model) : request_(request), model_(model) {
    common_ = {{"TITLE", c_comment(model.name)},
               {"VERSION", BYOC_VERSION},
               {"TARGET", c_comment(request.target.name)},
               {"PREFIX", request.prefix},
               {"UPPER", upper_case(request.prefix)},
               {"HEADER", request.header},
               {"INTERNAL_HEADER", request.internal_header}};
  }

  std::string header() const {
    Fields f = common_;
    std::string constants;
    for (const IoTensor& t : model_.inputs) constants += io_constants(f["UPPER"], "INPUT", t);
    for (const IoTensor& t : model_.outputs) constants += io_constants(f["UPPER"], "OUTPUT", t);
    f["GUARD"] = "BYOC_MODEL_" + f["UPPER"] + "_H";
    f["WORKSPACE_SIZE"] = number(model_.workspace_bytes);
    f["WORKSPACE_ALIGN"] = number(model_.workspace_align);
    f["FURTHER_WORKSPACES"] = further_workspaces(f["UPPER"]);
    f["WORKSPACES"] = workspaces(", void *workspace_");
    f["CONSTANTS"] = constants;
    f["INPUTS"] = io_members(model_.inputs, "const ");
    f["OUTPUTS"] = io_members(model_.outputs, "");
    f["INSTANCE_WORDS"] = number(instance_words());
    f["INSTANCE_SIZE"] = number(instance_words() * 8);
    f["INSTANCE_ALIGN"] = number(model_.instance_align);
    // C99 has no word for it; the compilers that know none of this need 8 or less anyway.
    f["INSTANCE_ATTRIBUTE"] =
        model_.instance_align > 8 ? " __attribute__((aligned(" + number(model_.instance_align) + ")))" : "";
    f["FUNCTIONS"] = fill_template(stateful() ? "run_stateful.h.in" : "run_stateless.h.in", f);
    return fill_template("header.h.in", f);
  }

  std::string internal_header() const {
    Fields f = common_;
    f["GUARD"] = "BYOC_INTERNAL_" + f["UPPER"] + "_H";
    for (const auto& [symbol, name] : request_.kernel_names) f["KERNELS"] += "#define " + symbol + " " + name + "\n";
    f["KERNELS"] += "";
    for (const plugin::ConstantArtifact& c : request_.compilation.constants) {
      const std::uint64_t count = c.bytes.size() * 8 / std::max(bit_width(c.decl.element), 8u);
      f["CONSTANTS"] += "extern const " + std::string(c_type(c.decl.element)) + " " + c.decl.symbol + "[" +
                        number(std::max<std::uint64_t>(count, 1)) + "];\n";
    }
    f["CONSTANTS"] += "";
    f["STEPS"] += "";
    f["STEPS"] += step_prototypes(request_);
    for (const plugin::InstanceArtifact& i : request_.compilation.instances)
      for (const std::string& symbol : {i.decl.init, i.decl.reset, i.decl.deinit})
        if (!symbol.empty()) f["STEPS"] += "int32_t " + symbol + "(void *instance);\n";
    return fill_template("internal.h.in", f);
  }

  std::string root() const {
    Fields f = common_;
    const RootText text = root_text(request_, model_);
    f["INSTANCE_PARAMETER"] = stateful() ? request_.prefix + "_instance_t *instance, " : "";
    f["INSTANCE_UNUSED"] = stateful() ? "  (void)instance;\n" : "";
    f["WORKSPACES"] = workspaces(", void *workspace_");
    f["BASES"] = text.bases;
    f["BASES_UNUSED"] = text.bases_unused;
    f["FUNCTIONS"] = text.functions;
    f["LIFECYCLE"] = stateful() ? text.lifecycle : "";
    f["CALLS"] = text.calls;
    f["COPIES"] = text.copies;
    return fill_template("root.c.in", f);
  }

  std::string example_main() const {
    Fields f = common_;
    std::string buffers = workspace("workspace", model_.workspace_bytes, model_.workspace_align, {});
    for (const PoolWorkspace& w : model_.further_workspaces)
      buffers += workspace("workspace_" + w.field, w.bytes, w.align,
                           f["UPPER"] + "_WORKSPACE_" + upper_case(w.field) + "_SECTION");
    if (stateful()) buffers += "static " + request_.prefix + "_instance_t instance;\n";
    for (const IoTensor& t : model_.inputs)
      buffers += buffer(c_type(t.dtype), "input_" + t.field, elements(t), t.align);
    for (const IoTensor& t : model_.outputs) buffers += buffer(c_type(t.dtype), "output_" + t.field, elements(t), 0);
    f["BUFFERS"] = buffers;
    f["INPUT_NAMES"] = names(model_.inputs, "input_");
    f["OUTPUT_NAMES"] = names(model_.outputs, "output_");
    f["INIT"] = stateful() ? "  if (" + request_.prefix + "_init(&instance) != 0) return 1;\n" : "";
    f["INSTANCE_ARGUMENT"] = stateful() ? "&instance, " : "";
    f["WORKSPACES"] = workspaces(", workspace_");
    return fill_template("example_main.c.in", f);
  }

 private:
  bool stateful() const { return model_.instance_bytes != 0; }
  std::uint64_t instance_words() const { return (model_.instance_bytes + 7) / 8; }

  // Sizes of those beside the first, and where their variables go.
  std::string further_workspaces(const std::string& upper) const {
    std::string out;
    for (const PoolWorkspace& w : model_.further_workspaces) {
      const std::string stem = "#define " + upper + "_WORKSPACE_" + upper_case(w.field) + "_";
      out += "/* The same in memory '" + c_comment(w.pool) + "'; a variable for it belongs into this section. */\n";
      out += stem + "SIZE " + number(w.bytes) + "\n" + stem + "ALIGN " + number(w.align) + "\n";
      out += stem + "SECTION \"" + w.section + "\"\n";
    }
    return out;
  }

  // All but the first: each with `before` in front of its field.
  std::string workspaces(const std::string& before) const {
    std::string out;
    for (const PoolWorkspace& w : model_.further_workspaces) out += before + w.field;
    return out;
  }

  static std::string workspace(const std::string& name, std::uint64_t bytes, std::uint32_t align,
                               const std::string& section) {
    return buffer("uint64_t", name, (bytes + 7) / 8, align > 8 ? align : 0, section);
  }

  static std::string buffer(std::string_view type, const std::string& name, std::uint64_t count, std::uint32_t align,
                            const std::string& section = {}) {
    std::string attributes = align ? "aligned(" + number(align) + ")" : "";
    if (!section.empty()) attributes += (attributes.empty() ? "section(" : ", section(") + section + ")";
    if (!attributes.empty()) attributes = " __attribute__((" + attributes + "))";
    return "static " + std::string(type) + " " + name + "[" + number(std::max<std::uint64_t>(count, 1)) + "]" +
           attributes + ";\n";
  }

  static std::string names(const std::vector<IoTensor>& tensors, const std::string& stem) {
    std::string out;
    for (const IoTensor& t : tensors) out += (out.empty() ? "" : ", ") + stem + t.field;
    return out.empty() ? "0" : out;
  }

  const AotRequest& request_;
  const ModelInterface& model_;
  Fields common_;
};

}  // namespace

std::string steps_header() { return fill_template("steps.h", {}); }

AotModule make_aot(const AotRequest& request) {
  AotModule out;
  out.interface = interface_of(request);
  const Writer writer(request, out.interface);
  out.root = writer.root();
  out.header = writer.header();
  out.internal_header = writer.internal_header();
  out.example_main = writer.example_main();
  out.step_table = step_table_text(request, out.interface);
  return out;
}

}  // namespace byoc::executor
