#include "sdk/executor/aot.hpp"

#include <algorithm>

#include "byoc/c_text.hpp"
#include "sdk/executor/interface_of.hpp"
#include "sdk/executor/template.hpp"

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
  if (t.quantisation.scales.size() == 1) {
    out += stem + "SCALE " + c_float(t.quantisation.scales[0]) + "\n";
    out += stem + "ZERO_POINT (" + std::to_string(t.quantisation.zero_points[0]) + ")\n";
  }
  return out;
}

std::string io_members(const std::vector<IoTensor>& tensors, const char* qualifier) {
  std::string out;
  for (const IoTensor& t : tensors)
    out += std::string("  ") + qualifier + std::string(c_type(t.dtype)) + " *" + t.field + "; /* " + type_text(t) +
           " */\n";
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
    f["CONSTANTS"] = constants;
    f["INPUTS"] = io_members(model_.inputs, "const ");
    f["OUTPUTS"] = io_members(model_.outputs, "");
    f["INSTANCE_WORDS"] = number((model_.instance_bytes + 7) / 8);
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
    for (const plugin::Step& s : request_.compilation.steps) f["STEPS"] += prototype(s) + ";\n";
    for (const plugin::InstanceArtifact& i : request_.compilation.instances)
      for (const std::string& symbol : {i.decl.init, i.decl.reset, i.decl.deinit})
        if (!symbol.empty()) f["STEPS"] += "int32_t " + symbol + "(void *instance);\n";
    return fill_template("internal.h.in", f);
  }

  std::string root() const {
    Fields f = common_;
    f["INSTANCE_PARAMETER"] = stateful() ? request_.prefix + "_instance_t *instance, " : "";
    f["LIFECYCLE"] = stateful() ? lifecycle() : "";
    for (std::size_t s = 0; s < request_.compilation.steps.size(); ++s) f["CALLS"] += call(s);
    f["CALLS"] += "";
    for (const OutputCopy& c : request_.schedule.copies)
      f["COPIES"] += "  memcpy(outputs->" + model_.outputs[c.output].field + ", " + source(c.source) + ", " +
                     number(model_.outputs[c.output].bytes) + ");\n";
    f["COPIES"] += "";
    return fill_template("root.c.in", f);
  }

  std::string example_main() const {
    Fields f = common_;
    std::string buffers = buffer("uint64_t", "workspace", std::max<std::uint64_t>((model_.workspace_bytes + 7) / 8, 1),
                                 model_.workspace_align > 8 ? model_.workspace_align : 0);
    if (stateful()) buffers += "static " + request_.prefix + "_instance_t instance;\n";
    for (const IoTensor& t : model_.inputs) buffers += buffer(c_type(t.dtype), "input_" + t.field, elements(t), 0);
    for (const IoTensor& t : model_.outputs) buffers += buffer(c_type(t.dtype), "output_" + t.field, elements(t), 0);
    f["BUFFERS"] = buffers;
    f["INPUT_NAMES"] = names(model_.inputs, "input_");
    f["OUTPUT_NAMES"] = names(model_.outputs, "output_");
    f["INIT"] = stateful() ? "  if (" + request_.prefix + "_init(&instance) != 0) return 1;\n" : "";
    f["INSTANCE_ARGUMENT"] = stateful() ? "&instance, " : "";
    return fill_template("example_main.c.in", f);
  }

 private:
  bool stateful() const { return model_.instance_bytes != 0; }

  static std::string buffer(std::string_view type, const std::string& name, std::uint64_t count, std::uint32_t align) {
    const std::string attribute = align ? " __attribute__((aligned(" + number(align) + ")))" : "";
    return "static " + std::string(type) + " " + name + "[" + number(std::max<std::uint64_t>(count, 1)) + "]" +
           attribute + ";\n";
  }

  static std::string names(const std::vector<IoTensor>& tensors, const std::string& stem) {
    std::string out;
    for (const IoTensor& t : tensors) out += (out.empty() ? "" : ", ") + stem + t.field;
    return out.empty() ? "0" : out;
  }

  std::string operand_type(const plugin::StepOperand& o) const {
    return o.value == ir::kNoValue ? "void" : std::string(c_type(request_.graph.values[o.value].type.dtype));
  }

  // The fixed order: instance, inputs, outputs, workspaces.
  std::string prototype(const plugin::Step& step) const {
    std::string parameters = step.decl.uses_instance ? "void *instance" : "";
    auto add = [&](const std::string& p) { parameters += (parameters.empty() ? "" : ", ") + p; };
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
      add("const " + operand_type(step.inputs[i]) + " *in" + number(i));
    for (std::size_t i = 0; i < step.outputs.size(); ++i) add(operand_type(step.outputs[i]) + " *out" + number(i));
    for (std::size_t i = 0; i < step.decl.workspaces.size(); ++i) add("void *ws" + number(i));
    return "int32_t " + step.decl.symbol + "(" + (parameters.empty() ? "void" : parameters) + ")";
  }

  std::string address(const Location& at, const std::string& type, bool is_const) const {
    const std::string cast = std::string("(") + (is_const ? "const " : "") + type + " *)";
    if (at.place == Place::workspace) return cast + "(void *)(ws + " + number(at.offset) + ")";
    const IoTensor& t = at.place == Place::input ? model_.inputs[at.index] : model_.outputs[at.index];
    return cast + (is_const ? "(const void *)" : "(void *)") + (at.place == Place::input ? "inputs->" : "outputs->") +
           t.field;
  }

  std::string argument(const plugin::StepOperand& o, bool is_const) const {
    const Location& at = o.value == ir::kNoValue ? request_.schedule.private_values[o.private_value]
                                                 : request_.schedule.values[request_.schedule.storage[o.value]];
    return address(at, operand_type(o), is_const);
  }

  std::string call(std::size_t s) const {
    const plugin::Step& step = request_.compilation.steps[s];
    std::string arguments = step.decl.uses_instance ? instance_of(step.codegen) : "";
    auto add = [&](const std::string& a) { arguments += (arguments.empty() ? "" : ", ") + a; };
    for (const plugin::StepOperand& o : step.inputs) add(argument(o, true));
    for (const plugin::StepOperand& o : step.outputs) add(argument(o, false));
    for (std::uint64_t offset : request_.schedule.workspaces[s]) add("ws + " + number(offset));
    return "  status = " + step.decl.symbol + "(" + arguments + ");\n  if (status != 0) return status;\n  TRACE(" +
           number(s) + ");\n";
  }

  std::string source(ir::ValueId v) const {
    if (const auto c = request_.compilation.output_constants.find(v); c != request_.compilation.output_constants.end())
      return c->second;
    return address(request_.schedule.values[v], "void", true);
  }

  // Codegens' instances lie one after the other in the caller's.
  std::string instance_of(const std::string& codegen) const {
    std::uint64_t offset = 0;
    for (const plugin::InstanceArtifact& i : request_.compilation.instances) {
      offset = (offset + i.decl.align - 1) / i.decl.align * i.decl.align;
      if (i.codegen == codegen) break;
      offset += i.decl.bytes;
    }
    return "(uint8_t *)instance + " + number(offset);
  }

  std::string lifecycle() const {
    std::string out;
    const std::pair<const char*, std::string codegen::Instance::*> phases[] = {{"init", &codegen::Instance::init},
                                                                               {"reset", &codegen::Instance::reset},
                                                                               {"deinit", &codegen::Instance::deinit}};
    for (const auto& [phase, symbol] : phases) {
      out += "\nint32_t " + request_.prefix + "_" + phase + "(" + request_.prefix + "_instance_t *instance) {\n";
      out += "  int32_t status = 0;\n  (void)instance;\n";
      for (const plugin::InstanceArtifact& i : request_.compilation.instances)
        if (!(i.decl.*symbol).empty())
          out +=
              "  status = " + i.decl.*symbol + "(" + instance_of(i.codegen) + ");\n  if (status != 0) return status;\n";
      out += "  return status;\n}\n";
    }
    return out;
  }

  const AotRequest& request_;
  const ModelInterface& model_;
  Fields common_;
};

}  // namespace

AotModule make_aot(const AotRequest& request) {
  AotModule out;
  out.interface = interface_of(request);
  const Writer writer(request, out.interface);
  out.root = writer.root();
  out.header = writer.header();
  out.internal_header = writer.internal_header();
  out.example_main = writer.example_main();
  return out;
}

void add_output_constants(const ir::Graph& graph, const std::string& prefix, NameTable& names,
                          plugin::Compilation& compilation) {
  for (ir::ValueId v : graph.outputs) {
    // An alias that leads back to itself is the scheduler's to report.
    for (std::size_t hops = 0; compilation.aliases.contains(v) && hops < graph.values.size(); ++hops)
      v = compilation.aliases[v];
    if (!graph.is_constant(v) || compilation.output_constants.contains(v)) continue;
    plugin::ConstantArtifact c;
    c.decl.symbol = names.claim(prefix + "_output");
    c.decl.element = graph.values[v].type.dtype;
    c.decl.align = 8;
    c.bytes = graph.values[v].constant->bytes;
    c.codegen = "aot";
    compilation.output_constants.emplace(v, c.decl.symbol);
    compilation.constants.push_back(std::move(c));
  }
}

}  // namespace byoc::executor
