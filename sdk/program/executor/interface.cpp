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

// `positions`: the number of the model's inputs or of its outputs, the larger one.
std::vector<IoTensor> io_tensors(const std::vector<plan::Tensor>& tensors, const std::string& prefix,
                                 std::size_t positions) {
  FieldNames fields(prefix, positions);
  std::vector<IoTensor> out;
  for (const plan::Tensor& tensor : tensors) {
    IoTensor t;
    t.name = tensor.name;
    t.field = fields.claim(tensor.name.empty() ? "tensor" : tensor.name);
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

}  // namespace

ModelInterface interface_of(const plan::Program& program, const std::string& prefix) {
  ModelInterface out;
  out.prefix = prefix;
  out.name = program.name;
  out.bounded = program.bounded;
  const std::size_t positions = std::max(program.main.inputs.size(), program.main.outputs.size());
  out.inputs = io_tensors(program.main.inputs, prefix, positions);
  out.outputs = io_tensors(program.main.outputs, prefix, positions);
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
