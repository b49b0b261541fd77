#include "sdk/run/cores/cycle_costs.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "sdk/run/cores/assembly.hpp"
#include "sdk/run/cores/pipeline.hpp"

namespace byoc {

enum class CostKind : std::uint8_t {
  integer,     // reads registers, writes the first operand
  control,     // no result that an address or a sum could be made of
  load,        // of one register
  store,       // of one register
  many,        // a cycle for each register besides
  float_load,  // VLDR, VSTR
  arithmetic,  // of the FPU, its result is there a cycle later
  accumulate,  // the same; takes its addend, which is its result, a cycle later
};

struct InstructionCost {
  std::string_view mnemonics;  // separated by spaces; without conditions, flags (s) and types
  CostKind kind;
  unsigned cycles;  // of CostKind::many: besides its registers
};

namespace {

// ARM DDI 0439, tables 3-1 (instruction set summary), 3-2 (DSP) and 7-1 (FPU).
constexpr std::array kCortexM4 = {
    InstructionCost{
        "mov movw movt mvn add addw adc sub subw sbc rsb neg adr and orr orn eor bic lsl lsr asr ror rrx clz rev rev16 "
        "revsh rbit sxtb sxth uxtb uxth sxtb16 uxtb16 sxtab sxtah uxtab uxtah sxtab16 uxtab16 bfc bfi sbfx ubfx ssat "
        "usat ssat16 usat16 sel pkhbt pkhtb qadd qsub qdadd qdsub mul mla mls smull umull smlal umlal umaal sadd8 "
        "sadd16 ssub8 ssub16 uadd8 uadd16 usub8 usub16 qadd8 qadd16 qsub8 qsub16 shadd8 shadd16 shsub8 shsub16 uhadd8 "
        "uhadd16 uhsub8 uhsub16 uqadd8 uqadd16 uqsub8 uqsub16 sasx ssax uasx usax qasx qsax shasx shsax usad8 usada8 "
        "smulbb smulbt smultb smultt smulwb smulwt smlabb smlabt smlatb smlatt smlawb smlawt smlalbb smlalbt smlaltb "
        "smlaltt smuad smuadx smusd smusdx smlad smladx smlsd smlsdx smlald smlaldx smlsld smlsldx smmul smmulr smmla "
        "smmlar smmls smmlsr",
        CostKind::integer, 1},
    InstructionCost{"cmp cmn tst teq nop hint it b bl bx blx cbz cbnz vcmp vcmpe vmrs vmsr cpsid cpsie bkpt",
                    CostKind::control, 1},
    InstructionCost{"dsb dmb isb mrs msr", CostKind::control, 2},
    InstructionCost{"tbb tbh", CostKind::control, 2},
    InstructionCost{"sdiv udiv", CostKind::integer, 12},
    InstructionCost{"ldr ldrb ldrh ldrsb ldrsh", CostKind::load, 2},
    InstructionCost{"str strb strh", CostKind::store, 2},
    InstructionCost{"ldrd strd", CostKind::load, 3},
    InstructionCost{"ldm ldmdb push pop stm stmdb vldmia vldmdb vstmia vstmdb vpush vpop", CostKind::many, 1},
    InstructionCost{"vldr vstr", CostKind::float_load, 2},
    InstructionCost{"vmov", CostKind::control, 1},
    InstructionCost{"vabs vneg vadd vsub vmul vnmul vcvt vcvtr vcvtb vcvtt", CostKind::arithmetic, 1},
    InstructionCost{"vmla vmls vnmla vnmls vfma vfms vfnma vfnms", CostKind::accumulate, 3},
    InstructionCost{"vdiv vsqrt", CostKind::arithmetic, 14},
};

// ARM DDI 0484, table 3-1, with the multiplier of one cycle. Without the port of one cycle for data.
constexpr std::array kCortexM0Plus = {
    InstructionCost{
        "mov mvn add adc sub sbc rsb neg adr and orr eor bic lsl lsr asr ror rev rev16 revsh sxtb sxth uxtb uxth mul",
        CostKind::integer, 1},
    InstructionCost{"cmp cmn tst nop b bl bx blx cpsid cpsie bkpt", CostKind::control, 1},
    InstructionCost{"dsb dmb isb mrs msr", CostKind::control, 3},
    InstructionCost{"ldr ldrb ldrh ldrsb ldrsh", CostKind::load, 2},
    InstructionCost{"str strb strh", CostKind::store, 2},
    InstructionCost{"ldm push pop stm", CostKind::many, 1},
};

const InstructionCost* find_cost(std::span<const InstructionCost> table, std::string_view mnemonic) {
  const InstructionCost* found = nullptr;
  find_mnemonic(mnemonic, [&](std::string_view name) {
    const auto row =
        std::find_if(table.begin(), table.end(), [&](const InstructionCost& c) { return lists(c.mnemonics, name); });
    return row == table.end() ? false : (found = &*row, true);
  });
  return found;
}

bool is_mnemonic_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); !name.empty() && at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_mnemonic_char(text[at - 1])) && (end == text.size() || !is_mnemonic_char(text[end])))
      return true;
  }
  return false;
}

