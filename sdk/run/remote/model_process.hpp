// A model of a client's, loaded and run in a process of its own: its crash, its endless loop and its appetite end
// there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sdk/base/support/helper_program.hpp"
#include "sdk/base/support/worker.hpp"
#include "sdk/run/remote/protocol.hpp"

namespace byoc::remote {

struct RunPaths {
  std::vector<std::string> inputs;  // files of exactly the inputs' bytes
  bool reset = false;
  std::uint32_t repeats = 1;
};

// The process of a model.
extern const Service kModelService;

class ModelProcess {
 public:
  // Loads the library; `folder`: of the client's uploads, which is all that the process reads of those. The result says
  // what went wrong.
  ModelProcess(const std::string& library, const std::string& folder, const ModelCalls& calls, const Limits& limits,
               std::string& problem);

  // Fills `ran` and `outputs`, or says what went wrong. After a death every call says so again.
  [[nodiscard]] std::string run(const RunPaths& paths, Ran& ran, std::string& outputs);

 private:
  // The answer to a message; "" and the problem.
  std::string ask(const std::string& message, std::string& answer);
  Worker worker_;
};

}  // namespace byoc::remote
