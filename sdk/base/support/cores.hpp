// Limits how many jobs this process runs at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace byoc {

// Processors that this process may use: those of its affinity, no more than the quota of its control groups (rounded
// up), at least one.
[[nodiscard]] unsigned usable_cores();

// The number of cores that a control group of version 2 grants. `cpu_max` is the text of cpu.max, "max 100000" or
// "250000 100000". 0: no limit, or the text has another form.
[[nodiscard]] unsigned cores_of_quota(std::string_view cpu_max);

// Slots beside the one that every process has, taken from the jobserver of a make that runs this process (GNU make
// manual, "POSIX Jobserver Interaction": both the pipe and the fifo form). Given back at the end, each byte as it came;
// also when a signal ends the process.
class JobSlots {
 public:
  // Takes up to `most`, as many as there are right now; without a make that shares its slots, `most`.
  // `makeflags`: the text of $MAKEFLAGS.
  JobSlots(unsigned most, const std::string& makeflags);
  ~JobSlots();
  JobSlots(const JobSlots&) = delete;
  JobSlots& operator=(const JobSlots&) = delete;

  [[nodiscard]] unsigned count() const { return count_; }

 private:
  int to_ = -1;  // where they are given back
  std::string tokens_;
  unsigned count_ = 0;
};

// Gives back what JobSlots of this process hold. For signals.
void give_back_job_slots();

}  // namespace byoc
