// The registers that are assigned where the verifier is, and at places that jumps lead to. A place costs what changes
// between here and there, and never a register each: the work grows as the code does. Internal to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace byoc::bytecode {

class Assigned {
 public:
  // Places that are followed at one time. Bodies are functions of their own, so byoc's code has three at most.
  static constexpr unsigned kMostPlaces = 16;

  explicit Assigned(std::uint32_t registers) : here_(registers), differs_(registers) {}

  [[nodiscard]] bool has(std::uint32_t reg) const { return here_[reg]; }
  void set(std::uint32_t reg, bool assigned) {
    if (here_[reg] != assigned) flip(reg);
  }

  // A place with what is assigned here. Nullopt: kMostPlaces are followed already.
  [[nodiscard]] std::optional<unsigned> follow();
  // There, only those stay assigned that are so here.
  void meet_there(unsigned place);
  // Here, only those stay assigned that are so there.
  void meet_here(unsigned place);
  // Here is that place, which nothing else leads to.
  void go(unsigned place);
  // That place is here.
  void take(unsigned place);
  // The first register that is assigned there and not here.
  [[nodiscard]] std::optional<std::uint32_t> lost(unsigned place);
  void leave(unsigned place);

  // Registers that were looked at so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  // Registers that differ from here, and others that did once: differs_ says which.
  struct Place {
    bool followed = false;
    std::vector<std::uint32_t> more;   // assigned there, not here
    std::vector<std::uint32_t> fewer;  // assigned here, not there
  };
  void flip(std::uint32_t reg);
  [[nodiscard]] bool differs(unsigned place, std::uint32_t reg) const { return (differs_[reg] >> place & 1) != 0; }
  void forget(unsigned place, std::uint32_t reg) {
    differs_[reg] = static_cast<std::uint16_t>(differs_[reg] & ~(1u << place));
  }

  std::vector<bool> here_;
  std::vector<std::uint16_t> differs_;  // a bit for each place
  std::array<Place, kMostPlaces> places_;
  std::uint16_t followed_ = 0;  // a bit for each place
  std::uint64_t steps_ = 0;
};

}  // namespace byoc::bytecode
