#include "sdk/export/rules.hpp"

#include <algorithm>
#include <array>

#include "sdk/base/support/name_table.hpp"

namespace byoc {
namespace {

using Request = ExportRequest;

constexpr std::string_view kAot = "aot", kVm = "vm", kInterpreted = "interpreted";
constexpr std::array kAotAlone{kAot};
constexpr std::array kBinding{kAot, kVm, kInterpreted};

bool has_weights(const Request& r) { return !r.weights.file.empty(); }
bool has_key(const Request& r) { return !r.weights.key.empty(); }
bool has_sequence(const Request& r) { return r.weights.sequence != 0; }
bool has_address(const Request& r) { return r.weights.address != 0; }
bool has_hooks(const Request& r) { return r.profile_hook; }
bool has_taps(const Request& r) { return !r.taps.empty(); }
bool has_levels(const Request& r) { return !r.multiversion.empty(); }
bool has_lto(const Request& r) { return r.compiler.lto; }

// An option that needs another one, or does not go with it.
struct PairRule {
  const char* option;
  bool (*given)(const Request&);
  const char* other;
  bool (*other_given)(const Request&);
  bool needs;  // false: the two exclude each other
  const char* message;
};

constexpr const char* kNoWeights = "is of weights in a file of their own, and there is none";
constexpr const char* kOfAot = "is for the executor aot";

constexpr ExecutorRule kExecutorRules[] = {
    {"--weights-blob", has_weights, "is for executors that bind constants", kBinding},
    {"--profile-hook", has_hooks, kOfAot, kAotAlone},
    {"--tap", has_taps, kOfAot, kAotAlone},
    {"--multiversion", has_levels, kOfAot, kAotAlone},
};

constexpr PairRule kPairRules[] = {
    {"--weights-key", has_key, "--weights-blob", has_weights, true, kNoWeights},
    {"--weights-sequence", has_sequence, "--weights-blob", has_weights, true, kNoWeights},
    {"--weights-address", has_address, "--weights-blob", has_weights, true, kNoWeights},
    {"--multiversion", has_levels, "--weights-blob", has_weights, false, "is not with --weights-blob"},
    {"--multiversion", has_levels, "--profile-hook", has_hooks, false, "is not with --profile-hook"},
    {"--multiversion", has_levels, "--tap", has_taps, false, "is not with --tap"},
    {"--multiversion", has_levels, "--lto", has_lto, false, "is not with --lto"},
};

// "aot", "aot, vm or interpreted"
std::string alternatives(std::span<const std::string_view> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  return out;
}

Result<void> check_form(const Request& request, const std::string& out, Diagnostics& diags) {
  const WeightsOptions& w = request.weights;
  if (w.file.empty()) return {};
  if (request.executor == kAot && (out.ends_with(".so") || out.ends_with(".tar")))
    return diags.error(out, "--weights-blob", "loaders of this form do not bind weights", out, ".a, .o or a folder");
  if (w.address != 0 && !w.file.ends_with(".hex"))
    return diags.error(w.file, "--weights-address", "only Intel HEX has addresses", w.file, "a name that ends in .hex");
  return {};
}

}  // namespace

std::span<const ExecutorRule> executor_rules() { return kExecutorRules; }

Result<void> check_name(const std::string& name, Diagnostics& diags) {
  if (name.empty() || to_identifier(name) == name) return {};
  return diags.error({}, "--name", "not a C identifier", "'" + name + "'",
                     "something like '" + to_identifier(name) + "'");
}

Result<void> check_request(const ExportRequest& request, const std::string& out, Diagnostics& diags) {
  for (const PairRule& r : kPairRules)
    if (r.given(request) && r.other_given(request) != r.needs)
      return diags.error({}, r.option, r.message, {}, r.needs ? r.other : "");
  for (const ExecutorRule& r : kExecutorRules)
    if (r.given(request) && std::find(r.executors.begin(), r.executors.end(), request.executor) == r.executors.end())
      return diags.error({}, r.option, r.message, request.executor, alternatives(r.executors));
  return check_form(request, out, diags);
}

}  // namespace byoc
