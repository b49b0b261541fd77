// Versions old and new against each other, tables that make no sense, and options.
#include "sdk/codegen/plugin/abi/negotiate.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "sdk/codegen/plugin/abi/abi_values.hpp"
#include "sdk/codegen/plugin/abi/options.hpp"

namespace byoc::plugin {
namespace {

// A plug-in of a later minor: its table is longer than this host knows.
struct LaterPlugin {
  byoc_plugin_t known;
  void (*later)(void);
};
LaterPlugin offered;

const byoc_plugin_t* query_of_test(const byoc_query_t* q) {
  return q->abi_major == offered.known.abi_major ? &offered.known : nullptr;
}

// A table that nothing is wrong with, of the given minor; later minors are longer.
byoc_plugin_t& sound(std::uint32_t minor = BYOC_ABI_MINOR) {
  offered = {};
  byoc_plugin_t& t = offered.known;
  t.struct_size = minor > BYOC_ABI_MINOR ? sizeof offered : sizeof t;
  t.abi_major = BYOC_ABI_MAJOR;
  t.abi_minor = minor;
  t.id = BYOC_STRING("com.acme.npu");
  t.version = BYOC_STRING("2.1");
  t.create = [](const byoc_create_info_t*, byoc_codegen_t**) { return BYOC_FAILED; };
  t.destroy = [](byoc_codegen_t*) {};
  t.verdicts = [](byoc_codegen_t*, const byoc_verdict_request_t*) { return BYOC_FAILED; };
  t.compile = [](byoc_codegen_t*, const byoc_compile_request_t*) { return BYOC_FAILED; };
  return t;
}

std::string refusal(const HostVersion& host = {}) {
  Diagnostics diags;
  auto plugin = negotiate(query_of_test, "acme.so", diags, host);
  EXPECT_EQ(bool(plugin), !diags.has_errors());
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

TEST(Negotiate, oldPluginOnNewHostAndNewPluginOnOldHost) {
  sound(0);
  Diagnostics diags;
  auto old = negotiate(query_of_test, "acme.so", diags, {1, 1, 0});
  ASSERT_TRUE(old);
  EXPECT_EQ(old->abi_minor, 0u);
  sound(1);
  auto newer = negotiate(query_of_test, "acme.so", diags, {1, 0, 0});
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->abi_minor, 0u);
  sound(BYOC_ABI_MINOR + 1);
  auto next = negotiate(query_of_test, "acme.so", diags);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->abi_minor, BYOC_ABI_MINOR);
  EXPECT_EQ(newer->id, "com.acme.npu");
  EXPECT_EQ(newer->table.compile, offered.known.compile);
}

TEST(Negotiate, refusesWithBothVersions) {
  sound(3).min_host_minor = 2;
  EXPECT_NE(refusal({1, 1, 0}).find("it speaks ABI 1.2 to 1.3, this byoc " BYOC_VERSION " speaks ABI 1.0 to 1.1"),
            std::string::npos)
      << refusal({1, 1, 0});
  sound(0);
  EXPECT_NE(refusal({1, 4, 2}).find("built for an older byoc: it speaks ABI 1.0, this byoc"), std::string::npos);
  sound().abi_major = 2;
  EXPECT_NE(refusal().find("does not serve this byoc"), std::string::npos);
  sound(0).min_host_minor = 1;
  EXPECT_NE(refusal().find("contradict each other"), std::string::npos);
}

TEST(Negotiate, refusesTablesThatMakeNoSense) {
  sound();
  EXPECT_EQ(refusal(), "");
  const auto broken = [](const std::function<void(byoc_plugin_t&)>& change, const char* expected) {
    change(sound());
    EXPECT_NE(refusal().find(expected), std::string::npos) << refusal();
  };
  broken([](byoc_plugin_t& t) { t.struct_size = 8; }, "impossible size");
  broken([](byoc_plugin_t& t) { t.struct_size = 0xdeadbeef; }, "impossible size");
  broken([](byoc_plugin_t& t) { t.id = BYOC_STRING("Acme NPU"); }, "its id is not one (found 'Acme NPU'");
  broken([](byoc_plugin_t& t) { t.id = {nullptr, 5}; }, "a text of its table is no text");
  broken([](byoc_plugin_t& t) { t.version = {}; }, "does not say its version");
  broken([](byoc_plugin_t& t) { t.compile = nullptr; }, "a function of its table is missing");
  // An older, shorter table ends before its functions.
  broken([](byoc_plugin_t& t) { t.struct_size = offsetof(byoc_plugin_t, create); },
         "a function of its table is missing");
  broken([](byoc_plugin_t& t) { t.option_count = 1; }, "its list of options is none");
  broken([](byoc_plugin_t& t) { t.pattern_count = 1; }, "its list of patterns is none");
}

byoc_option_t option(std::uint32_t type, const char* name, const char* otherwise) {
  auto o = make_struct<byoc_option_t>();
  o.type = type;
  o.name = {name, std::strlen(name)};
  o.default_value = {otherwise, std::strlen(otherwise)};
  return o;
}

TEST(Negotiate, checksOptionsAndPatterns) {
  const byoc_option_t one = option(BYOC_OPTION_TEXT, "mode", "");
  const byoc_option_t* twice[] = {&one, &one};
  sound().options = twice;
  offered.known.option_count = 2;
  EXPECT_NE(refusal().find("option 'mode' is declared twice"), std::string::npos);
  const byoc_option_t odd = option(9, "mode", "");
  const byoc_option_t* list[] = {&odd};
  offered.known.options = list;
  offered.known.option_count = 1;
  EXPECT_NE(refusal().find("unknown type (found 9)"), std::string::npos);

  const std::int32_t forwards[] = {0};
  auto node = make_struct<byoc_pattern_node_t>();
  node.op = BYOC_STRING("Relu");
  node.inputs = forwards;
  node.input_count = 1;
  const byoc_pattern_node_t* nodes[] = {&node};
  auto pattern = make_struct<byoc_pattern_t>();
  pattern.name = BYOC_STRING("loop");
  pattern.nodes = nodes;
  pattern.node_count = 1;
  const byoc_pattern_t* patterns[] = {&pattern};
  sound().patterns = patterns;
  offered.known.pattern_count = 1;
  EXPECT_NE(refusal().find("node 0 of pattern 'loop' reads no earlier node"), std::string::npos);
}

class Options : public testing::Test {
 protected:
  Options() {
    options_[2].choices = choices_;
    options_[2].choice_count = 2;
    sound().options = list_;
    offered.known.option_count = 4;
  }
  std::vector<OptionValue> values(const OptionTexts& given) {
    Diagnostics diags;
    auto plugin = negotiate(query_of_test, "acme.so", diags);
    auto out = resolve_options(*plugin, given, diags);
    said_ = diags.all().empty() ? "" : to_string(diags.all()[0]);
    return out ? *out : std::vector<OptionValue>();
  }
  byoc_string_t choices_[2] = {BYOC_STRING("fast"), BYOC_STRING("small")};
  byoc_option_t options_[4] = {option(BYOC_OPTION_BOOL, "fuse", "true"), option(BYOC_OPTION_INTEGER, "cores", "0x10"),
                               option(BYOC_OPTION_CHOICE, "mode", "small"), option(BYOC_OPTION_REAL, "clock", "1.5")};
  const byoc_option_t* list_[4] = {&options_[0], &options_[1], &options_[2], &options_[3]};
  std::string said_;
};

TEST_F(Options, haveTheirDefaults) {
  const auto v = values({});
  ASSERT_EQ(v.size(), 4u);
  EXPECT_EQ(v[0].integer, 1);
  EXPECT_EQ(v[1].integer, 16);
  EXPECT_EQ(v[2].text, "small");
  EXPECT_EQ(v[2].integer, 1);
  EXPECT_EQ(v[3].real, 1.5);
  EXPECT_EQ(values({{"cores", "-9223372036854775808"}})[1].integer, INT64_MIN);
}

TEST_F(Options, refuseWhatTheyAreNot) {
  EXPECT_TRUE(values({{"fuse", "yes"}}).empty());
  EXPECT_NE(said_.find("found 'yes', expected true or false"), std::string::npos);
  for (const char* number : {"", "-", "12a", "9223372036854775808", "0x"}) {
    EXPECT_TRUE(values({{"cores", number}}).empty()) << number;
    EXPECT_NE(said_.find("expected an integer"), std::string::npos);
  }
  EXPECT_TRUE(values({{"clock", "inf"}}).empty());
  EXPECT_TRUE(values({{"mode", "slow"}}).empty());
  EXPECT_NE(said_.find("expected one of fast, small"), std::string::npos);
  EXPECT_TRUE(values({{"speed", "1"}}).empty());
  EXPECT_NE(said_.find("no such option (found 'speed', expected fuse, cores, mode, clock)"), std::string::npos);
}

TEST(ParseOptions, splitsAtTheLastDotOfTheName) {
  Diagnostics diags;
  auto options = parse_options({"com.acme.npu.mode=a.b=c", "com.acme.npu.cores=2", "x.y=", "x.z=1"}, diags);
  ASSERT_TRUE(options);
  EXPECT_EQ((*options)["com.acme.npu"]["mode"], "a.b=c");
  EXPECT_EQ((*options)["com.acme.npu"]["cores"], "2");
  EXPECT_EQ((*options)["x"].size(), 2u);
  for (const char* bad : {"mode=1", "com.acme.mode", ".mode=1", "com.=1", ""})
    EXPECT_FALSE(parse_options({bad}, diags));
  EXPECT_FALSE(parse_options({"a.b=1", "a.b=2"}, diags));
  EXPECT_NE(to_string(diags.all().back()).find("given twice"), std::string::npos);
}

}  // namespace
}  // namespace byoc::plugin
