// TFLite operators over random cases: the evaluator against expectations that the tests derive by themselves, generated
// code on every kind of target against the evaluator, by the way that a user's model takes.
// BYOC_SWEEP_CASES sets how many cases of each family, BYOC_SWEEP_SEED where they start; BYOC_SWEEP_CASE takes one of
// them alone. BYOC_SWEEP_TARGET, BYOC_SWEEP_TOOLCHAIN and BYOC_SWEEP_OBJECTIVE (speed, size, balanced) override what a
// platform has; tests/fuzz/layers.py runs many this way.
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "backends/c/backend.hpp"
#include "sdk/evaluate/evaluate.hpp"
#include "sdk/module/target.hpp"
#include "sdk/pipeline/export.hpp"
#include "sdk/simulate/simulate.hpp"
#include "sdk/support/file.hpp"
#include "sdk/support/process.hpp"
#include "tests/e2e/tflite/families.hpp"

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

Sweep make_sweep(const Family& family) {
  const auto count = static_cast<std::size_t>(environment("BYOC_SWEEP_CASES", static_cast<std::int64_t>(family.cases)));
  const auto seed = static_cast<std::uint64_t>(environment("BYOC_SWEEP_SEED", 1));
  const std::int64_t only = environment("BYOC_SWEEP_CASE", -1);
  Sweep sweep;
  for (std::size_t i = 0; i < count; ++i) {
    if (only >= 0 && i != static_cast<std::size_t>(only)) continue;
    Random random(seed * 1000003 + i);
    sweep.begin_case("case " + std::to_string(i) + ":");
    family.make(sweep, random, i);
  }
  return sweep;
}

double number(const TensorData& like, const std::byte* bytes, std::size_t i) {
  float f = 0;
  std::memcpy(&f, bytes + 4 * i, 4);
  return like.is_float() ? static_cast<double>(f) : 0;
}

bool agree(double a, double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

// "": the same. `type` says how the bytes are read.
std::string difference(const TensorData& type, double tolerance, std::span<const std::byte> found,
                       std::span<const std::byte> expected) {
  if (found.size() != expected.size())
    return std::to_string(found.size()) + " bytes, not " + std::to_string(expected.size());
  const std::size_t elements = type.elements();
  const std::size_t width = elements == 0 ? 1 : expected.size() / elements;
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < elements; ++i) {
    std::int64_t a = 0, b = 0;
    std::memcpy(&a, found.data() + i * width, width);
    std::memcpy(&b, expected.data() + i * width, width);
    const bool same =
        type.is_float() ? agree(number(type, found.data(), i), number(type, expected.data(), i), tolerance) : a == b;
    if (same) continue;
    const int shift = static_cast<int>(64 - 8 * width);
    if (wrong++ == 0)
      first = "first at " + std::to_string(i) + ": " +
              (type.is_float()
                   ? std::to_string(number(type, found.data(), i)) + " instead of " +
                         std::to_string(number(type, expected.data(), i))
                   : std::to_string(static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << shift) >> shift) +
                         " instead of " +
                         std::to_string(static_cast<std::int64_t>(static_cast<std::uint64_t>(b) << shift) >> shift));
  }
  if (wrong == 0) return {};
  return std::to_string(wrong) + " of " + std::to_string(elements) + " elements differ, " + first;
}

// The imported and prepared model of a family, and what the evaluator says.
struct Evaluated {
  Sweep sweep;
  ir::Graph graph;
  std::vector<Blob> inputs;
  std::vector<std::vector<std::byte>> outputs;
};

