#include "sdk/run/values/run_result.hpp"

#include <array>
#include <cstdio>
#include <cstring>

namespace byoc {
namespace {

constexpr std::uint64_t kMagic = 0x31544c5543594f42;  // "BYOCULT1"
enum class ResultKind : std::uint64_t { done = 1, model_failed = 2, file_failed = 3, fault = 4, stack_overflow = 5 };
constexpr std::size_t kHeadWords = 7;  // magic, steps, kind, four of the kind

std::string hex(std::uint64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%08llx", static_cast<unsigned long long>(value));
  return text.data();
}

struct Bit {
  unsigned position;
  const char* meaning;
};

// Configurable Fault Status Register, ARMv7-M B3.2.15 and ARMv8-M D1.2.29.
constexpr std::array<Bit, 14> kFaultBits = {{{0, "instruction access violation"},
                                             {1, "data access violation"},
                                             {8, "instruction bus error"},
                                             {9, "precise data bus error"},
                                             {10, "imprecise data bus error"},
                                             {16, "undefined instruction"},
                                             {17, "invalid state"},
                                             {18, "invalid pc load"},
                                             {19, "no coprocessor"},
                                             {20, "stack overflow"},
                                             {24, "unaligned access"},
                                             {25, "divide by zero"},
                                             {5, "lazy FP state violation"},
                                             {13, "lazy FP state bus error"}}};

std::string arm_fault(std::uint64_t cfsr, std::uint64_t hfsr) {
  std::string text;
  for (const Bit& bit : kFaultBits) {
    if ((cfsr >> bit.position & 1) != 0) text += (text.empty() ? "" : ", ") + std::string(bit.meaning);
  }
  if ((hfsr >> 1 & 1) != 0) text += text.empty() ? "vector table read error" : ", vector table read error";
  return (text.empty() ? std::string("hard fault") : text) + ", cfsr " + hex(cfsr) + ", hfsr " + hex(hfsr);
}

// mcause without the interrupt bit, RISC-V privileged architecture, table 3.6.
std::string riscv_fault(std::uint64_t mcause) {
  constexpr std::array<const char*, 8> kCauses = {
      "instruction address misaligned", "instruction access fault", "illegal instruction",      "breakpoint",
      "load address misaligned",        "load access fault",        "store address misaligned", "store access fault"};
  return (mcause < kCauses.size() ? std::string(kCauses[mcause]) : std::string("trap")) + ", mcause " + hex(mcause);
}

Failure report_failed(const std::uint64_t* detail, const ModelInterface& model, const std::string& where,
                      Diagnostics& diags) {
  const auto code = static_cast<std::int64_t>(detail[0]);
  const auto text = [&]() -> std::string {
    switch (detail[1]) {
      case 1: return "the init function failed";
      case 2: return "the reset function failed";
      case 3: return "the deinit function failed";
      case 4: return "a step has more operands than can be watched" + where;
      default: break;
    }
    const RunFailure* known = model.failure_of(code);
    return (known == nullptr ? "the run function failed" : known->text) + where;
  };
  return diags.error({}, model.name, text(), std::to_string(code), "0");
}

Failure report(ResultKind kind, const std::uint64_t* detail, const ModelInterface& model, const TargetSpec& target,
               const std::string& where, Diagnostics& diags) {
  constexpr std::array<const char*, 6> kFiles = {"?",        "inputs.bin", "outputs.bin",
                                                 "dump.bin", "feed.bin",   "findings.bin"};
  switch (kind) {
    case ResultKind::model_failed: return report_failed(detail, model, where, diags);
    case ResultKind::file_failed:
      return diags.error({}, model.name, "the simulated program could not use its file",
                         kFiles[detail[0] < kFiles.size() ? detail[0] : 0]);
    case ResultKind::fault:
      return diags.error({}, model.name,
                         "the model faulted on " + target.name + " at pc " + hex(detail[0]) + ": " +
                             (target.march.empty() ? arm_fault(detail[1], detail[2]) : riscv_fault(detail[1])) +
                             (detail[3] != 0 ? ", address " + hex(detail[3]) : std::string()) + where);
    case ResultKind::stack_overflow:
      return diags.error({}, model.name, "the model overflowed the stack of the simulated firmware" + where, {},
                         "at most " + std::to_string(detail[0]) + " bytes");
    case ResultKind::done: break;
  }
  return diags.error("result.bin", model.name, "is of an unknown kind",
                     std::to_string(static_cast<std::uint64_t>(kind)));
}

}  // namespace

Result<RunFigures> read_run_result(std::span<const std::byte> file, const ModelInterface& model,
                                   const TargetSpec& target, Diagnostics& diags, const std::string& where) {
  std::vector<std::uint64_t> words(file.size() / 8);
  if (!words.empty()) std::memcpy(words.data(), file.data(), words.size() * 8);
  if (words.size() < kHeadWords || words[0] != kMagic || file.size() % 8 != 0 || words.size() - kHeadWords != words[1])
    return diags.error("result.bin", model.name, "is cut or not a result of the simulated program",
                       std::to_string(file.size()) + " bytes");
  const auto kind = static_cast<ResultKind>(words[2]);
  if (kind != ResultKind::done) return report(kind, &words[3], model, target, where, diags);
  RunFigures figures;
  figures.unit = static_cast<CountUnit>(words[3]);
  figures.count = words[4];
  figures.stack = words[5];
  figures.step_counts.assign(words.begin() + kHeadWords, words.end());
  return figures;
}

}  // namespace byoc
