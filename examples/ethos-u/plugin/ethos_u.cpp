// The operator "ethos-u" that Arm's Vela leaves in models it has compiled: a command stream and weights, which become
// constants in flash, and scratch memory, which byoc plans. The code of the step is a call of the device's driver.
#include <byoc/plugin.hpp>

#include <algorithm>

namespace ethos_u {

constexpr std::uint32_t kAlign = 16;  // what the device's bus asks for
// The operator's inputs; inputs of the network follow. The device knows all but the first by their numbers.
enum : std::size_t { kCommands, kWeights, kScratch, kFastScratch, kFirstInput };

constexpr const char* kDriver = R"(#include <stddef.h>
#include <stdint.h>
struct ethosu_driver;
struct ethosu_driver *ethosu_reserve_driver(void);
void ethosu_release_driver(struct ethosu_driver *driver);
int ethosu_invoke_v3(struct ethosu_driver *driver, const void *custom_data_ptr, const int custom_data_size,
                     uint64_t *const base_addr, const size_t *base_addr_size, const int num_base_addr, void *user_arg);
)";

class Codegen final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    if (node.domain != "tflite" || node.op != "ethos-u")
      return refuse(Reason::unsupported_op, "the device runs what Vela has compiled, the operator ethos-u");
    if (node.inputs.size() <= kFirstInput || node.outputs.empty())
      return refuse(Reason::unsupported_op, "found " + std::to_string(node.inputs.size()) +
                                                " inputs, expected commands, weights, two of scratch memory, and more");
    for (const std::size_t i : {kCommands, kWeights}) {
      const auto v = node.inputs[i];
      if (v == byoc::codegen::kNoValue || !model.values[v].is_constant || model.values[v].data.empty())
        return refuse(Reason::not_constant, "found commands or weights that are no constants");
    }
    if (std::count(node.inputs.begin() + kFirstInput, node.inputs.end(), byoc::codegen::kNoValue) != 0)
      return refuse(Reason::unsupported_shape, "found more scratch memory than two inputs");
    const Scratch scratch = scratch_of(model, node);
    for (const std::size_t i : {kScratch, kFastScratch}) {
      if (node.inputs[i] != byoc::codegen::kNoValue || scratch.bytes[i] <= 0)
        return refuse(Reason::unsupported_shape, "found scratch memory that something computes");
      if (scratch.places[i] % kAlign != 0)
        return refuse(Reason::unsupported_shape,
                      "found scratch memory at " + std::to_string(scratch.places[i]) + ", expected a multiple of 16");
    }
    const std::string magic(reinterpret_cast<const char*>(model.values[node.inputs[kCommands]].data.data()),
                            std::min<std::size_t>(4, model.values[node.inputs[kCommands]].data.size()));
    if (magic != "COP1") return refuse(Reason::unsupported_attribute, "the commands do not begin with COP1");
    return claim();
  }

  bool compile(const Request& request, Host& host) override {
    byoc::CFile file(request, host, "ethos_u");
    file.include("<string.h>");
    file.include("\"ethosu_invoke.h\"");
    host.header("ethosu_invoke.h", kDriver);
    host.artifact({byoc::codegen::ArtifactKind::link_library, "ethosu_core_driver", {}}, {});
    if (is_given()) host.instance({.bytes = sizeof(std::uint64_t), .align = 8, .device = "ethos_u"});
    for (const Region& region : request.regions)
      for (byoc::codegen::NodeId n = 0; n < region.nodes.size(); ++n) emit(region, n, host, file);
    file.finish();
    return true;
  }

 private:
  // Whether the program hands a driver over, instead of one being reserved for each job.
  bool is_given() const { return options.flag("driver-given"); }

  // Where operands lie in one block of scratch memory: the model says so of what the commands read and write there.
  struct Scratch {
    std::vector<std::int64_t> bytes;   // of each input: as scratch memory, else 0
    std::vector<std::int64_t> places;  // of inputs and outputs; -1: not in the block
    std::int64_t total = 0;
  };
  static Scratch scratch_of(const Region& region, const Node& node) {
    Scratch s{node.integers("scratch_bytes", {}), node.integers("offline_places", {}), 0};
    const std::size_t operands = node.inputs.size() + node.outputs.size();
    s.bytes.resize(node.inputs.size(), 0);
    if (s.places.size() != operands) s.places.assign(operands, -1);
    std::int64_t open = 0;  // what has no place lies behind what has one
    for (std::size_t i = 0; i < operands; ++i)
      if (s.places[i] >= 0) open = std::max(open, s.places[i] + bytes_of(region, node, s, i));
    for (const std::size_t i : {kScratch, kFastScratch}) {
      if (s.places[i] >= 0 || s.bytes[i] == 0) continue;
      s.places[i] = (open + kAlign - 1) / kAlign * kAlign;
      open = s.places[i] + s.bytes[i];
    }
    s.total = open;
    return s;
  }
  static std::int64_t bytes_of(const Region& region, const Node& node, const Scratch& s, std::size_t operand) {
    if (operand == kScratch || operand == kFastScratch) return s.bytes[operand];
    const std::size_t inputs = node.inputs.size();
    const auto v = operand < inputs ? node.inputs[operand] : node.outputs[operand - inputs];
    return static_cast<std::int64_t>(region.values[v].bytes());
  }

  void emit(const Region& region, byoc::codegen::NodeId n, Host& host, byoc::CFile& file) const {
    const Node& node = region.nodes[n];
    const Scratch scratch = scratch_of(region, node);
    Step step;
    step.symbol = host.claim("ethos_u_job");
    step.kernel = "ethos-u";
    step.uses_instance = is_given();
    step.nodes = {n};
    for (const auto v : node.outputs) step.outputs.push_back({v});
    step.workspaces = {{static_cast<std::uint64_t>(scratch.total), kAlign, scratch_pools()}};
    const std::string commands =
        byoc::constant_symbol(host, region, node.inputs[kCommands], "ethos_u_commands", kAlign);
    std::string addresses, sizes, before, after;
    for (std::size_t i = kWeights; i < node.inputs.size() + node.outputs.size(); ++i) {
      std::string at = scratch.places[i] < 0 ? "" : "(uint8_t *)ws0 + " + std::to_string(scratch.places[i]);
      const std::string size = std::to_string(bytes_of(region, node, scratch, i));
      if (i == kWeights) {
        at = byoc::constant_symbol(host, region, node.inputs[i], "ethos_u_weights", kAlign);
      } else if (i >= node.inputs.size()) {
        const std::string out = "out" + std::to_string(i - node.inputs.size());
        if (!at.empty()) after += "  memcpy(" + out + ", " + at + ", " + size + ");\n";
        if (at.empty()) at = out;
      } else if (i >= kFirstInput) {
        const std::string in = operand(region, node.inputs[i], host, step);
        if (!at.empty()) before += "  memcpy(" + at + ", " + in + ", " + size + ");\n";
        if (at.empty()) at = in;
      }
      addresses += (addresses.empty() ? "" : ",\n                   ") + ("(uintptr_t)(" + at + ")");
      sizes += (sizes.empty() ? "" : ", ") + size;
    }
    std::string body = before + "  uint64_t base[] = {" + addresses + "};\n";
    body += "  const size_t sizes[] = {" + sizes + "};\n";
    const std::string given = is_given() ? "*(void **)instance" : "0";
    body += "  struct ethosu_driver *const given = " + given + ";\n";
    body += "  struct ethosu_driver *const driver = given != 0 ? given : ethosu_reserve_driver();\n  int status = 0;\n";
    body += "  if (driver == 0) return 1;\n";
    body += "  status = ethosu_invoke_v3(driver, " + commands + ", (int)sizeof " + commands +
            ", base, sizes, (int)(sizeof sizes / sizeof *sizes), 0);\n";
    body += "  if (given == 0) ethosu_release_driver(driver);\n  if (status != 0) return status;\n" + after;
    file.add(region, step, body);
  }

  static std::string operand(const Region& region, byoc::codegen::ValueId v, Host& host, Step& step) {
    if (region.values[v].is_constant) return byoc::constant_symbol(host, region, v, "ethos_u_constant", kAlign);
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
      if (step.inputs[i].value == v) return "in" + std::to_string(i);
    step.inputs.push_back({v});
    return "in" + std::to_string(step.inputs.size() - 1);
  }

  // The memory that the option names where the target has it, else the first RAM.
  std::vector<std::string> scratch_pools() const {
    std::vector<std::string> out = {options.text("scratch")};
    for (const byoc::MemoryPool& p : target.pools)
      if (p.kind == byoc::PoolKind::ram && out.size() == 1) out.push_back(p.name);
    return out;
  }
};

}  // namespace ethos_u

BYOC_PLUGIN(ethos_u::Codegen, {.id = "org.example.ethos-u",
                               .name = "Ethos-U",
                               .vendor = "Example",
                               .version = "1.0",
                               .license = "Apache-2.0",
                               .options = {{"scratch", byoc::OptionType::text, "u55_sram",
                                            "the RAM for scratch memory, if the target has it"},
                                           {"driver-given", byoc::OptionType::boolean, "false",
                                            "take the driver that the program hands over, if it does"}}});