bool reads_memory(CostKind k) {
  return k == CostKind::load || k == CostKind::store || k == CostKind::many || k == CostKind::float_load;
}

}  // namespace

// An instruction with what its neighbours need to know.
struct ParsedInstruction {
  const InstructionCost* cost = nullptr;
  std::vector<std::string_view> operands;
  std::string_view address;  // "[r0, r1]" or the base of a list

  ParsedInstruction(std::span<const InstructionCost> table, const Instruction& i)
      : cost(find_cost(table, i.mnemonic)), operands(split_operands(i.operands)) {
    if (!cost || !reads_memory(cost->kind)) return;
    for (const std::string_view o : operands)
      if (o.starts_with('[')) address = o;
    if (cost->kind == CostKind::many && operands.size() > 1) address = operands.front();
  }
  [[nodiscard]] std::string_view result() const { return operands.empty() ? std::string_view() : operands.front(); }
  // True if the address is a register and a number.
  [[nodiscard]] bool plain_address() const {
    const std::size_t comma = address.find(", ");
    return comma == std::string_view::npos || address.substr(comma + 2).starts_with('#');
  }
};

namespace {

// Cycles in a pipeline where loads overlap.
std::uint64_t overlapped_cycles(const Instruction& instruction, const ParsedInstruction& now,
                                const ParsedInstruction* before) {
  const bool is_double = now.result().starts_with('d');
  std::uint64_t cycles = now.cost->cycles;
  switch (now.cost->kind) {
    case CostKind::many: cycles += words_of_list(now.operands.empty() ? "" : now.operands.back()); break;
    case CostKind::float_load: cycles += is_double; break;
    case CostKind::control:  // two registers of the core and two of the FPU
      cycles += instruction.mnemonic.starts_with("vmov") && now.operands.size() > 2;
      break;
    case CostKind::store: cycles -= now.plain_address(); break;
    default: break;
  }
  if (!before) return cycles;
  const CostKind last = before->cost->kind;
  // Loads of one register overlap, unless the second needs the first's result for its address. STRD and LDRD do not.
  const bool single = now.cost->kind == CostKind::load || now.cost->kind == CostKind::store;
  if (single && cycles == 2 && last == CostKind::load && before->cost->cycles == 2 &&
      !mentions(now.address, before->result()))
    return 1;
  // An address from the result of the instruction before.
  if (last == CostKind::integer && mentions(now.address, before->result())) ++cycles;
  // The FPU's result in the next instruction, where it is not a sum that is added to.
  if (last == CostKind::arithmetic || last == CostKind::accumulate) {
    const bool compares = instruction.mnemonic.starts_with("vcmp"), stores = instruction.mnemonic.starts_with("vstr");
    const std::size_t first = compares || stores ? 0 : 1;
    for (std::size_t i = first; i < now.operands.size(); ++i)
      if (mentions(now.operands[i], before->result())) return cycles + 1;
  }
  return cycles;
}

// Cycles of an instruction that does not depend on its neighbours.
std::uint64_t plain_cycles(const Instruction&, const ParsedInstruction& now, const ParsedInstruction*) {
  const bool many = now.cost->kind == CostKind::many;
  return now.cost->cycles + (many ? words_of_list(now.operands.empty() ? "" : now.operands.back()) : 0);
}

// The manual has 1 to 3: less where the address is known early, more where the target crosses a word.
std::uint64_t cortex_m4_refill(const Instruction&, const Instruction& target) {
  return target.bytes == 4 && target.address % 4 != 0 ? 3 : 2;
}

// BL takes 3 cycles, POP with the program counter 3 and one a word, other branches 2.
std::uint64_t cortex_m0plus_refill(const Instruction& branch, const Instruction&) {
  return branch.mnemonic == "bl" || branch.mnemonic == "pop" ? 2 : 1;
}

// The end of a low-overhead loop branches for nothing, but for the first time.
std::uint64_t cortex_m55_refill(const Instruction& branch, const Instruction&) {
  return branch.mnemonic.starts_with("le") ? 0 : 2;
}

// The refill of a core that predicts branches.
std::uint64_t cortex_m85_refill(const Instruction& branch, const Instruction&) {
  return branch.mnemonic.starts_with("le") ? 0 : 1;
}

std::uint64_t one(const Instruction&, const Instruction&) { return 1; }
std::uint64_t two(const Instruction&, const Instruction&) { return 2; }

}  // namespace

