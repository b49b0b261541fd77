#include "sdk/target/target/cores.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace byoc::target {
namespace {

constexpr const char* kDsp = "thumb dsp hwdiv";
constexpr const char* kSingle = "fp.sp";
constexpr const char* kDouble = "fp.sp fp.dp";
constexpr const char* kVectors = "fp.sp fp.dp mve mve.fp";
constexpr const char* kVectorOptions = "nodsp nomve nomve.fp nofp";

constexpr std::array kCores{
    Core{"cortex-m0", "v6m", "", "", "thumb", "", "", "cortex-m0plus"},
    Core{"cortex-m0plus", "v6m", "", "", "thumb", "", "", "cortex-m0plus"},
    Core{"cortex-m1", "v6m", "", "", "thumb", "", "", "cortex-m0plus"},
    Core{"cortex-m3", "v7m", "", "", "thumb hwdiv", "", "", "cortex-m3"},
    Core{"cortex-m4", "v7em", "fpv4-sp-d16", "", kDsp, kSingle, "nofp", "cortex-m4"},
    Core{"cortex-m7", "v7em", "fpv5-d16", "fpv5-sp-d16", kDsp, kDouble, "nofp nofp.dp", "cortex-m7"},
    Core{"cortex-m23", "v8m.base", "", "", "thumb hwdiv", "", "", "cortex-m33"},
    Core{"cortex-m33", "v8m.main", "fpv5-sp-d16", "", kDsp, kSingle, "nodsp nofp", "cortex-m33"},
    Core{"cortex-m35p", "v8m.main", "fpv5-sp-d16", "", kDsp, kSingle, "nodsp nofp", "cortex-m33"},
    Core{"cortex-m55", "v8.1m.main", "", "", kDsp, kVectors, kVectorOptions, "cortex-m55"},
    Core{"cortex-m52", "v8.1m.main", "", "", kDsp, kVectors, kVectorOptions, "cortex-m52"},
    Core{"cortex-m85", "v8.1m.main", "", "", kDsp, kVectors, kVectorOptions, "cortex-m85"},
    Core{"cortex-r5", "v7r", "vfpv3-d16", "vfpv3xd", kDsp, kDouble, "nofp nofp.dp", "cortex-m7"},
    Core{"cortex-r52", "v8r", "", "", kDsp, kDouble, "", "cortex-m7"},
};

// The options in the order in which they are said: one that takes a feature away makes those behind it needless.
struct Option {
  std::string_view name;
  std::string_view features;  // that it takes away: its own first, then those that need it
};
constexpr Option kOptions[] = {
    {"nodsp", "dsp mve mve.fp"}, {"nomve", "mve mve.fp"}, {"nofp", "fp.sp fp.dp mve.fp"},
    {"nofp.dp", "fp.dp"},        {"nomve.fp", "mve.fp"},
};

bool has_word(std::string_view text, std::string_view word) {
  const auto all = words(text);
  return std::find(all.begin(), all.end(), word) != all.end();
}

}  // namespace

std::vector<std::string> words(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> out;
  for (std::string w; in >> w;) out.push_back(w);
  return out;
}

std::span<const Core> cores() { return kCores; }

const Core* find_core(std::string_view cpu) {
  const auto* found = std::find_if(kCores.begin(), kCores.end(), [&](const Core& c) { return cpu == c.cpu; });
  return found == kCores.end() ? nullptr : found;
}

bool leave_out(const Core& core, std::string_view option, std::vector<std::string>& isa) {
  const auto* found =
      std::find_if(std::begin(kOptions), std::end(kOptions), [&](const Option& o) { return o.name == option; });
  if (found == std::end(kOptions) || !has_word(core.left_out, option)) return false;
  std::erase_if(isa, [&](const std::string& feature) { return has_word(found->features, feature); });
  return true;
}

std::string cpu_options(const TargetSpec& target) {
  const Core* core = find_core(target.cpu);
  if (core == nullptr) return {};
  const bool soft = target.float_abi == "soft";  // then nothing of the FPU and no vector is used
  std::vector<std::string> there = words(core->isa);
  if (!soft)
    for (std::string& feature : words(core->fpu_isa)) there.push_back(std::move(feature));
  std::string out;
  for (const Option& o : kOptions) {
    const std::string feature = words(o.features).front();
    if (target.has(feature) || std::find(there.begin(), there.end(), feature) == there.end()) continue;
    // -mfpu says it of others.
    if (o.name.starts_with("nofp") && !has_word(core->left_out, "nomve")) continue;
    if (leave_out(*core, o.name, there)) out += "+" + std::string(o.name);
  }
  return out;
}

}  // namespace byoc::target
