// A host of the plug-in ABI that watches the plug-in: it takes everything down, may fail at a call of the plug-in's
// choice, shows guarded memory, and says who called from where.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/app/check/arena.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/name_table.hpp"
#include "sdk/codegen/plugin/abi/abi_tables.hpp"
#include "sdk/codegen/plugin/abi/negotiate.hpp"
#include "sdk/codegen/plugin/abi/options.hpp"

namespace byoc::check {

// The functions of the host.
enum class Function : std::uint32_t {
  diag,
  log,
  progress,
  cancelled,
  extension,
  scratch_directory,
  identity,
  region_as_onnx,
  region_as_tflite,
  node,
  group,
  replace,
  claim,
  artifact_begin,
  artifact_write,
  artifact_end,
  artifact_from_constant,
  private_value,
  step,
  alias,
  stored_privately,
  fused,
  instance,
  artifact_arranged,
  count
};
[[nodiscard]] const char* to_string(Function);
// Can it return a failure?
[[nodiscard]] constexpr bool can_fail(Function f) { return f >= Function::scratch_directory && f < Function::count; }

// The call of a function, counted from 1, at which it fails with this status.
struct Injection {
  Function function;
  std::size_t call;
  byoc_status_t status;
};

struct ProbeOptions {
  Showing showing = {};
  std::optional<std::uint32_t> abi_minor = {};  // the host's; the agreed one otherwise
  std::optional<Injection> injection = {};
  std::size_t cancel_from = 0;  // the call of cancelled() from which on it says yes; 0: never
};

// A verdict as it was told.
struct ToldVerdict {
  byoc_verdict_t verdict;  // text is not to be used
  std::string text;
};
struct ToldGroup {
  std::vector<std::uint32_t> nodes;
  std::uint32_t pattern = BYOC_NONE;
  ToldVerdict verdict;
};

class Probe {
 public:
  // No code of the plug-in runs yet. The plug-in must outlive the probe; destroy() is called at its end if necessary.
  Probe(const plugin::Plugin& plugin, const TargetSpec& target, std::vector<plugin::OptionValue> options,
        const ProbeOptions& how, Stage& stage, Findings& findings, std::string check);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // Calls of the plug-in. Exceptions out of it, and failures without a reason, are findings here.
  byoc_status_t create();
  byoc_status_t verdicts(const codegen::Region& model, std::span<const codegen::Match> matches = {});
  // Calls update_constants first, if the plug-in has it.
  byoc_status_t compile(std::span<const codegen::Region> regions, std::uint32_t attempt = 0);
  void destroy();

  [[nodiscard]] std::size_t calls(Function f) const { return calls_[static_cast<std::size_t>(f)]; }
  [[nodiscard]] bool injected() const { return injected_; }

  std::string doing;  // what the calls are about, for the stage: the graph's name
  // Answers of the last verdicts().
  std::vector<ToldVerdict> told;
  std::vector<ToldGroup> groups;
  // All messages and artifacts since the last call began, as text. Two texts are equal if and only if the messages and
  // artifacts are.
  std::string record;
  // Calls from a wrong thread or at a wrong time: C2.
  std::vector<std::string> misplaced;
  std::vector<std::string> errors;  // told with diag in the last call

 private:
  enum class Phase { none, create, verdicts, update, compile, destroy };
  struct Replacement {
    std::size_t region;
    codegen::ValueId value;
    codegen::Value type;
    std::vector<std::byte> bytes;
    bool retyped;  // other dtype or dims than the model's
  };
  static Probe& of(const byoc_host_t* h) { return *static_cast<Probe*>(h->context); }
  static Probe& of(const byoc_claims_t* c) { return *static_cast<Probe*>(c->context); }
  static Probe& of(const byoc_build_t* b) { return *static_cast<Probe*>(b->context); }
  static Probe& of(const byoc_updates_t* u) { return *static_cast<Probe*>(u->context); }
  byoc_status_t enter(Function function);
  void fill_host(byoc_host_t& table);
  static void fill_claims(byoc_claims_t& table);
  static void fill_build(byoc_build_t& table);
  template <class F>
  byoc_status_t run(Phase phase, const char* name, const F& call);
  template <class... Texts>
  void write(const Texts&... texts);
  template <class Told, class From>
  byoc_status_t write_struct(const char* what, const From* from);
  byoc_status_t update(std::vector<codegen::Region>& regions);
  byoc_status_t replace(std::uint32_t region, std::uint32_t value, const byoc_constant_t* constant);
  // The region that it asks for in another form.
  byoc_status_t in_form(const byoc_region_t* region, const codegen::Region*& source);
  byoc_status_t as_onnx(const byoc_region_t* region, byoc_write_fn to, void* user);
  byoc_status_t as_tflite(const byoc_region_t* region, byoc_write_fn to, void* user);
  byoc_status_t refuse(byoc_status_t status, const char* why);
  bool knows(const byoc_region_t* region) const;
  Arena& arena(const char* name);

  const plugin::Plugin& plugin_;
  TargetSpec target_;
  std::vector<plugin::OptionValue> options_;
  ProbeOptions how_;
  Stage& stage_;
  Findings& findings_;
  std::string check_;
  std::string version_;

  std::vector<std::unique_ptr<Arena>> arenas_;
  Arena* life_ = nullptr;  // what lives as long as the codegen
  const byoc_host_t* host_ = nullptr;
  const byoc_target_t* target_table_ = nullptr;
  byoc_codegen_t* codegen_ = nullptr;
  Phase phase_ = Phase::none;
  std::thread::id thread_;
  std::array<std::size_t, static_cast<std::size_t>(Function::count)> calls_{};
  bool injected_ = false;
  std::vector<const byoc_region_t*> regions_;  // of the running call
  std::span<const codegen::Region> sources_;   // that those are tables of
  std::vector<Replacement> replaced_;          // in the last update_constants()
  std::optional<TemporaryDirectory> scratch_;
  Arena* replies_ = nullptr;  // what functions of the host hand out in the running call
  NameTable names_;
  std::uint32_t artifacts_ = 0;
  std::uint32_t private_values_ = 0;
};

}  // namespace byoc::check
