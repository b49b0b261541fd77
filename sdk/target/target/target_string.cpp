#include "sdk/target/target/target_string.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <vector>

#include "sdk/base/support/nearest.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/target/target/chips.hpp"
#include "sdk/target/target/cores.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::target {
namespace {

struct Options {
  std::string text;                          // as given, for diagnostics and as a name
  std::string triple;                        // as given
  std::map<std::string, std::string> given;  // "-mcpu" -> "cortex-m4"
  [[nodiscard]] std::string get(const char* key) const {
    auto it = given.find(key);
    return it == given.end() ? std::string() : it->second;
  }
};

const TargetSpec* known(const std::string& name) {
  for (const TargetSpec& t : known_targets())
    if (t.name == name) return &t;
  return nullptr;
}

// Every option must be one of `allowed`.
bool check_options(const Options& o, std::initializer_list<const char*> allowed, Diagnostics& diags) {
  bool ok = true;
  for (const auto& [key, value] : o.given) {
    if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
    std::string list;
    for (const char* a : allowed) list += (list.empty() ? "" : ", ") + std::string(a);
    diags.error({}, o.text, "the target has an option that is not known for " + o.triple,
                value.empty() ? key : key + "=" + value, list);
    ok = false;
  }
  return ok;
}

// Architecture and float convention in a triple for firmware: "thumbv7em-none-eabihf" is v7em with the hard convention.
struct ArmTriple {
  std::string arch;  // "v7em"; "" where it says none
  bool hard = false;
};

std::optional<ArmTriple> arm_triple(const std::string& triple) {
  static const std::regex form("(arm|thumb)(v[0-9][a-z0-9.]*)?(-unknown)?-none(-unknown)?-eabi(hf)?");
  std::smatch found;
  if (!std::regex_match(triple, found, form)) return std::nullopt;
  return ArmTriple{found[2], found[5].matched};
}

std::string listed(const std::string& list, const std::string& one) { return list + (list.empty() ? "" : ", ") + one; }

// The core of -mcpu without what stands behind a '+', or the first of the triple's architecture.
Result<const Core*> arm_core(const Options& o, const ArmTriple& triple, Diagnostics& diags) {
  const std::string said = o.get("-mcpu"), cpu = said.substr(0, said.find('+'));
  if (cpu.empty() && triple.arch.empty())
    return diags.error({}, o.text, "the target is incomplete: the CPU is missing", o.text,
                       "-mcpu=cortex-m4 or the like");
  const auto all = cores();
  const auto core = std::find_if(all.begin(), all.end(),
                                 [&](const Core& c) { return cpu.empty() ? triple.arch == c.arch : cpu == c.cpu; });
  if (core == all.end()) {
    std::string list;
    for (const Core& c : all) list = listed(list, c.cpu);
    return diags.error({}, o.text, "the CPU is not known", cpu.empty() ? "one of " + triple.arch : said, list);
  }
  if (!triple.arch.empty() && triple.arch != core->arch)
    return diags.error({}, o.text, std::string("the triple is of another architecture than ") + core->cpu, triple.arch,
                       core->arch);
  return &*core;
}

// The features of the core without those that "-mcpu=cortex-m33+nodsp" leaves out.
Result<std::vector<std::string>> arm_features(const Options& o, const Core& core, Diagnostics& diags) {
  std::vector<std::string> isa = words(core.isa);
  for (std::string& feature : words(core.fpu_isa)) isa.push_back(std::move(feature));
  std::string said = o.get("-mcpu");
  std::replace(said.begin(), said.end(), '+', ' ');
  const std::vector<std::string> options = words(said);
  for (std::size_t i = 1; i < options.size(); ++i) {
    if (leave_out(core, options[i], isa)) continue;
    std::string list;
    for (const std::string& known : words(core.left_out)) list = listed(list, "+" + known);
    return diags.error({}, o.text, std::string("the CPU has an option that is not one of ") + core.cpu,
                       "+" + options[i], list.empty() ? "none" : list);
  }
  return isa;
}

Result<std::string> arm_float_abi(const Options& o, const ArmTriple& triple, Diagnostics& diags) {
  // Without -mfloat-abi both gcc and Clang compile for the soft convention and use no FPU.
  const std::string abi = o.given.contains("-mfloat-abi") ? o.get("-mfloat-abi") : triple.hard ? "hard" : "soft";
  if (abi != "soft" && abi != "softfp" && abi != "hard")
    return diags.error({}, o.text, "the float ABI is not known", abi, "soft | softfp | hard");
  if (triple.hard && abi != "hard")
    return diags.error({}, o.text, "the triple says another float ABI", "-mfloat-abi=" + abi, "-mfloat-abi=hard");
  return abi;
}

// The features that code may use with this -mfpu and float convention, and the -mfpu that says so.
struct ArmUnit {
  std::vector<std::string> isa;
  std::string fpu;
};

Result<ArmUnit> arm_unit(const Options& o, const Core& core, const std::string& abi, Diagnostics& diags) {
  auto isa = arm_features(o, core, diags);
  if (!isa) return failure;
  const auto has = [&](const char* feature) { return std::find(isa->begin(), isa->end(), feature) != isa->end(); };
  if (abi != "soft" && !has("fp.sp") && !has("mve"))
    return diags.error({}, o.text, std::string(core.cpu) + " has no floating point unit", "-mfloat-abi=" + abi,
                       "-mfloat-abi=soft");
  const std::string said = o.get("-mfpu") == "auto" ? "" : o.get("-mfpu");
  if (abi != "soft" && !said.empty() && said != core.fpu && said != core.single) {
    std::string list;
    for (const std::string fpu : {core.fpu, core.single})
      if (!fpu.empty()) list += (list.empty() ? "-mfpu=" : " or -mfpu=") + fpu;
    return diags.error({}, o.text, std::string("the floating point unit is not that of ") + core.cpu, "-mfpu=" + said,
                       list.empty() ? "no -mfpu" : list);
  }
  if (!said.empty() && said == core.single) std::erase(*isa, "fp.dp");
  const bool is_single = *core.single != 0 && !has("fp.dp");
  if (abi == "soft")
    std::erase_if(*isa, [](const std::string& f) { return f.starts_with("fp.") || f.starts_with("mve"); });
  return ArmUnit{*isa, abi == "soft" ? "" : is_single ? core.single : core.fpu};
}

// The options that select the core in GCC. Some cores are newer than it: theirs name the architecture.
std::vector<std::string> gnu_flags_of(const TargetSpec& t, const TargetSpec& relative) {
  std::vector<std::string> out;
  const bool is_newer = relative.cpu == t.cpu && std::none_of(relative.gnu_flags.begin(), relative.gnu_flags.end(),
                                                              [](const auto& f) { return f.starts_with("-mcpu="); });
  if (is_newer)
    out.push_back(std::string("-march=armv8.1-m.main") + (t.has("dsp") ? "+dsp" : "") +
                  (t.has("mve.fp") ? "+mve.fp"
                   : t.has("mve")  ? "+mve"
                                   : "") +
                  (t.has("fp.dp") ? "+fp.dp" : ""));
  else
    out.push_back("-mcpu=" + t.cpu + cpu_options(t));
  out.emplace_back("-mthumb");
  if (!t.fpu.empty()) out.push_back("-mfpu=" + t.fpu);
  out.push_back("-mfloat-abi=" + t.float_abi);
  if (!t.short_enums) out.emplace_back("-fno-short-enums");
  return out;
}

// "cortex-m33-nodsp-soft"
std::string arm_name(const TargetSpec& t, const Core& core) {
  std::string options = cpu_options(t);
  std::replace(options.begin(), options.end(), '+', '-');
  const bool is_single = *core.single != 0 && t.fpu == core.single;
  return t.cpu + options + (is_single ? "-sp-" : "-") + t.float_abi + (t.short_enums ? "" : "-long-enums");
}

Result<TargetSpec> arm_target(const Options& o, const ArmTriple& triple, Diagnostics& diags) {
  if (!check_options(o, {"-mcpu", "-mfpu", "-mfloat-abi", "-mthumb", "-fshort-enums", "-fno-short-enums"}, diags))
    return failure;
  const auto found = arm_core(o, triple, diags);
  const auto float_abi = found ? arm_float_abi(o, triple, diags) : failure;
  if (!float_abi) return failure;
  const Core& core = **found;
  const auto unit = arm_unit(o, core, *float_abi, diags);
  if (!unit) return failure;
  const TargetSpec& relative = *known(core.relative);
  TargetSpec t = relative;
  t.cpu = core.cpu;
  t.fpu = unit->fpu;
  t.float_abi = *float_abi;
  t.triple = std::string("thumb") + core.arch + "-unknown-none-" + (t.float_abi == "hard" ? "eabihf" : "eabi");
  t.isa = unit->isa;
  t.short_enums = !o.given.contains("-fno-short-enums");
  for (const TargetSpec& k : known_targets())
    if (k.cpu == t.cpu && k.float_abi == t.float_abi && k.fpu == t.fpu && k.short_enums == t.short_enums &&
        k.isa == t.isa)
      return k;
  t.name = arm_name(t, core);
  t.gnu_flags = gnu_flags_of(t, relative);
  // Their boards have other cores beside them, and start in other ways.
  if (core.is_real_time()) t.simulator.clear();
  return t;
}

// "cortex-m33+nodsp": a core by its name, which uses the FPU that it then has.
Result<TargetSpec> named_core(Options o, const Core& core, Diagnostics& diags) {
  o.given["-mcpu"] = o.triple;
  o.triple = core.cpu;
  const auto isa = arm_features(o, core, diags);
  if (!isa) return failure;
  const auto has = [&](const char* feature) { return std::find(isa->begin(), isa->end(), feature) != isa->end(); };
  o.given.emplace("-mfloat-abi", has("fp.sp") || has("mve") ? "hard" : "soft");
  return arm_target(o, {}, diags);
}

// Single-letter extensions of "rv32imc_zicsr": the letters between the width and the first '_'.
bool riscv_has(const std::string& march, char extension) {
  const std::string letters = march.substr(4, march.find('_') == std::string::npos ? march.npos : march.find('_') - 4);
  return letters.find(extension) != std::string::npos ||
         (letters.find('g') != std::string::npos && std::string("imafd").find(extension) != std::string::npos);
}

// "riscv32imac-unknown-none-elf" says "rv32imac", "riscv32-unknown-elf" "rv32".
std::optional<std::string> riscv_triple(const std::string& triple) {
  static const std::regex form("riscv(32|64)([a-z]*)(-unknown)?(-unknown|-none)?-elf");
  std::smatch found;
  if (!std::regex_match(triple, found, form)) return std::nullopt;
  return "rv" + found[1].str() + found[2].str();
}

Result<TargetSpec> riscv_target(const Options& o, const std::string& said, Diagnostics& diags) {
  if (!check_options(o, {"-march", "-mabi", "-mcmodel"}, diags)) return failure;
  std::string march = o.get("-march"), abi = o.get("-mabi");
  const std::string model = o.get("-mcmodel");
  if (said.size() > 4) {  // with extensions
    if (!march.empty() && march != said)
      return diags.error({}, o.text, "the triple is of another architecture", "-march=" + march, "-march=" + said);
    march = said;
    if (abi.empty())
      abi = std::string(said.starts_with("rv64") ? "lp64" : "ilp32") + (riscv_has(said, 'd')   ? "d"
                                                                        : riscv_has(said, 'f') ? "f"
                                                                                               : "");
  }
  if (march.empty())
    return diags.error({}, o.text, "the target is incomplete: the architecture is missing", o.text,
                       "-march=rv32imc or the like");
  if (abi.empty())
    return diags.error({}, o.text, "the target is incomplete: the ABI is missing", o.text, "-mabi=ilp32 or the like");
  if (!march.starts_with("rv32") && !march.starts_with("rv64"))
    return diags.error({}, o.text, "the architecture is not known", march, "rv32... | rv64...");
  const bool wide = march.starts_with("rv64");
  const std::string base = wide ? "lp64" : "ilp32";
  if (abi != base && abi != base + "f" && abi != base + "d")
    return diags.error({}, o.text, "the ABI does not fit " + march, abi, base + " | " + base + "f | " + base + "d");
  if ((abi.ends_with("f") && !riscv_has(march, 'f')) || (abi.ends_with("d") && !riscv_has(march, 'd')))
    return diags.error({}, o.text, "the ABI passes floats in registers that " + march + " does not have", abi, base);
  if (!model.empty() && model != "medlow" && model != "medany")
    return diags.error({}, o.text, "the code model is not known", model, "medlow | medany");
  const std::string code_model = model == "medany" ? "medium" : "";
  for (const TargetSpec& t : known_targets())
    if (t.march == march && t.abi == abi && t.code_model == code_model) return t;
  TargetSpec t = *known(wide ? "riscv64gc" : "riscv32imc");
  t.name = march + "-" + abi;
  t.march = march;
  t.abi = abi;
  t.code_model = code_model;
  t.isa.clear();
  if (riscv_has(march, 'm')) t.isa.emplace_back("hwdiv");
  if (riscv_has(march, 'f')) t.isa.emplace_back("fp.sp");
  if (riscv_has(march, 'd')) t.isa.emplace_back("fp.dp");
  t.gnu_flags = {"-march=" + march, "-mabi=" + abi};
  if (!model.empty()) t.gnu_flags.push_back("-mcmodel=" + model);
  t.gnu_flags.emplace_back("--specs=picolibc.specs");
  return t;
}

// Linux targets: the known one, or another CPU of the same architecture.
Result<TargetSpec> linux_target(const Options& o, const char* name, const char* cpu_option, Diagnostics& diags) {
  if (!check_options(o, {cpu_option}, diags)) return failure;
  TargetSpec t = *known(name);
  const std::string cpu = o.get(cpu_option);
  if (cpu.empty() || cpu == t.cpu) return t;
  for (const TargetSpec& other : known_targets())
    if (other.triple == t.triple && other.cpu == cpu) return other;
  t.name = std::string(name) + "-" + cpu;
  t.cpu = cpu;
  t.march.clear();
  // Cores of Armv8 have a triple of their own on 32-bit Linux, as Arm's list of cores says.
  static const std::regex v8("cortex-(a3[25]|a5[357]|a7[2-8].*|x1.*)|neoverse-.*");
  if (t.triple.starts_with("armv7") && std::regex_match(cpu, v8)) t.triple.replace(0, 5, "armv8");
  // Options for another core or its architecture are removed; the float convention stays.
  std::erase_if(t.gnu_flags, [](const std::string& f) { return f.starts_with("-mcpu=") || f.starts_with("-march="); });
  t.gnu_flags.push_back(std::string(cpu_option) + "=" + cpu);
  return t;
}

bool is_one_of(const std::string& text, std::initializer_list<const char*> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

}  // namespace

Result<TargetSpec> parse_target_string(const std::string& text, Diagnostics& diags) {
  Options o;
  o.text = text;
  for (std::string word : words(text)) {
    if (word.starts_with("--target=")) word = word.substr(9);
    if (!word.starts_with("-")) {
      if (!o.triple.empty())
        return diags.error({}, text, "the target names two triples", o.triple + " and " + word, "one");
      o.triple = word;
      continue;
    }
    const std::size_t equals = word.find('=');
    std::string& value = o.given[word.substr(0, equals)];
    if (equals != std::string::npos) value = word.substr(equals + 1);
    if (!check_text(value, kOptionValue, {}, word.substr(0, equals), diags)) return failure;
  }
  if (o.triple.empty() && !o.given.empty())
    return diags.error({}, text, "the target is incomplete: the triple is missing", text,
                       "arm-none-eabi -mcpu=... or the like");
  if (const auto arm = arm_triple(o.triple)) return arm_target(o, *arm, diags);
  if (const auto riscv = riscv_triple(o.triple)) return riscv_target(o, *riscv, diags);
  if (is_one_of(o.triple, {"aarch64-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-none-linux-gnu"}))
    return linux_target(o, "aarch64-linux-gnu", "-mcpu", diags);
  if (is_one_of(o.triple, {"armv7-linux-gnueabihf", "armv7-none-linux-gnueabihf", "armv7-unknown-linux-gnueabihf",
                           "arm-linux-gnueabihf", "arm-none-linux-gnueabihf", "arm-unknown-linux-gnueabihf"}))
    return linux_target(o, "armv7-linux-gnueabihf", "-mcpu", diags);
  if (is_one_of(o.triple, {"i386-linux-gnu", "i386-unknown-linux-gnu", "i386-pc-linux-gnu", "i686-linux-gnu",
                           "i686-unknown-linux-gnu", "i686-pc-linux-gnu"}))
    return linux_target(o, "i386-linux-gnu", "-march", diags);
  if (is_one_of(o.triple, {"x86_64-linux-gnu", "x86_64-unknown-linux-gnu", "x86_64-pc-linux-gnu"}))
    return linux_target(o, "host", "-march", diags);
  if (const Core* core = find_core(o.triple.substr(0, o.triple.find('+'))); core && !o.given.contains("-mcpu"))
    return named_core(std::move(o), *core, diags);
  std::string names;
  std::vector<std::string> words;
  for (const TargetSpec& t : known_targets()) {
    names += (names.empty() ? "" : ", ") + t.name;
    words.push_back(t.name);
  }
  for (const Chip& c : chips()) words.push_back(c.name);
  return diags.error({}, {}, "unknown target" + did_you_mean(text, words), text.empty() ? "nothing" : "'" + text + "'",
                     names +
                         ", c, a chip or board of byoc targets, a core such as cortex-m33+nodsp, a .json file, or a "
                         "triple with options");
}

}  // namespace byoc::target