struct CoreCosts {
  std::string_view cpu, name;
  // Either costs of instructions, or a pipeline.
  std::span<const InstructionCost> table;
  std::uint64_t (*cycles)(const Instruction&, const ParsedInstruction& now, const ParsedInstruction* before);
  const Pipeline* pipeline;
  std::uint64_t (*refill)(const Instruction& branch, const Instruction& target);
  std::uint64_t misprediction;  // 0: branches are not predicted
};

namespace {

constexpr std::array kCores = {
    CoreCosts{"cortex-m0plus", "Cortex-M0+", kCortexM0Plus, plain_cycles, nullptr, cortex_m0plus_refill, 0},
    CoreCosts{"cortex-m4", "Cortex-M4", kCortexM4, overlapped_cycles, nullptr, cortex_m4_refill, 0},
    CoreCosts{"cortex-m7", "Cortex-M7", {}, nullptr, &kCortexM7Pipeline, one, 6},
    CoreCosts{"cortex-m33", "Cortex-M33", {}, nullptr, &kCortexM33Pipeline, two, 0},
    CoreCosts{"cortex-m55", "Cortex-M55", {}, nullptr, &kCortexM55Pipeline, cortex_m55_refill, 0},
    CoreCosts{"cortex-m85", "Cortex-M85", {}, nullptr, &kCortexM85Pipeline, cortex_m85_refill, 7},
};

}  // namespace

const CoreCosts* core_costs(std::string_view cpu) {
  const auto* found = std::find_if(kCores.begin(), kCores.end(), [&](const CoreCosts& c) { return c.cpu == cpu; });
  return found == kCores.end() ? nullptr : &*found;
}

std::string_view core_name(const CoreCosts& core) { return core.name; }

std::string cores_with_costs() {
  std::string out;
  for (std::size_t i = 0; i < kCores.size(); ++i)
    out += (i == 0 ? "" : i + 1 < kCores.size() ? ", " : " or ") + std::string(kCores.at(i).cpu);
  return out;
}

std::optional<std::uint64_t> block_cycles(const CoreCosts& core, std::span<const Instruction> instructions,
                                          std::string& unknown) {
  if (core.pipeline) return pipeline_cycles(*core.pipeline, instructions, unknown);
  std::uint64_t cycles = 0;
  std::optional<ParsedInstruction> before;
  for (const Instruction& i : instructions) {
    ParsedInstruction now(core.table, i);
    if (!now.cost) {
      unknown = i.mnemonic;
      return std::nullopt;
    }
    cycles += core.cycles(i, now, before ? &*before : nullptr);
    before = std::move(now);
  }
  return cycles;
}

std::uint64_t refill_cycles(const CoreCosts& core, const Instruction& branch, const Instruction& target) {
  return core.refill(branch, target);
}

bool wants_disassembler(const CoreCosts& core) {
  return core.pipeline == &kCortexM55Pipeline || core.pipeline == &kCortexM85Pipeline;
}

std::uint64_t misprediction_cycles(const CoreCosts& core) { return core.misprediction; }

}  // namespace byoc
