// The reference backend, treated as somebody else's: in a process of its own, its C checked and compiled in workers.
// The library is the same, and its C keeps the rules that are made for others.
#include <gtest/gtest.h>

#include <tuple>

#include "backends/reference.hpp"
#include "sdk/codegen/plugin/isolate/isolated_codegen.hpp"
#include "sdk/export/export.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/services.hpp"
#include "tests/support/source_dir.hpp"

namespace byoc {
namespace {

std::string messages_of(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

constexpr const char* kBuiltIn = "built in";

void serve_built_in(Worker::Channel& channel, std::string_view arguments) {
  plugin::serve_plugin(channel, arguments, [](Diagnostics& diags) {
    return plugin::negotiate(reference::backends()[0].query, kBuiltIn, diags);
  });
}

class ForeignCodegen : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(ForeignCodegen, sameLibraryAndNothingFound) {
  const auto& [model, target_name] = GetParam();
  Diagnostics diags;
  auto graph = load_model(test::source_dir() + "/examples/demo/" + model, {}, diags);
  auto target = resolve_target(target_name, diags);
  auto isolated =
      plugin::IsolatedPlugin::load({"built in", {}, kBuiltIn}, *target, {60, std::uint64_t{1} << 32}, diags);
  ASSERT_TRUE(graph && target && isolated) << messages_of(diags);
  auto foreign = (*isolated)->create_codegen({}, {});
  ASSERT_TRUE(foreign) << messages_of(diags);
  const auto own = reference::backends()[0].create({});
  const auto compile = [&](codegen::Codegen* codegen) {
    Job job;
    job.target = *target;
    job.name = "model";
    job.codegens = {&codegen, 1};
    job.limits = {60, std::uint64_t{1} << 32};
    job.check_sources = CheckSources::error;
    auto library = compile_model(*graph, job, diags);
    EXPECT_TRUE(library);
    return library ? std::move(*library) : Library();
  };
  const Library one = compile(own.get());
  const Library other = compile(foreign->get());
  foreign->reset();
  EXPECT_EQ(messages_of(diags), "");
  EXPECT_EQ(one.header, other.header);
  EXPECT_EQ(write_manifest(*one.description), write_manifest(*other.description));
  ASSERT_EQ(one.members.size(), other.members.size());
  ASSERT_GT(one.members.size(), 2u);
  for (std::size_t i = 0; i < one.members.size(); ++i) {
    EXPECT_EQ(one.members[i].name, other.members[i].name);
    EXPECT_EQ(one.members[i].object, other.members[i].object) << one.members[i].name;
    ASSERT_EQ(one.members[i].constants.size(), other.members[i].constants.size());
    for (std::size_t c = 0; c < one.members[i].constants.size(); ++c) {
      const Blob& a = one.members[i].constants[c].bytes;
      const Blob& b = other.members[i].constants[c].bytes;
      EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes()));
      EXPECT_EQ(a.file(), b.file());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Demo, ForeignCodegen,
                         testing::Combine(testing::Values("vibration_float.onnx", "vibration_int8.onnx"),
                                          testing::Values("host", "cortex-m3", "cortex-m55")));

}  // namespace
std::vector<Service> test::services() { return {{kBuiltIn, serve_built_in}}; }

}  // namespace byoc
