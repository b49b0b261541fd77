// A plug-in that runs in a process of its own: a crash, an endless loop, exit() and too much memory are errors that
// name it.
//
// The first worker tries whether the plug-in loads and takes its options. The one that works is started when the first
// graph is there, with its constants: both processes map the files that they are in. Graphs go to it, and what it hands
// over comes back, as messages (wire.hpp); what comes back is checked like what a plug-in in this process hands over,
// and is the same.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/base/support/helper_program.hpp"
#include "sdk/base/support/worker.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"

namespace byoc::plugin {

// The plug-in that the worker loads: the arguments of load_plugin(). Tests have services of their own, which call
// serve_plugin().
struct PluginFile {
  std::string name;
  std::vector<std::string> folders = {};
  const char* service = "plugin";
};
extern const Service kService;

// The worker's side, with another way to load.
using LoadPlugin = std::function<Result<Plugin>(Diagnostics&)>;
void serve_plugin(Worker::Channel& channel, std::string_view arguments, const LoadPlugin& load);

// An isolated plug-in that could be loaded.
class IsolatedPlugin {
 public:
  // Its file names it in diagnostics until its id is known. `limits` bound each of its calls. `diags` must outlive it
  // and what it makes.
  static Result<std::unique_ptr<IsolatedPlugin>> load(const PluginFile& file, const TargetSpec& target,
                                                      const WorkerLimits& limits, Diagnostics& diags);
  ~IsolatedPlugin();
  [[nodiscard]] const std::string& id() const;
  [[nodiscard]] const std::string& version() const;
  [[nodiscard]] const std::string& where() const;
  [[nodiscard]] const std::string& licence() const;  // SPDX identifier of the code it emits; "": it does not say

  // Once. As create_codegen() of a plug-in in this process; and the constants of the first graph that the codegen is
  // asked about must stay as they are as long as it is there. An error of the plug-in at its end is told when the
  // codegen is destroyed.
  [[nodiscard]] Result<std::unique_ptr<codegen::Codegen>> create_codegen(const OptionTexts& options,
                                                                         const Services& services);

 private:
  class Session;
  class Codegen;
  explicit IsolatedPlugin(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

}  // namespace byoc::plugin
