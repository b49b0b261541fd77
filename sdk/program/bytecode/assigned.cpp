#include "sdk/program/bytecode/assigned.hpp"

#include <utility>

namespace byoc::bytecode {

void Assigned::flip(std::uint32_t reg) {
  here_[reg] = !here_[reg];
  differs_[reg] = static_cast<std::uint16_t>(differs_[reg] ^ followed_);
  for (unsigned p = 0; p < kMostPlaces; ++p) {
    if (!differs(p, reg)) continue;
    ++steps_;
    (here_[reg] ? places_[p].fewer : places_[p].more).push_back(reg);
  }
}

std::optional<unsigned> Assigned::follow() {
  for (unsigned p = 0; p < kMostPlaces; ++p) {
    if (places_[p].followed) continue;
    places_[p].followed = true;
    followed_ = static_cast<std::uint16_t>(followed_ | (1u << p));
    return p;
  }
  return std::nullopt;
}

void Assigned::meet_there(unsigned place) {
  for (const std::uint32_t reg : std::exchange(places_[place].more, {})) {
    ++steps_;
    if (!here_[reg]) forget(place, reg);
  }
}

void Assigned::meet_here(unsigned place) {
  // A register that flips here is taken off this list first, and may be put on the other one.
  for (const std::uint32_t reg : std::exchange(places_[place].fewer, {})) {
    ++steps_;
    if (differs(place, reg) && here_[reg]) flip(reg);
  }
}

void Assigned::go(unsigned place) {
  meet_here(place);
  for (const std::uint32_t reg : std::exchange(places_[place].more, {})) {
    ++steps_;
    if (differs(place, reg) && !here_[reg]) flip(reg);
  }
}

void Assigned::take(unsigned place) {
  for (auto* list : {&places_[place].more, &places_[place].fewer})
    for (const std::uint32_t reg : std::exchange(*list, {})) {
      ++steps_;
      forget(place, reg);
    }
}

std::optional<std::uint32_t> Assigned::lost(unsigned place) {
  std::optional<std::uint32_t> out;
  for (const std::uint32_t reg : std::exchange(places_[place].more, {})) {
    ++steps_;
    if (!differs(place, reg) || here_[reg]) continue;
    places_[place].more.push_back(reg);
    if (!out || reg < *out) out = reg;
  }
  return out;
}

void Assigned::leave(unsigned place) {
  take(place);
  places_[place].followed = false;
  followed_ = static_cast<std::uint16_t>(followed_ & ~(1u << place));
}

}  // namespace byoc::bytecode