Result<Evaluated> evaluate_family(const Family& family, Diagnostics& diags) {
  Sweep sweep = make_sweep(family);
  auto folder = TemporaryDirectory::create(diags);
  if (!folder) return failure;
  const std::string path = folder->path() + "/" + family.name + ".tflite";
  write_file(path, sweep.bytes());
  auto graph = load_model(path, {}, diags);
  if (!graph) return failure;
  Evaluated out{std::move(sweep), std::move(*graph), {}, {}};
  std::vector<evaluate::Tensor> inputs;
  for (std::size_t i = 0; i < out.sweep.inputs().size(); ++i) {
    const auto* bytes = reinterpret_cast<const std::byte*>(out.sweep.inputs()[i].data());
    out.inputs.push_back(Blob::own({bytes, bytes + out.sweep.inputs()[i].size()}));
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

Result<SimulateResult> generated(const Evaluated& family, const Platform& platform, const TargetSpec& target,
                                 Diagnostics& diags, std::size_t runs = 1, bool reset = false) {
  const auto backend = c::create_backend();
  codegen::Codegen* codegens[] = {backend.get()};
  ExportOptions options;
  options.target = target;
  options.toolchain = overridden("BYOC_SWEEP_TOOLCHAIN", platform.toolchain);
  options.name = "sweep";
  options.objective = objective(platform);
  options.codegens = codegens;
  auto library = compile_model(family.graph, options, diags);
  auto folder = TemporaryDirectory::create(diags);
  if (!library || !folder) return failure;
  const std::string archive = folder->path() + "/sweep.a";
  if (!write_library(*library, archive, false, diags)) return failure;
  if (const char* keep = std::getenv("BYOC_SWEEP_KEEP"))
    std::filesystem::copy(folder->path(), keep, std::filesystem::copy_options::recursive);
  SimulateRequest request{.target = options.target,
                          .model = library->interface,
                          .archive = archive,
                          .traced_archive = {},
                          .header_dir = folder->path(),
                          .inputs = family.inputs};
  for (std::size_t i = 1; i < runs; ++i)
    request.inputs.insert(request.inputs.end(), family.inputs.begin(), family.inputs.end());
  request.reset = reset;
  return simulate(request, diags);
}

void PrintTo(const Platform& platform, std::ostream* out) { *out << platform.name; }

using Parameters = std::tuple<Family, Platform>;
class TfliteSweep : public testing::TestWithParam<Parameters> {};

TEST_P(TfliteSweep, agrees) {
  const auto& [family, platform] = GetParam();
  Diagnostics diags;
  auto evaluated = evaluate_family(family, diags);
  ASSERT_TRUE(evaluated) << all(diags);
  const Sweep& sweep = evaluated->sweep;
  std::optional<SimulateResult> result;
  if (*platform.target != '\0') {
    auto target = resolve_target(target_name(platform), diags);
    ASSERT_TRUE(target) << all(diags);
    if (find_program(target->gnu_command).empty()) GTEST_SKIP() << "needs " << target->gnu_command;
    auto simulated = generated(*evaluated, platform, *target, diags);
    ASSERT_TRUE(simulated) << all(diags);
    result = std::move(*simulated);
  }
  for (std::size_t i = 0; i < sweep.expected().size(); ++i) {
    const Sweep::Expected& e = sweep.expected()[i];
    const auto bytes = e.data.bytes();
    const std::string text =
        result ? difference(e.data, e.tolerance, result->outputs[i], evaluated->outputs[i])
               : difference(e.data, e.tolerance, evaluated->outputs[i], std::as_bytes(std::span(bytes)));
    EXPECT_EQ(text, "") << family.name << " " << sweep.cases()[e.which];
  }
}

INSTANTIATE_TEST_SUITE_P(All, TfliteSweep,
                         testing::Combine(testing::ValuesIn(families().begin(), families().end()),
                                          testing::ValuesIn(kPlatforms)),
                         [](const testing::TestParamInfo<Parameters>& info) {
                           return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
                         });

// Models with state, several runs on one instance.
class TfliteSequence : public testing::TestWithParam<Parameters> {};

TEST_P(TfliteSequence, goesOnAndStartsAnew) {
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
        const Sweep::Expected& e = evaluated->sweep.expected()[i];
        const std::span bytes((*expected)[i].bytes.data(), (*expected)[i].bytes.size());
        EXPECT_EQ(difference(e.data, e.tolerance, result->outputs[run * expected->size() + i], bytes), "")
            << family.name << " run " << run << " " << evaluated->sweep.cases()[e.which];
        if (!std::equal(bytes.begin(), bytes.end(), evaluated->outputs[i].begin())) ++moved;
      }
    }
    EXPECT_EQ(moved == 0, reset);  // a state that nothing depends on would prove nothing
  }
}

INSTANTIATE_TEST_SUITE_P(
    Stateful, TfliteSequence,
    testing::Combine(testing::Values(Family{"svdf", make_svdf, 9},
                                     Family{"unidirectional_sequence_lstm", make_unidirectional_sequence_lstm, 9},
                                     Family{"variables", make_variables, 16}, Family{"control", make_control, 16}),
                     testing::Values(kPlatforms[1], kPlatforms[3])),
    [](const testing::TestParamInfo<Parameters>& info) {
      return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
    });

}  // namespace
}  // namespace byoc::test
