#include "sdk/export/rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/word_list.hpp"

namespace byoc {
namespace {

using Request = ExportRequest;

constexpr std::string_view kAot = "aot", kVm = "vm", kInterpreted = "interpreted";
constexpr std::array kAotAlone{kAot};
constexpr std::array kBinding{kAot, kVm, kInterpreted};
constexpr std::array<std::string_view, 3> kCompiling{kAot, "graph", kVm};

bool has_weights(const Request& r) { return !r.weights.file.empty(); }
bool has_key(const Request& r) { return !r.weights.key.empty(); }
bool has_sequence(const Request& r) { return r.weights.sequence != 0; }
bool has_address(const Request& r) { return r.weights.address != 0; }
bool has_hooks(const Request& r) { return r.steps.hooks; }
bool has_resumable(const Request& r) { return r.steps.resumable; }
bool has_taps(const Request& r) { return !r.steps.taps.empty(); }
bool has_levels(const Request& r) { return !r.multiversion.empty(); }
bool has_lto(const Request& r) { return r.compiler.lto; }
bool has_input_names(const Request& r) { return !r.names.inputs.empty(); }
bool has_output_names(const Request& r) { return !r.names.outputs.empty(); }

// Options of the tables as a request has them.
struct RequestOption {
  std::string_view option;
  bool (*given)(const Request&);
};
constexpr RequestOption kRequestOptions[] = {
    {"--weights-blob", has_weights},      {"--weights-key", has_key},
    {"--weights-sequence", has_sequence}, {"--weights-address", has_address},
    {"--profile-hook", has_hooks},        {"--tap", has_taps},
    {"--multiversion", has_levels},       {"--lto", has_lto},
    {"--input-names", has_input_names},   {"--output-names", has_output_names},
    {"--resumable", has_resumable},
};

constexpr const char* kNoWeights = "is of weights in a file of their own, and there is none";
constexpr const char* kOfAot = "is for the executor aot";

constexpr const char* kOfCompiled = "is of what is compiled";

constexpr ExecutorRule kExecutorRules[] = {
    {"--weights-blob", "is for executors that bind constants", kBinding},
    {"--profile-hook", kOfAot, kAotAlone},
    {"--tap", kOfAot, kAotAlone},
    {"--multiversion", kOfAot, kAotAlone},
    {"--resumable", kOfAot, kAotAlone},
    {"--input-names", kOfAot, kAotAlone},
    {"--output-names", kOfAot, kAotAlone},
    {"--report", kOfCompiled, kCompiling},
    {"--depfile", kOfCompiled, kCompiling},
    {"--sbom", kOfCompiled, kCompiling},
};

constexpr PairRule kPairRules[] = {
    {"--weights-key", "--weights-blob", true, kNoWeights},
    {"--weights-sequence", "--weights-blob", true, kNoWeights},
    {"--weights-address", "--weights-blob", true, kNoWeights},
    {"--multiversion", "--weights-blob", false, "is not with --weights-blob"},
    {"--multiversion", "--profile-hook", false, "is not with --profile-hook"},
    {"--multiversion", "--tap", false, "is not with --tap"},
    {"--multiversion", "--resumable", false, "is not with --resumable"},
    {"--multiversion", "--lto", false, "is not with --lto"},
};

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
std::span<const PairRule> pair_rules() { return kPairRules; }

Result<void> check_name(const std::string& name, Diagnostics& diags) {
  if (name.empty() || to_identifier(name) == name) return {};
  return diags.error({}, "--name", "not a C identifier", "'" + name + "'",
                     "something like '" + to_identifier(name) + "'");
}

Result<void> check_options(const IsGiven& is_given, const std::string& executor, Diagnostics& diags) {
  for (const PairRule& r : kPairRules)
    if (is_given(r.option) && is_given(r.other) != r.needs)
      return diags.error({}, r.option, r.message, {}, r.needs ? r.other : "");
  for (const ExecutorRule& r : kExecutorRules)
    if (is_given(r.option) && std::find(r.executors.begin(), r.executors.end(), executor) == r.executors.end())
      return diags.error({}, r.option, r.message, executor, word_list(r.executors, "or"));
  return {};
}

Result<void> check_request(const ExportRequest& request, const std::string& out, Diagnostics& diags) {
  const auto is_given = [&](std::string_view option) {
    const auto* known =
        std::ranges::find_if(kRequestOptions, [&](const RequestOption& o) { return o.option == option; });
    return known != std::end(kRequestOptions) && known->given(request);
  };
  if (!check_options(is_given, request.executor, diags)) return failure;
  return check_form(request, out, diags);
}

}  // namespace byoc
