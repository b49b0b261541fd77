// The example NPU's codegen: claims int8 layers and hands over command streams, packed weights, and C that submits
// them.
#include <byoc/plugin.hpp>
#include <map>

#include "device_text.hpp"
#include "layer.hpp"
#include "lower.hpp"
#include "npu_driver.h"

namespace npu {

constexpr const char* kFlash = "npu_flash";
constexpr const char* kRam = "npu_ram";

class Codegen final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    const bool has_flash = std::any_of(target.pools.begin(), target.pools.end(), [](const byoc::MemoryPool& p) {
      return p.kind == byoc::PoolKind::flash && p.name == kFlash;
    });
    if (!has_flash)
      return refuse(Reason::target, "target '" + target.name + "' has no flash memory '" + std::string(kFlash) +
                                        "', from which the device reads commands and weights");
    const auto read = read_layer(model, node);
    if (const auto* no = std::get_if<Refusal>(&read)) return refuse(no->reason, no->text);
    Verdict out = claim();
    // 64 products a cycle, and a few hundred cycles for a command.
    out.cost = 300 + static_cast<double>(std::get<Layer>(read).macs) / 64;
    return out;
  }

  bool compile(const Request& request, Host& host) override {
    byoc::CFile file(request, host, "npu");
    file.include("\"npu_driver.h\"");
    bool any = false;
    for (const Region& region : request.regions) any = emit(region, host, file) || any;
    if (!any) return true;  // Reshapes alone: there is nothing to run
    hand_over_driver(host, file);
    file.finish();
    return true;
  }

 private:
  // Whether the region has work for the device.
  bool emit(const Region& region, Host& host, byoc::CFile& file) const {
    std::vector<Layer> layers;
    for (const Node& node : region.nodes) layers.push_back(std::get<Layer>(read_layer(region, node)));
    const Granularity granularity = options.text("steps") == "layer" ? Granularity::layer : Granularity::region;
    const Plan plan = lower(region, layers, granularity);
    std::map<ValueId, std::uint32_t> private_values;  // by root
    for (ValueId v = 0; v < region.values.size(); ++v) describe(region, plan, v, granularity, private_values, host);
    for (const Job& job : plan.jobs) emit(region, job, private_values, host, file);
    return !plan.jobs.empty();
  }

  // Tells the host where a value is that is not simply the operand of a step.
  static void describe(const Region& region, const Plan& plan, ValueId v, Granularity granularity,
                       std::map<ValueId, std::uint32_t>& private_values, Host& host) {
    const Storage& s = plan.values[v];
    const Value& value = region.values[v];
    if (value.is_constant) return;
    if (s.border) {
      if (s.root != v) host.alias(region, v, s.root);
      return;
    }
    if (granularity == Granularity::region) {
      if (!region.outputs.empty()) host.fused(region, v, region.outputs[0]);
      return;
    }
    const auto [own, fresh] = private_values.try_emplace(s.root, 0);
    if (fresh) own->second = host.private_value({plan.values[s.root].bytes, NPU_ALIGN, {}});
    byoc::codegen::PrivateLayout layout{own->second, 0, std::vector<std::int64_t>(value.dims.size(), 1)};
    for (std::size_t d = value.dims.size(); d-- > 1;)
      layout.strides[d - 1] = d == value.dims.size() - 1 ? s.pitch : layout.strides[d] * value.dims[d];
    host.stored_privately(region, v, layout);
  }

  void emit(const Region& region, const Job& job, const std::map<ValueId, std::uint32_t>& private_values, Host& host,
            byoc::CFile& file) const {
    const std::string commands =
        constant(host, "npu_commands", byoc::DType::u32, std::as_bytes(std::span(job.commands)));
    const std::string weights =
        job.weights.empty() ? std::string() : constant(host, "npu_weights", byoc::DType::u8, job.weights);
    const auto operand = [&](ValueId v) {
      const auto own = private_values.find(v);
      return own == private_values.end() ? byoc::codegen::Operand{v}
                                         : byoc::codegen::Operand{byoc::codegen::kNoValue, own->second};
    };
    Step step;
    step.symbol = host.claim("npu_job");
    step.kernel = "npu";
    step.nodes = job.nodes;
    step.macs = job.macs;
    step.uses_instance = true;
    for (const ValueId v : job.inputs) step.inputs.push_back(operand(v));
    for (const ValueId v : job.outputs) step.outputs.push_back(operand(v));
    if (job.scratch_bytes != 0) step.workspaces.push_back({job.scratch_bytes, NPU_ALIGN, scratch_pools()});

    const auto member = [](const std::string& name, const std::string& value) {
      return "  job." + name + " = " + value + ";\n";
    };
    std::string body = "  npu_driver_t *const driver = (npu_driver_t *)instance;\n";
    if (!job.inputs.empty()) body += list("const int8_t *const inputs[]", "(const int8_t *)in", job.inputs.size());
    body += list("int8_t *const outputs[]", "(int8_t *)out", job.outputs.size());
    body += "  npu_job_t job;\n  int32_t status = 0;\n";
    body += member("commands", commands) + member("command_bytes", "sizeof " + commands);
    body += member("weights", weights.empty() ? "0" : weights);
    body += member("weight_bytes", weights.empty() ? "0" : "sizeof " + weights);
    body += member("scratch", job.scratch_bytes != 0 ? "(uint8_t *)ws0" : "0");
    body += member("line_bytes", std::to_string(job.line_bytes));
    body += member("scratch_bytes", std::to_string(job.scratch_bytes));
    body += member("inputs", job.inputs.empty() ? "0" : "inputs") + member("outputs", "outputs");
    body += member("input_count", std::to_string(job.inputs.size()));
    body += member("output_count", std::to_string(job.outputs.size()));
    body += "  status = npu_driver_submit(driver, &job);\n  if (status == 0) status = npu_driver_wait(driver);\n";
    body += "  if (status != 0) return status;\n";
    file.add(region, step, body);
  }

  // The RAM beside the device, and where the target has none or it is full, the processor's.
  std::vector<std::string> scratch_pools() const {
    std::vector<std::string> out = {kRam};
    for (const byoc::MemoryPool& p : target.pools)
      if (p.kind == byoc::PoolKind::ram && out.size() == 1) out.push_back(p.name);
    return out;
  }

  static std::string list(const std::string& declaration, const std::string& stem, std::size_t count) {
    std::string items;
    for (std::size_t i = 0; i < count; ++i) items += (i ? ", " : "") + stem + std::to_string(i);
    return "  " + declaration + " = {" + items + "};\n";
  }

  static std::string constant(Host& host, std::string_view stem, byoc::DType element,
                              std::span<const std::byte> bytes) {
    byoc::codegen::ConstantDecl decl;
    decl.symbol = host.claim(stem);
    decl.element = element;
    decl.align = NPU_ALIGN;
    decl.region = kFlash;
    decl.model_data = element == byoc::DType::u8;
    host.constant(decl, bytes);
    return decl.symbol;
  }

  // The handle in the model's instance, and the driver: in the library, or what the firmware links.
  void hand_over_driver(Host& host, byoc::CFile& file) const {
    byoc::codegen::Instance instance;
    instance.bytes = NPU_DRIVER_BYTES;
    instance.align = 8;
    const auto function = [&](const std::string& phase, const std::string& call) {
      const std::string symbol = host.claim("npu_" + phase);
      file.append("\nint32_t " + symbol + "(void *instance) { return " + call + "((npu_driver_t *)instance); }\n");
      return symbol;
    };
    instance.init = function("init", "npu_driver_init");
    instance.reset = function("reset", "npu_driver_init");
    instance.deinit = function("deinit", "npu_driver_deinit");
    host.instance(instance);

    for (const DeviceFile& f : kDeviceFiles)
      if (f.name.ends_with(".h")) host.header(f.name, f.text);
    if (options.text("driver") == "link") {
      host.artifact({byoc::codegen::ArtifactKind::link_library, "npu_driver", {}}, {});
      return;
    }
    for (const DeviceFile& f : kDeviceFiles) {
      if (!f.name.ends_with(".c")) continue;
      const std::string symbol(f.name.substr(0, f.name.size() - 2));  // each file defines one function, named as it is
      byoc::codegen::SourceDecl decl;
      decl.name = symbol;
      decl.symbol = symbol;
      decl.shared = true;
      host.source(decl, f.text);
    }
  }
};

}  // namespace npu

BYOC_PLUGIN(npu::Codegen,
            {.id = "org.example.npu",
             .name = "Example NPU",
             .vendor = "Example",
             .version = "1.0",
             .license = "Apache-2.0",
             .options = {{"steps",
                          byoc::OptionType::choice,
                          "region",
                          "one job for a region, or one for each layer, which --dump-tensors can look between",
                          {"region", "layer"}},
                         {"driver",
                          byoc::OptionType::choice,
                          "model",
                          "put a driver with a software model of the device into the library, or link npu_driver",
                          {"model", "link"}}}});
