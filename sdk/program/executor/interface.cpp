#include "sdk/program/executor/interface.hpp"

#include <algorithm>
#include <set>

#include "sdk/base/support/name_table.hpp"
#include "sdk/program/executor/failures.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc::executor {
namespace {

// Names of fields. In upper case they are parts of macros, which must differ as well; and none of them is a macro of
// the header's.
class FieldNames {
 public:
  FieldNames(const std::string& prefix, std::size_t count) : macros_(upper_case(prefix) + "_") {
    for (std::size_t i = 0; i < count; ++i)
      for (const char* role : {"_input_", "_output_"}) names_.claim(prefix + role + std::to_string(i));  // macros, too
    for (const char* function : {"_init", "_run"}) names_.claim(prefix + function);                      // macros, too
  }
  std::string claim(const std::string& name) {
    const std::string plain = to_identifier(name);
    const std::string stem = plain.starts_with(macros_) || plain.starts_with("BYOC_") ? "x_" + plain : plain;
    for (;;)
      if (std::string field = names_.claim(stem); upper_.insert(upper_case(field)).second) return field;
  }

 private:
  std::string macros_;  // what their names start with
  NameTable names_;
  std::set<std::string> upper_;
};

// The name that tensor `i` asks for: the user's, of a count that of its tensor, or the model's.
std::string asked_name(const std::vector<plan::Tensor>& tensors, std::size_t i, std::span<const std::string> names) {
  if (i < names.size()) return names[i];
  const std::string& own = tensors[i].name;
  for (std::size_t n = 0; n < names.size() && n < tensors.size(); ++n)
    if (own == tensors[n].name + "_count") return names[n] + "_count";
  return own.empty() ? "tensor" : own;
}

// `positions`: the number of the model's inputs or of its outputs, the larger one.
std::vector<IoTensor> io_tensors(const std::vector<plan::Tensor>& tensors, const std::string& prefix,
                                 std::size_t positions, std::span<const std::string> names) {
  FieldNames fields(prefix, positions);
  std::vector<IoTensor> out;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const plan::Tensor& tensor = tensors[i];
    IoTensor t;
    t.name = tensor.name;
    t.field = fields.claim(asked_name(tensors, i, names));
    t.dtype = tensor.dtype;
    t.dims = tensor.dims;
    t.bytes = tensor.bytes;
    t.quantisation = tensor.quantisation;
    t.counted = tensor.counted;
    t.overwritten = tensor.overwritten;
    if (tensor.overwritten) t.align = plan::kValueAlign;
    out.push_back(std::move(t));
  }
  return out;
}

std::vector<WorkspaceBuffer> buffers_of(const plan::Program& program) {
  std::vector<WorkspaceBuffer> out;
  for (std::size_t b = 0; b < program.memory.buffers.size(); ++b) {
    const plan::Buffer& buffer = program.memory.buffers[b];
    if (buffer.pool >= program.pools.size()) continue;  // in an input that is reused
    out.push_back({buffer.name, program.main.workspace_index(buffer.pool), program.offsets[b], buffer.bytes,
                   buffer.first, buffer.last});
  }
  return out;
}

// `expected`: how many of the tensors are to have names; the others are counts.
void check_side(const std::vector<IoTensor>& tensors, std::size_t expected, std::span<const std::string> names,
                const std::string& option, Diagnostics& diags) {
  if (names.empty()) return;
  if (names.size() != expected) {
    std::string there;
    for (std::size_t i = 0; i < expected; ++i) there += (i == 0 ? " (" : ", ") + tensors[i].name;
    diags.error({}, option, "not as many names as there are tensors", std::to_string(names.size()),
                std::to_string(expected) + there + (expected == 0 ? "" : ")"));
    return;
  }
  for (std::size_t i = 0; i < expected; ++i)
    if (tensors[i].field != names[i])
      diags.error({}, option, "not a name that a member of a struct in the header can have", "'" + names[i] + "'",
                  "a C identifier that is there once, like '" + tensors[i].field + "'");
}

}  // namespace

Result<void> check_io_names(const ModelInterface& model, const IoNames& names, Diagnostics& diags) {
  const std::size_t before = diags.count();
  check_side(model.inputs, model.inputs.size(), names.inputs, "--input-names", diags);
  check_side(model.outputs, model.output_count(), names.outputs, "--output-names", diags);
  return diags.count() == before ? Result<void>() : failure;
}

ModelInterface interface_of(const plan::Program& program, const std::string& prefix, const IoNames& names) {
  ModelInterface out;
  out.prefix = prefix;
  out.name = program.name;
  out.bounded = program.bounded;
  const std::size_t positions = std::max(program.main.inputs.size(), program.main.outputs.size());
  out.inputs = io_tensors(program.main.inputs, prefix, positions, names.inputs);
  out.outputs = io_tensors(program.main.outputs, prefix, positions, names.outputs);
  const plan::PoolUse& first = program.main.workspaces[0];
  out.workspace_bytes = first.bytes;
  out.workspace_align = first.align;
  out.workspace_lower_bound = first.lower_bound;
  const std::vector<std::string> fields = pool_fields(program.pools);
  const auto place = [&](std::size_t p) {
    const plan::RamPool& pool = program.pools[p];
    return PoolPlace{pool.name, fields[p], pool.section.empty() ? ".bss." + fields[p] : pool.section};
  };
  for (std::size_t p = 1; p < program.pools.size(); ++p) {
    if (!program.main.has_workspace(p)) continue;
    const plan::PoolUse& use = program.main.workspaces[p];
    const PoolPlace at = place(p);
    out.further_workspaces.push_back({at.pool, at.field, at.section, use.bytes, use.align, use.lower_bound});
  }
  for (const plan::Call& c : program.main.calls) out.steps.push_back(c.step);
  out.failures = failures_of(program, prefix);
  out.buffers = buffers_of(program);
  out.weight_bytes = program.weight_bytes;
  out.instance_bytes = program.instance.bytes;
  out.instance_align = program.instance.align;
  if (program.instance.bytes != 0 && program.instance.pool != 0) out.instance_place = place(program.instance.pool);
  for (const plan::InstancePart& p : program.instance.parts)
    if (!p.device.empty() && std::find(out.devices.begin(), out.devices.end(), p.device) == out.devices.end())
      out.devices.push_back(p.device);
  return out;
}

std::vector<std::string> pool_fields(const std::vector<plan::RamPool>& pools) {
  std::vector<std::string> out;
  NameTable fields;
  for (const plan::RamPool& p : pools) out.push_back(fields.claim(lower_case(to_identifier(p.name))));
  return out;
}

}  // namespace byoc::executor
