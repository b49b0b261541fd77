// Random graphs of quantised layers, rewritten, as C: the evaluator's results on the graph as it was.
#include <gtest/gtest.h>

#include "backends/c/backend.hpp"
#include "tests/support/generated_program.hpp"
#include "tests/unit/optimise/random_layers.hpp"

namespace byoc::test {
namespace {

// What differs, "" if nothing.
std::string run_rewritten(RandomLayers& layers, const optimise::Optimised& now, const Machine& machine) {
  Diagnostics diags;
  const std::vector<evaluate::Tensor> inputs = layers.contents(QuantisedLayers::Content::random);
  const auto expected = evaluate::run(layers.graph, inputs, diags);
  if (!expected) return text_of(diags);
  const plugin::BoundRegion& bound = now.partition.regions.at(0).bound;
  std::map<codegen::ValueId, std::vector<std::byte>> bytes;
  for (const codegen::ValueId v : bound.region.inputs) {
    const auto i =
        static_cast<std::size_t>(std::find(layers.graph.inputs.begin(), layers.graph.inputs.end(), bound.values[v]) -
                                 layers.graph.inputs.begin());
    const auto of = inputs.at(i).bytes.bytes();
    bytes[v] = {of.begin(), of.end()};
  }
  const RunResult result = run_generated(*c::create_backend(), bound.region, bytes, machine);
  if (!result.error.empty()) return result.error;
  for (const auto& [v, found] : result.outputs)
    for (std::size_t o = 0; o < layers.graph.outputs.size(); ++o)
      if (layers.graph.outputs[o] == bound.values[v] && !std::ranges::equal((*expected)[o].bytes.bytes(), found))
        return "output " + std::to_string(o) + " differs";
  return "";
}

class Rewrites : public ::testing::TestWithParam<Machine (*)()> {};

TEST_P(Rewrites, leaveResultsAsTheyAre) {
  const Machine machine = GetParam()();
  std::uint64_t channels = 0, graphs = 0;
  for (unsigned seed = 1; graphs < 12; ++seed) {
    RandomLayers layers(seed);
    const auto backend = c::create_backend();
    codegen::Codegen* const codegens[] = {backend.get()};
    Diagnostics diags;
    const auto placed = make_partition(layers.graph, codegens, machine.target, {}, diags);
    if (!placed || placed->regions.size() != 1) continue;  // the backend has not all of them
    const auto now = optimise::rewrite(layers.graph, *placed, codegens, machine.target, {}, diags);
    ASSERT_TRUE(now) << text_of(diags);
    const auto& summary = now->summary;
    const auto dropped =
        std::find_if(summary.begin(), summary.end(), [](const auto& s) { return s.name == "channels"; });
    if (dropped == summary.end()) continue;
    channels += dropped->count;
    ++graphs;
    EXPECT_EQ(run_rewritten(layers, *now, machine), "") << "seed " << seed;
  }
  EXPECT_GE(channels, 60u);
}

std::string machine_name(const ::testing::TestParamInfo<Machine (*)()>& of) {
  constexpr const char* kNames[] = {"host", "cortex_m4f", "cortex_m55"};
  return kNames[of.index];
}
Machine host() { return host_machine(); }
Machine m4f() { return cortex_m4f(); }
Machine m55() { return cortex_m55(); }

INSTANTIATE_TEST_SUITE_P(Machines, Rewrites, ::testing::Values(host, m4f, m55), machine_name);

}  // namespace
}  // namespace byoc::test
