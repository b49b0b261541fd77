// Every member of every struct comes through: over the wire between processes, and over the C ABI in both directions.
#include "sdk/codegen/codegen/fields.hpp"

#include <gtest/gtest.h>

#include "byoc/forwarding_host.hpp"
#include "byoc/plugin.hpp"
#include "sdk/app/check/record.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"
#include "sdk/codegen/plugin/abi/abi_tables.hpp"
#include "sdk/codegen/plugin/isolate/wire.hpp"
#include "tests/support/fake_host.hpp"
#include "tests/unit/plugin/filled.hpp"

namespace byoc::plugin {
namespace {

using check::record_of;

template <class T>
void comes_over_the_wire(const T& value) {
  MessageWriter out;
  put(out, value);
  MessageReader in(out.bytes());
  const T back = get<T>(in);
  EXPECT_TRUE(in.ended());
  EXPECT_EQ(record_of(back), record_of(value));
}

TEST(Fields, comeOverTheWire) {
  comes_over_the_wire(filled_pattern());
  comes_over_the_wire(filled<codegen::Match>());
  comes_over_the_wire(filled<codegen::Verdict>());
  comes_over_the_wire(filled<codegen::Group>());
  comes_over_the_wire(filled<codegen::ConstantDecl>());
  comes_over_the_wire(filled_source());
  comes_over_the_wire(filled_artifact());
  comes_over_the_wire(filled<codegen::Arrangement>());
  comes_over_the_wire(filled_step());
  comes_over_the_wire(filled<codegen::PrivateValue>());
  comes_over_the_wire(filled<codegen::PrivateLayout>());
  comes_over_the_wire(filled<codegen::Instance>());
  const auto region = filled<codegen::Region>();
  MessageWriter out;
  put(out, region, KnownConstants());
  MessageReader in(out.bytes());
  EXPECT_EQ(record_of(get<codegen::Region>(in)), record_of(region));
}

TEST(Fields, areOfDifferentValues) {
  EXPECT_EQ(record_of(filled<codegen::Overlay>()), "{1 2 3 }");
  EXPECT_EQ(record_of(filled<codegen::Workspace>()), "{1 2 [2:t3 2:t4 ] }");
}

std::string seen;  // the region that the plug-in was given

// Hands over one of everything.
struct Whole final : PluginCodegen {
  using PluginCodegen::PluginCodegen;
  [[nodiscard]] Verdict verdict(const Region&, const Node&) const override { return filled<codegen::Verdict>(); }
  std::vector<codegen::Group> groups(const Region&, const TargetSpec&, std::span<const codegen::Match>) override {
    return {{{0, 1}, filled<codegen::Verdict>(), 0}};
  }
  bool compile(const Request& request, Host& host) override {
    const Region& region = request.regions[0];
    seen = record_of(region);
    const std::vector<std::byte> bytes(8);
    host.constant(filled<codegen::ConstantDecl>(), bytes);
    codegen::Arrangement how = filled<codegen::Arrangement>();
    host.constant_arranged(filled<codegen::ConstantDecl>(), region, 0, how);
    host.source(filled_source(), "text");
    host.artifact(filled_artifact(), bytes);
    (void)host.private_value(filled<codegen::PrivateValue>());
    host.step(region, filled_step());
    host.stored_privately(region, 1, filled<codegen::PrivateLayout>());
    host.instance(filled<codegen::Instance>());
    return true;
  }
};

const byoc_plugin_t* whole(const byoc_query_t* q) {
  return abi::serve<abi::MakeOf<Whole>>(
      q, [] { return PluginDescription{.id = "test.whole", .version = "1", .patterns = {filled_pattern()}}; });
}

// Takes what is arranged for what it is: the constants of the region are none of that size.
class Described final : public codegen::ForwardingHost {
 public:
  explicit Described(test::FakeHost& to) : ForwardingHost(to), to_(to) {}
  void constant_arranged(const codegen::ConstantDecl& d, const codegen::Region&, codegen::ValueId,
                         const codegen::Arrangement& how) override {
    to_.constants.push_back({d, {}});
    to_.arrangements.push_back(how);
  }

 private:
  test::FakeHost& to_;
};

// The host asks for the types of its values: ids are of some.
codegen::Region filled_region() {
  auto out = filled<codegen::Region>();
  for (codegen::Node& node : out.nodes)
    for (auto* list : {&node.inputs, &node.outputs})
      for (codegen::ValueId& v : *list) v %= static_cast<codegen::ValueId>(out.values.size());
  return out;
}

TEST(Fields, crossTheBorder) {
  Diagnostics diags;
  const TargetSpec target;
  auto plugin = negotiate(whole, "whole.so", diags);
  ASSERT_TRUE(plugin);
  auto codegen = create_codegen(*plugin, target, {}, {}, diags);
  ASSERT_TRUE(codegen);
  const codegen::Region region = filled_region();
  EXPECT_EQ(record_of((*codegen)->patterns()[0]), record_of(filled_pattern()));
  for (const codegen::Verdict& v : (*codegen)->verdicts(region, target))
    EXPECT_EQ(record_of(v), record_of(filled<codegen::Verdict>()));
  const auto groups = (*codegen)->groups(region, target, {});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(record_of(groups[0].verdict), record_of(filled<codegen::Verdict>()));
  test::FakeHost host;
  Described to(host);
  EXPECT_TRUE((*codegen)->compile({target, Objective::size, "m.h", {&region, 1}}, to));
  EXPECT_TRUE(host.diagnostics.empty()) << host.diagnostics[0].second;
  EXPECT_EQ(seen, record_of(region));
  ASSERT_EQ(host.constants.size(), 2u);
  for (const auto& c : host.constants) EXPECT_EQ(record_of(c.decl), record_of(filled<codegen::ConstantDecl>()));
  EXPECT_EQ(record_of(host.arrangements.at(0)), record_of(filled<codegen::Arrangement>()));
  EXPECT_EQ(record_of(host.sources.at(0).decl), record_of(filled_source()));
  EXPECT_EQ(record_of(host.artifacts.at(0).decl), record_of(filled_artifact()));
  EXPECT_EQ(record_of(host.private_values.at(0)), record_of(filled<codegen::PrivateValue>()));
  EXPECT_EQ(record_of(host.steps.at(0)), record_of(filled_step()));
  EXPECT_EQ(record_of(host.layouts.at(1)), record_of(filled<codegen::PrivateLayout>()));
  EXPECT_EQ(record_of(host.instances.at(0)), record_of(filled<codegen::Instance>()));
  EXPECT_FALSE(diags.has_errors());
}

}  // namespace
}  // namespace byoc::plugin
