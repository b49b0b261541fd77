#include "sdk/run/simulate/board.hpp"

namespace byoc {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

// -icount shift=0: one instruction takes one nanosecond of virtual time, so that the boards' clocks count instructions.
std::vector<std::string> qemu(const std::string& program, const std::string& board) {
  return {program,
          "-M",
          board,
          "-display",
          "none",
          "-monitor",
          "none",
          "-serial",
          "none",
          "-icount",
          "shift=0",
          "-semihosting-config",
          "enable=on,target=native",
          "-kernel"};
}

// `counter` is the board's FPGAIO COUNTER register, `period` instructions at 1 ns for one of its ticks.
Machine mps(std::string_view name, const std::string& counter, const std::string& period, std::vector<Memory> memories,
            std::vector<Placement> placements) {
  return {name,
          qemu("qemu-system-arm", std::string(name)),
          {"startup_arm.S", "counter_arm.S", "machine_arm.c", "semihosting.c"},
          {"-DHARNESS_COUNTER_ADDRESS=" + counter, "-DHARNESS_COUNTER_PERIOD=" + period},
          std::move(memories),
          std::move(placements)};
}

// Memories as QEMU models the board, code memory first. Constants leave it only where they do not fit, and so on.
const std::vector<Placement> kMps2Placements = {{0, 0, 1}, {0, 0, 2}, {0, 2, 1}, {0, 1, 2}, {0, 2, 2}};

Machine mps2(std::string_view name, std::uint64_t psram) {
  return mps(name, "0x40028018", "40",
             {{"ssram1", 0, 4 * kMiB}, {"ssram23", 0x20000000, 4 * kMiB}, {"psram", psram, 16 * kMiB}},
             kMps2Placements);
}

// Secure addresses: the core starts in the secure state and stays there.
Machine an505() {
  return mps("mps2-an505", "0x50302018", "50",
             {{"ssram1", 0x10000000, 4 * kMiB}, {"ssram23", 0x38000000, 4 * kMiB}, {"psram", 0x80000000, 16 * kMiB}},
             kMps2Placements);
}

Machine an547() {
  return mps("mps3-an547", "0x59302018", "50",
             {{"itcm", 0x10000000, kMiB / 2},
              {"sram", 0x31000000, 4 * kMiB},
              {"ddr", 0x70000000, 256 * kMiB},
              {"dtcm", 0x30000000, kMiB / 2}},
             {{0, 0, 1}, {0, 2, 1}, {0, 0, 2}, {0, 2, 2}});
}

// One memory in the machine, cut in two here. Nothing faults below the stack; its paint shows an overflow.
Machine riscv_virt(const TargetSpec& target) {
  Machine m{"riscv-virt",
            qemu(target.pointer_width == 64 ? "qemu-system-riscv64" : "qemu-system-riscv32", "virt"),
            {"startup_riscv.S", "machine_riscv.c", "semihosting.c"},
            {},
            {{"flash", 0x80000000, 256 * kMiB}, {"ram", 0x90000000, 256 * kMiB}},
            {{0, 0, 1}}};
  m.command.insert(m.command.begin() + 3, {"-m", "512M", "-bios", "none"});
  // QEMU's plain core has all extensions that are asked for, except vectors.
  if (target.march.starts_with("rv64") && target.march.find('v', 4) != std::string::npos)
    m.command.insert(m.command.begin() + 3, {"-cpu", "rv64,v=true,vlen=128,elen=64"});
  return m;
}

// A process of another CPU's, with the C library of Debian's cross compiler for it.
Machine qemu_user(const TargetSpec& target) {
  std::vector<std::string> command{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"};
  if (target.triple.starts_with("arm")) command = {"qemu-arm", "-L", "/usr/arm-linux-gnueabihf"};
  if (target.triple.starts_with("i386")) command = {"qemu-i386", "-L", "/usr/i686-linux-gnu"};
  return Machine{"qemu-user", std::move(command), {"hosted.c"}, {"-DHARNESS_EMULATED"}, {}, {}};
}

// Boards of Armv8-M have a core with everything; what the target lacks is left out, so that code that uses it faults.
Machine without_extensions(Machine m, const TargetSpec& target) {
  const auto leave_out = [&](const char* property) { m.command.insert(m.command.end() - 1, {"-global", property}); };
  if (!target.has("dsp") && !target.has("mve")) leave_out("armv7m.dsp=off");
  if (!target.has("fp.sp") && !target.has("mve")) leave_out("armv7m.vfp=off");
  return m;
}

}  // namespace

Result<Machine> machine_for(const TargetSpec& target, Diagnostics& diags) {
  const std::string& s = target.simulator;
  if (s == "native") return Machine{"native", {}, {"hosted.c"}, {}, {}, {}};
  if (s == "qemu-user") return qemu_user(target);
  if (s == "mps2-an385") return mps2("mps2-an385", 0x21000000);
  if (s == "mps2-an386") return mps2("mps2-an386", 0x21000000);
  if (s == "mps2-an500") return mps2("mps2-an500", 0x60000000);
  if (s == "mps2-an505") return without_extensions(an505(), target);
  if (s == "mps3-an547") return without_extensions(an547(), target);
  if (s == "riscv-virt") return riscv_virt(target);
  return diags.error({}, target.name, "target has no simulator that is known here", s.empty() ? "none" : s,
                     "native, qemu-user, mps2-an385, mps2-an386, mps2-an500, mps2-an505, mps3-an547 or riscv-virt");
}

}  // namespace byoc
