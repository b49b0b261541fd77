// Operators of TFLite and ONNX over random cases: the evaluator against expectations that the tests derive by
// themselves, generated code on every kind of target against the evaluator, by the way that a user's model takes.
// BYOC_SWEEP_CASES sets how many cases of each family, BYOC_SWEEP_SEED where they start; BYOC_SWEEP_CASE takes one of
// them alone. BYOC_SWEEP_TARGET, BYOC_SWEEP_TOOLCHAIN and BYOC_SWEEP_OBJECTIVE (speed, size, balanced) override what a
// platform has, BYOC_SWEEP_BACKEND is the reference backend that comes before C; tests/fuzz/layers.py runs many this
// way.
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>

#include "backends/reference.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/export/export.hpp"
#include "sdk/model/evaluate/evaluate.hpp"
#include "sdk/run/simulate/simulate.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/e2e/layers/cases.hpp"

namespace byoc::test {
namespace {

std::int64_t environment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

std::string all(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

void keep(const std::string& folder) {
  if (const char* to = std::getenv("BYOC_SWEEP_KEEP"))
    std::filesystem::copy(folder, to, std::filesystem::copy_options::recursive);
}

Selection selection(const Family& family) {
  return {.count = static_cast<std::size_t>(environment("BYOC_SWEEP_CASES", static_cast<std::int64_t>(family.cases))),
          .seed = static_cast<std::uint64_t>(environment("BYOC_SWEEP_SEED", 1)),
          .only = environment("BYOC_SWEEP_CASE", -1)};
}

double real(const std::byte* bytes) {
  float f = 0;
  std::memcpy(&f, bytes, sizeof f);
  return static_cast<double>(f);
}

std::int64_t integer(TensorType type, const std::byte* bytes, std::size_t width) {
  std::uint64_t v = 0;
  std::memcpy(&v, bytes, width);
  const auto shift = static_cast<int>(64 - 8 * width);
  v <<= shift;
  return lowest(type) < 0 ? static_cast<std::int64_t>(v) >> shift : static_cast<std::int64_t>(v >> shift);
}

bool agree(double a, double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

// How element `i` of one tensor differs from that of another. `type` says how bytes are read.
std::string element_difference(const TensorData& type, double tolerance, std::size_t width, const std::byte* found,
                               const std::byte* expected) {
  if (type.is_float()) {
    const double a = real(found), b = real(expected);
    return agree(a, b, tolerance) ? "" : std::to_string(a) + " instead of " + std::to_string(b);
  }
  const std::int64_t a = integer(type.type, found, width), b = integer(type.type, expected, width);
  if (a == b || static_cast<double>(std::abs(a - b)) <= tolerance) return {};
  return std::to_string(a) + " instead of " + std::to_string(b);
}

// Calls f with every element's number; what it says of the first is kept. "": nothing.
std::string first_difference(std::size_t elements, const std::function<std::string(std::size_t)>& f) {
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < elements; ++i)
    if (const std::string text = f(i); !text.empty() && wrong++ == 0)
      first = "first at " + std::to_string(i) + ": " + text;
  if (wrong == 0) return {};
  return std::to_string(wrong) + " of " + std::to_string(elements) + " elements differ, " + first;
}

// "": the same.
std::string difference(const TensorData& type, double tolerance, std::span<const std::byte> found,
                       std::span<const std::byte> expected) {
  if (found.size() != expected.size())
    return std::to_string(found.size()) + " bytes, not " + std::to_string(expected.size());
  const std::size_t elements = type.elements();
  const std::size_t width = elements == 0 ? 1 : expected.size() / elements;
  return first_difference(elements, [&](std::size_t i) {
    return element_difference(type, tolerance, width, found.data() + i * width, expected.data() + i * width);
  });
}

// "": every integer is a real number of `steps`, rounded.
std::string distance(const TensorData& type, double tolerance, std::span<const std::byte> found,
                     const std::vector<double>& steps) {
  if (steps.size() != type.elements() || found.size() % steps.size() != 0)
    return std::to_string(found.size()) + " bytes for " + std::to_string(steps.size()) + " elements";
  const std::size_t width = found.size() / steps.size();
  return first_difference(steps.size(), [&](std::size_t i) {
    const std::int64_t a = integer(type.type, found.data() + i * width, width);
    if (std::abs(static_cast<double>(a) - steps[i]) <= 0.5 + tolerance) return std::string();
    return std::to_string(a) + " instead of " + std::to_string(steps[i]);
  });
}

// What the evaluator, or generated code beside it, has otherwise than it is expected.
std::string evaluator_difference(const Cases::Expected& e, std::span<const std::byte> found) {
  if (!e.steps.empty()) return distance(e.data, e.tolerance, found, e.steps);
  const auto bytes = e.data.bytes();
  return difference(e.data, e.tolerance, found, std::as_bytes(std::span(bytes)));
}

std::string generated_difference(const Cases::Expected& e, std::span<const std::byte> found,
                                 std::span<const std::byte> evaluated) {
  if (!e.is_exact) return distance(e.data, e.tolerance, found, e.steps);
  return difference(e.data, e.data.is_float() ? e.tolerance : 0, found, evaluated);
}

// The imported and prepared model of a family, and what the evaluator says.
struct Evaluated {
  TemporaryDirectory folder;  // of the model file, which stays as long as it is exported
  std::unique_ptr<Cases> cases;
  ir::Graph graph;
  std::vector<Blob> inputs;
  std::vector<std::vector<std::byte>> outputs;
};

bool is_counted(const ir::Graph& graph, std::size_t output) {
  return std::any_of(graph.counted.begin(), graph.counted.end(),
                     [&](const ir::CountedDim& c) { return c.output == output; });
}

Result<Evaluated> evaluate_family(const Family& family, Diagnostics& diags) {
  std::unique_ptr<Cases> cases = family.make(selection(family));
  auto folder = TemporaryDirectory::create(diags);
  if (!folder) return failure;
  const std::string path = folder->path() + "/" + family.name + cases->extension();
  write_file(path, cases->bytes());
  keep(folder->path());
  auto graph = load_model(path, {.lift = cases->lifts(), .dims = {}}, diags);
  if (!graph) return failure;
  Evaluated out{std::move(*folder), std::move(cases), std::move(*graph), {}, {}};
  std::vector<evaluate::Tensor> inputs;
  for (std::size_t i = 0; i < out.cases->inputs().size(); ++i) {
    const auto* bytes = reinterpret_cast<const std::byte*>(out.cases->inputs()[i].data());
    out.inputs.push_back(Blob::own({bytes, bytes + out.cases->inputs()[i].size()}));
    inputs.push_back({out.graph.values[out.graph.inputs[i]].type, out.inputs.back()});
  }
  auto results = evaluate::run(out.graph, inputs, diags);
  if (!results) return failure;
  for (const evaluate::Tensor& t : *results) out.outputs.emplace_back(t.bytes.data(), t.bytes.data() + t.bytes.size());
  return out;
}

struct Platform {
  const char* name;
  const char* target;     // "": none, the evaluator alone
  const char* toolchain;  // "": the target's default
  Objective objective;
};

constexpr Platform kPlatforms[] = {
    {"evaluator", "", "", Objective::balanced},
    {"host_clang", "host", "clang", Objective::balanced},
    {"host_gcc", "host", "gnu", Objective::size},
    {"cortex_m4f", "cortex-m4f", "", Objective::speed},
    {"cortex_m55", "cortex-m55", "", Objective::balanced},
    {"cortex_m0plus", "cortex-m0plus", "", Objective::size},
    {"riscv32imc", "riscv32imc", "", Objective::balanced},
};

std::string overridden(const char* variable, const char* otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : text;
}

std::string target_name(const Platform& platform) { return overridden("BYOC_SWEEP_TARGET", platform.target); }

Objective objective(const Platform& platform) {
  const char* text = std::getenv("BYOC_SWEEP_OBJECTIVE");
  if (text == nullptr) return platform.objective;
  const std::string_view name = text;
  return name == "speed" ? Objective::speed : name == "size" ? Objective::size : Objective::balanced;
}

Result<RunResult> generated(const Evaluated& family, const Platform& platform, const TargetSpec& target,
                            Diagnostics& diags, std::size_t runs = 1, bool reset = false) {
  const std::string preferred = overridden("BYOC_SWEEP_BACKEND", "c");
  const auto first = reference::find(preferred)->create({}), last = reference::find("c")->create({});
  std::vector<codegen::Codegen*> codegens{first.get()};
  if (preferred != "c") codegens.push_back(last.get());
  Job job;
  job.target = target;
  job.request.partition.prefer = {preferred};
  job.request.compiler.toolchain = overridden("BYOC_SWEEP_TOOLCHAIN", platform.toolchain);
  job.name = "sweep";
  job.request.objective = objective(platform);
  job.codegens = codegens;
  auto library = compile_model(family.graph, job, diags);
  auto folder = TemporaryDirectory::create(diags);
  if (!library || !folder) return failure;
  const std::string archive = folder->path() + "/sweep.a";
  if (!write_library(*library, archive, false, diags)) return failure;
  keep(folder->path());
  SimulateRequest request{.target = job.target,
                          .model = library->interface(),
                          .archive = archive,
                          .traced_archive = {},
                          .header = folder->path() + "/sweep.h",
                          .inputs = family.inputs};
  for (std::size_t i = 1; i < runs; ++i)
    request.inputs.insert(request.inputs.end(), family.inputs.begin(), family.inputs.end());
  request.reset = reset;
  return simulate(request, diags);
}

void PrintTo(const Platform& platform, std::ostream* out) { *out << platform.name; }

using Parameters = std::tuple<Family, Platform>;

std::vector<Family> families() {
  std::vector<Family> out = tflite_families();
  for (Family& family : onnx_families()) out.push_back(std::move(family));
  return out;
}

class Layers : public testing::TestWithParam<Parameters> {};

TEST_P(Layers, agrees) {
  const auto& [family, platform] = GetParam();
  Diagnostics diags;
  auto evaluated = evaluate_family(family, diags);
  ASSERT_TRUE(evaluated) << all(diags);
  const std::vector<Cases::Expected>& expectations = evaluated->cases->expected();
  std::optional<RunResult> result;
  if (*platform.target != '\0') {
    auto target = resolve_target(target_name(platform), diags);
    ASSERT_TRUE(target) << all(diags);
    if (find_program(target->gnu_command).empty()) GTEST_SKIP() << "needs " << target->gnu_command;
    auto simulated = generated(*evaluated, platform, *target, diags);
    ASSERT_TRUE(simulated) << all(diags);
    result = std::move(*simulated);
  }
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    const Cases::Expected& e = expectations[i];
    // A result whose length a run tells is shown as it is; the evaluator's has zeros behind it.
    if (result && is_counted(evaluated->graph, i)) result->outputs[i].resize(evaluated->outputs[i].size());
    const std::string text = result ? generated_difference(e, result->outputs[i], evaluated->outputs[i])
                                    : evaluator_difference(e, evaluated->outputs[i]);
    EXPECT_EQ(text, "") << family.name << " " << evaluated->cases->texts()[e.which];
  }
}

INSTANTIATE_TEST_SUITE_P(All, Layers, testing::Combine(testing::ValuesIn(families()), testing::ValuesIn(kPlatforms)),
                         [](const testing::TestParamInfo<Parameters>& info) {
                           return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
                         });

// Models with state, several runs on one instance.
class Sequences : public testing::TestWithParam<Parameters> {};

TEST_P(Sequences, goesOnAndStartsAnew) {
  const auto& [family, platform] = GetParam();
  constexpr std::size_t kRuns = 3;
  Diagnostics diags;
  auto evaluated = evaluate_family(family, diags);
  ASSERT_TRUE(evaluated) << all(diags);
  auto target = resolve_target(target_name(platform), diags);
  ASSERT_TRUE(target) << all(diags);
  if (find_program(target->gnu_command).empty()) GTEST_SKIP() << "needs " << target->gnu_command;
  std::vector<evaluate::Tensor> inputs;
  for (std::size_t i = 0; i < evaluated->inputs.size(); ++i)
    inputs.push_back({evaluated->graph.values[evaluated->graph.inputs[i]].type, evaluated->inputs[i]});
  for (const bool reset : {false, true}) {
    auto result = generated(*evaluated, platform, *target, diags, kRuns, reset);
    ASSERT_TRUE(result) << all(diags);
    evaluate::Instance instance(evaluated->graph);
    std::size_t moved = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      if (reset) instance.reset();
      auto expected = evaluate::run(evaluated->graph, inputs, diags, {}, &instance);
      ASSERT_TRUE(expected) << all(diags);
      for (std::size_t i = 0; i < expected->size(); ++i) {
        const Cases::Expected& e = evaluated->cases->expected()[i];
        const std::span bytes((*expected)[i].bytes.data(), (*expected)[i].bytes.size());
        EXPECT_EQ(difference(e.data, e.tolerance, result->outputs[run * expected->size() + i], bytes), "")
            << family.name << " run " << run << " " << evaluated->cases->texts()[e.which];
        if (!std::equal(bytes.begin(), bytes.end(), evaluated->outputs[i].begin())) ++moved;
      }
    }
    EXPECT_EQ(moved == 0, reset);  // a state that nothing depends on would prove nothing
  }
}

// Those with state, at counts for several runs.
std::vector<Family> stateful_families() {
  constexpr std::pair<std::string_view, std::size_t> kCases[] = {{"svdf", 9},
                                                                 {"rnn", 12},
                                                                 {"bidirectional_sequence_lstm", 9},
                                                                 {"unidirectional_sequence_lstm", 9},
                                                                 {"variables", 16},
                                                                 {"control", 16},
                                                                 {"signal_streams", 24},
                                                                 {"signal", 28}};
  std::vector<Family> out;
  for (Family& family : tflite_families())
    for (const auto& [name, cases] : kCases)
      if (family.name == name) out.push_back({family.name, cases, std::move(family.make)});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Stateful, Sequences,
                         testing::Combine(testing::ValuesIn(stateful_families()),
                                          testing::Values(kPlatforms[1], kPlatforms[3])),
                         [](const testing::TestParamInfo<Parameters>& info) {
                           return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
                         });

}  // namespace
}  // namespace byoc::test
