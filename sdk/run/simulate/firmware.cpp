#include "sdk/run/simulate/firmware.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>

namespace byoc {
namespace {

std::uint64_t extent(const StoredTensor& t) {
  if (t.strides.empty()) return t.bytes;
  assert(t.strides.size() == t.dims.size() && bit_width(t.dtype) >= 8);
  std::uint64_t last = 0;
  for (std::size_t k = 0; k < t.dims.size(); ++k) {
    assert(t.strides[k] >= 0);
    if (t.dims[k] == 0) return 0;
    last += static_cast<std::uint64_t>((t.dims[k] - 1) * t.strides[k]);
  }
  return last + bit_width(t.dtype) / 8;
}

std::string buffer(std::string_view name, std::uint64_t bytes, std::uint64_t align, const std::string& section = {}) {
  return "static unsigned char " + std::string(name) + "[" + std::to_string(std::max<std::uint64_t>(bytes, 1)) +
         "] __attribute__((aligned(" + std::to_string(std::max<std::uint64_t>(align, 1)) + ")" +
         (section.empty() ? "" : ", section(\"" + section + "\")") + "));\n";
}

std::string workspace_name(const ModelInterface& model, std::size_t index) {
  return index == 0 ? "workspace" : "workspace_" + model.further_workspaces.at(index - 1).field;
}

// "workspace, workspace_dtcm", each after `before`.
std::string workspaces(const ModelInterface& model, const std::string& before) {
  std::string text;
  for (std::size_t i = 0; i <= model.further_workspaces.size(); ++i)
    text += (i ? ", " : "") + before + workspace_name(model, i);
  return text;
}

std::string interface_struct(const ModelInterface& model, const std::vector<IoTensor>& tensors,
                             const std::string& kind) {
  std::string text = "static const " + model.prefix + "_" + kind + "s_t " + kind + "s = {\n";
  for (std::size_t i = 0; i < tensors.size(); ++i)
    text += "  ." + tensors[i].field + " = (void *)" + kind + "_" + std::to_string(i) + ",\n";
  return text + "};\n";
}

std::string buffer_table(const std::vector<IoTensor>& tensors, const std::string& kind) {
  std::string text = "const harness_buffer_t harness_" + kind + "s[] = {\n";
  for (std::size_t i = 0; i < tensors.size(); ++i)
    text += "  {" + kind + "_" + std::to_string(i) + ", " + std::to_string(tensors[i].bytes) + "},\n";
  return text + "  {0, 0},\n};\nconst uint32_t harness_" + kind + "_count = " + std::to_string(tensors.size()) + ";\n";
}

std::string dump_table(const ModelInterface& model, const std::vector<DumpPiece>& dumps) {
  std::string text = "const harness_dump_t harness_dumps[] = {\n";
  for (const DumpPiece& d : dumps) {
    const StoredTensor& t = *d.tensor;
    const std::string base = t.place == Place::workspace  ? workspace_name(model, t.index)
                             : t.place == Place::instance ? std::string("instance")
                             : t.place == Place::input    ? "input_" + std::to_string(t.index)
                                                          : "output_" + std::to_string(t.index);
    text += "  {" + std::to_string(d.step) + ", " + base + " + " + std::to_string(t.offset) + ", " +
            std::to_string(d.bytes) + "},\n";
  }
  return text + "  {-1, 0, 0},\n};\nconst uint32_t harness_dump_count = " + std::to_string(dumps.size()) + ";\n";
}

// harness_init(): the weights that an object beside the model holds, and then the instance.
std::string init_function(const ModelInterface& model, const std::string& init) {
  if (model.bound_bytes == 0) return "int32_t harness_init(void) { return " + init + "; }\n";
  return "extern const unsigned char harness_weights[] __attribute__((weak));\n"
         "extern const uint32_t harness_weights_bytes __attribute__((weak));\n"
         "int32_t harness_init(void) {\n  const int32_t status = " +
         model.prefix +
         "_bind(harness_weights, harness_weights_bytes, 0, 0);\n  return status != 0 ? status : " + init + ";\n}\n";
}

// Tables for watch.c (sdk/program/executor/aot/step_table.hpp). The program without the model, which is built for its
// size, has none.
std::string watch_tables(const ModelInterface& model, const RunPlan& plan) {
  std::string text = "const uint32_t harness_watched = " + std::string(plan.watched ? "1" : "0") +
                     ";\nconst uint32_t harness_feeds = " + (plan.fed ? "1" : "0") + ";\n";
  const std::string p = model.prefix + "_step_";
  const std::array<std::array<std::string, 3>, 3> tables = {
      {{"const struct byoc_step_table ", "watched", "*const harness_step_table = &"},
       {"const uint8_t ", "keeps", "*const harness_keeps = "},
       {"unsigned char ", "arena", "*const harness_arena = "}}};
  for (const auto& [type, name, pointer] : tables) {
    const std::string array = name == "watched" ? "" : "[]";
    if (plan.watched) text += "extern " + type + p + name + array + " __attribute__((weak));\n";
    text += type + pointer.substr(0, plan.watched ? pointer.size() : pointer.rfind('=') + 1) +
            (plan.watched ? p + name : std::string(" 0")) + ";\n";
  }
  text += "const harness_buffer_t harness_workspaces[] = {\n";
  const auto add = [&](std::size_t i, std::uint64_t bytes) {
    text += "  {" + workspace_name(model, i) + ", " + std::to_string(bytes) + "},\n";
  };
  add(0, model.workspace_bytes);
  for (std::size_t i = 0; i < model.further_workspaces.size(); ++i) add(i + 1, model.further_workspaces[i].bytes);
  text += "};\nconst uint32_t harness_workspace_count = " + std::to_string(model.further_workspaces.size() + 1) + ";\n";
  return text + "void *const harness_instance = " + (model.instance_bytes == 0 ? "0" : "instance") + ";\n";
}

}  // namespace

std::vector<PoolVariable> pool_variables(const ModelInterface& model) {
  std::vector<PoolVariable> out;
  for (const PoolWorkspace& w : model.further_workspaces) out.push_back({"workspace_" + w.field, w.pool, w.bytes});
  if (model.instance_place) out.push_back({"instance", model.instance_place->pool, model.instance_bytes});
  return out;
}

std::vector<DumpPiece> dump_pieces(const ModelInterface& model) {
  std::vector<DumpPiece> pieces;
  for (std::size_t step = 0; step < model.steps.size(); ++step) {
    for (const StoredTensor& t : model.steps[step].results) {
      if (t.place != Place::constant) pieces.push_back({static_cast<std::uint32_t>(step), &t, extent(t)});
    }
  }
  return pieces;
}

std::string model_glue(const ModelInterface& model, const RunPlan& plan, const std::vector<DumpPiece>& dumps) {
  const std::string& p = model.prefix;
  const std::string steps = std::to_string(plan.traced ? model.steps.size() : 0);
  std::string text = "#include \"harness.h\"\n#include \"" + std::string(kModelHeader) + "\"\n\n";
  for (std::size_t i = 0; i < model.inputs.size(); ++i)
    text += buffer("input_" + std::to_string(i), model.inputs[i].bytes,
                   std::max({model.inputs[i].align, bit_width(model.inputs[i].dtype) / 8, 1u}));
  for (std::size_t i = 0; i < model.outputs.size(); ++i)
    text += buffer("output_" + std::to_string(i), model.outputs[i].bytes,
                   std::max(bit_width(model.outputs[i].dtype) / 8, 1u));
  text += buffer("workspace", model.workspace_bytes, model.workspace_align);
  for (std::size_t i = 0; i < model.further_workspaces.size(); ++i) {
    const PoolWorkspace& w = model.further_workspaces[i];
    text += buffer(workspace_name(model, i + 1), w.bytes, w.align, pool_variables(model)[i].section());
  }
  if (model.instance_bytes != 0)
    text += buffer("instance", model.instance_bytes, model.instance_align,
                   model.instance_place ? pool_variables(model).back().section() : "");
  text += interface_struct(model, model.inputs, "input") + interface_struct(model, model.outputs, "output");
  text += buffer_table(model.inputs, "input") + buffer_table(model.outputs, "output") + dump_table(model, dumps);
  text += watch_tables(model, plan);
  text += "uint64_t harness_step_counts[" + (steps == "0" ? std::string("1") : steps) + "];\n";
  text += "const uint32_t harness_step_count = " + steps + ";\n";
  text += "const uint32_t harness_run_count = " + std::to_string(plan.runs) + ";\n";
  const bool resets = plan.reset && model.instance_bytes != 0;
  text += "int32_t harness_reset_model(void) { return " + (resets ? p + "_reset((void *)instance)" : std::string("0")) +
          "; }\n";
  if (model.instance_bytes == 0) {
    text += "const uint32_t harness_stateless = 1;\n" + init_function(model, "0");
    text += "int32_t harness_deinit(void) { return 0; }\n";
    text += "int32_t harness_run(void) { return " + p + "_run(&inputs, &outputs, " + workspaces(model, "") + "); }\n";
  } else {
    text += "const uint32_t harness_stateless = 0;\n";
    text += init_function(model, p + "_init((void *)instance)");
    text += "int32_t harness_deinit(void) { return " + p + "_deinit((void *)instance); }\n";
    text += "int32_t harness_run(void) { return " + p + "_run((void *)instance, &inputs, &outputs, " +
            workspaces(model, "") + "); }\n";
  }
  return text;
}

std::string model_header(const ModelInterface& model) {
  const std::string& p = model.prefix;
  std::string text = "#include <stdint.h>\n\n";
  for (const auto& [kind, tensors] : {std::pair("_inputs", &model.inputs), std::pair("_outputs", &model.outputs)}) {
    text += "typedef struct " + p + kind + " {\n";
    for (const IoTensor& t : *tensors) text += "  void *" + t.field + ";\n";
    text += "} " + p + kind + "_t;\n";
  }
  const std::string instance = p + "_instance_t *instance";
  if (model.instance_bytes != 0) {
    text += "typedef struct " + p + "_instance " + p + "_instance_t;\n";
    for (const char* phase : {"_init", "_reset", "_deinit"}) text += "int32_t " + p + phase + "(" + instance + ");\n";
  }
  return text + "int32_t " + p + "_run(" + (model.instance_bytes != 0 ? instance + ", " : "") + "const " + p +
         "_inputs_t *inputs, const " + p + "_outputs_t *outputs, " + workspaces(model, "void *") + ");\n";
}

std::string model_stub(const ModelInterface& model) {
  const std::string& p = model.prefix;
  const std::string io =
      "const " + p + "_inputs_t *inputs, const " + p + "_outputs_t *outputs, " + workspaces(model, "void *");
  // Compiled without warnings: what it does with its parameters is nothing.
  const std::string ignore = "  return 0;\n}\n";
  std::string text = "#include \"" + std::string(kModelHeader) + "\"\n\n";
  if (model.bound_bytes != 0)
    text += "int32_t " + p +
            "_bind(const void *blob, uint32_t bytes, byoc_weights_verify_t verify, void *context) {\n" + ignore;
  if (model.instance_bytes == 0) return text + "int32_t " + p + "_run(" + io + ") {\n" + ignore;
  const std::string instance = p + "_instance_t *instance";
  for (const char* phase : {"_init", "_reset", "_deinit"})
    text += "int32_t " + p + phase + "(" + instance + ") {\n  (void)instance;\n  return 0;\n}\n";
  return text + "int32_t " + p + "_run(" + instance + ", " + io + ") {\n" + ignore;
}

}  // namespace byoc
