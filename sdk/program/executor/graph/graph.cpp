#include "sdk/program/executor/graph/graph.hpp"

#include <algorithm>
#include <span>

#include "byoc/c_text.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/graph/graph_of_program.hpp"
#include "sdk/program/executor/template.hpp"
#include "sdk/program/graphjson/params.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace byoc::executor {
namespace {

// Headers that a source with these functions includes.
constexpr const char* kHeaders[] = {"packed.h", "dlpack.h"};

std::string pointer(const plan::Operand& o, bool is_const, std::size_t at) {
  const std::string type = o.dtype == DType::undefined ? "void" : std::string(c_type(o.dtype));
  return std::string(is_const ? "(const " : "(") + type + " *)at[" + number(at) + "]";
}

// The step's own order: instance, inputs, outputs, workspaces.
std::string arguments(const PackedFunction& f) {
  const plan::Call& call = *f.call;
  std::string out;
  const auto add = [&](const std::string& a) { out += (out.empty() ? "" : ", ") + a; };
  if (call.uses_instance) add("(char *)at[" + number(call.inputs.size()) + "] + " + number(call.instance_offset));
  for (std::size_t i = 0; i < call.inputs.size(); ++i) add(pointer(call.inputs[i], true, i));
  std::size_t next = call.inputs.size() + (call.uses_instance ? 1 : 0) + f.previous;
  for (const plan::Operand& o : call.outputs) add(pointer(o, false, next++));
  for (std::size_t w = 0; w < call.workspaces.size(); ++w) add("at[" + number(next++) + "]");
  return out;
}

std::string sizes_text(const PackedFunction& f) {
  std::string out;
  for (const std::uint64_t s : f.sizes) out += std::string(out.empty() ? "" : ", ") + "UINT64_C(" + number(s) + ")";
  return out.empty() ? "0" : out;
}

std::string functions_text(const PrintRequest& request, const std::vector<PackedFunction>& functions) {
  Fields f = fields_of(request);
  f["FUNCTIONS"] = functions.empty() ? "" : fill_template("packed_take.c.in", {});
  for (const PackedFunction& p : functions)
    f["FUNCTIONS"] += fill_template("packed_function.c.in", {{"FUNCTION", p.name},
                                                             {"SIZES", sizes_text(p)},
                                                             {"COUNT", number(p.sizes.size())},
                                                             {"STEP", p.call->step.symbol},
                                                             {"ARGUMENTS", arguments(p)}});
  return fill_template("packed.c.in", f);
}

std::string header_text(const PrintRequest& request, const std::vector<PackedFunction>& functions) {
  Fields f = fields_of(request);
  f["GUARD"] = f["UPPER"] + "_H";
  f["PROTOTYPES"] = "";
  for (const PackedFunction& p : functions)
    f["PROTOTYPES"] += "int32_t " + p.name + "(byoc_packed_value_t *args, int32_t *codes, int32_t count,\n" +
                       "    byoc_packed_value_t *result, int32_t *result_code, void *resource);\n";
  return fill_template("packed.h.in", f);
}

std::string example_text(const PrintRequest& request, const std::vector<PackedFunction>& functions) {
  Fields f = fields_of(request);
  if (functions.empty() || functions[0].sizes.empty()) return fill_template("empty_main.c.in", f);
  const PackedFunction& first = functions[0];
  f["FUNCTION"] = first.name;
  f["COUNT"] = number(first.sizes.size());
  f["SIZES"] = sizes_text(first);
  f["LARGEST"] = number(*std::max_element(first.sizes.begin(), first.sizes.end()) / 8 + 1);
  return fill_template("packed_main.c.in", f);
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Module opaque(const std::string& name, std::string_view loader, std::vector<std::byte> bytes) {
  return {.content = LoaderData{std::string(loader)}, .name = name, .bytes = Blob::own(std::move(bytes))};
}

// Constants that the program itself reads, and states as they are at the start.
std::vector<std::byte> params_of(const PrintRequest& request, const GraphJson& graph) {
  std::vector<Param> params;
  const auto add = [&](const std::string& name, std::span<const std::byte> bytes) {
    for (std::uint32_t n : graph.arguments)
      if (graph.nodes[n].name == name) {
        const GraphJsonEntry& e = graph.entries[graph.first_entry[n]];
        params.push_back({name, e.type, e.shape, bytes});
      }
  };
  const plan::Program& program = request.program;
  for (const std::string& c : program.constants)
    if (const auto found = request.constants.find(c); found != request.constants.end()) add(c, found->second.bytes());
  std::vector<std::vector<std::byte>> filled(program.instance.states.size());
  for (std::size_t i = 0; i < filled.size(); ++i) {
    const plan::InitialState& s = program.instance.states[i];
    filled[i].assign(s.bytes, std::byte{s.fill});
    const std::span<const std::byte> bytes =
        s.constant ? request.constants.at(program.constants[*s.constant]).bytes() : filled[i];
    add("state_" + number(i), bytes.first(s.bytes));
  }
  return write_params(std::move(params));
}

class Graph : public Executor {
 public:
  [[nodiscard]] std::string name() const override { return "graph"; }

  Result<Printed> print(const PrintRequest& request, Diagnostics& diags) const override {
    if (!request.target.hosted)
      return diags.error(request.program.file, request.target.name,
                         "executor 'graph' is for targets with an operating system", "bare metal", "--executor aot");
    auto graph = graph_of(request, diags);
    if (!graph) return failure;
    Printed out;
    out.header = header_text(request, graph->functions);
    out.example_main = example_text(request, graph->functions);
    for (const std::string name : kHeaders) out.headers["byoc/rt/" + name] = kLicenceLine + fill_template(name, {});
    Module root{.name = request.model.prefix};
    root.bytes = Blob::own(bytes_of(functions_text(request, graph->functions)));
    for (const PackedFunction& f : graph->functions) root.symbols.push_back({f.name});
    out.modules.push_back(std::move(root));
    const std::string& prefix = request.model.prefix;
    out.modules.push_back(opaque(prefix + "_graph", kGraphLoader, bytes_of(write_graph_json(graph->json))));
    out.modules.push_back(opaque(prefix + "_params", kParamsLoader, params_of(request, graph->json)));
    return out;
  }
};

}  // namespace

const Executor& graph() {
  static const Graph executor;
  return executor;
}

}  // namespace byoc::executor
