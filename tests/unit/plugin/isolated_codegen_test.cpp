// A plug-in that uses everything there is makes the same in a process of its own as in this one.
#include "sdk/codegen/plugin/isolate/isolated_codegen.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include "byoc/plugin.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "tests/support/services.hpp"

namespace byoc::plugin {
namespace {

// Stands for a model's file.
struct SomeFile final : codegen::ModelSource {
  [[nodiscard]] codegen::TfliteForm as_tflite(const codegen::Region& region) const override {
    codegen::TfliteForm out;
    for (const char c : "/* a region of " + std::to_string(region.nodes.size()) + " nodes of a file */")
      out.bytes.push_back(static_cast<std::byte>(c));
    return out;
  }
};

ir::Graph two_weighted_nodes() {
  ir::Graph g;
  g.name = "two";
  g.file = "two.onnx";
  for (const char* name : {"x", "a", "y"}) {
    ir::Value v;
    v.name = name;
    v.type.dtype = DType::f32;
    v.type.dims = {4};
    g.add_value(v);
  }
  g.add_constant("w", g.values[0].type, Blob::own(std::vector<std::byte>(16, std::byte{7})));
  for (const auto& [op, in, out] :
       {std::tuple("Abs", std::vector<ir::ValueId>{0}, 1u), std::tuple("Add", std::vector<ir::ValueId>{1, 3}, 2u)}) {
    ir::Node n;
    n.op = op;
    n.inputs = in;
    n.outputs = {out};
    g.add_node(n);
  }
  g.inputs = {0};
  g.outputs = {2};
  g.source = std::make_shared<const SomeFile>();
  return g;
}

int asked = 0;  // in this process, or in the worker

struct Everything final : PluginCodegen {
  using PluginCodegen::PluginCodegen;

  [[nodiscard]] Verdict verdict(const Region& model, const Node& node) const override {
    ++asked;
    if (node.op == "Abs" && options.flag("refuse")) return refuse(Reason::unsupported_op, "no Abs");
    Verdict v = claim();
    v.exactness = codegen::Exactness::lsb;
    v.tolerance = 1.5;
    v.cost = model.values.size();
    v.priority = -3;
    return v;
  }

  std::vector<codegen::Group> groups(const Region&, const TargetSpec&,
                                     std::span<const codegen::Match> matches) override {
    std::vector<codegen::Group> out;
    for (const codegen::Match& m : matches) out.push_back({m.nodes, claim(), m.pattern});
    return out;
  }

  bool update_constants(std::span<const Region> regions, codegen::ConstantUpdates& updates) override {
    const std::string& update = options.text("update");
    if (update == "none") return true;
    const Region& region = regions[0];
    const codegen::ValueId w = region.nodes[1].inputs[1];
    codegen::Value type = region.values[w];
    type.dtype = DType::i8;
    type.dims = {4, 4};
    type.quantisation = {{0.5F}, {3}, -1};
    std::vector<std::byte> bytes(16, std::byte{5});
    if (update == "size") bytes.pop_back();
    updates.replace(region, update == "unbound" ? region.inputs[0] : w, type, std::move(bytes));
    updates.diag(update == "fail" ? codegen::Severity::error : codegen::Severity::note, region, 1,
                 update == "fail" ? "no scale fits" : "requantised");
    return update != "silent";
  }

  bool compile(const Request& request, Host& host) override {
    const Region& region = request.regions[0];
    const auto& add = region.nodes[1];
    const std::vector<std::byte> bytes(32, std::byte{9});
    host.constant({.symbol = host.claim("copied"), .align = 8}, bytes);
    host.constant_from_value({.symbol = host.claim("referred")}, region, add.inputs[1], 4, 8);
    host.constant_arranged({.symbol = host.claim("arranged")}, region, add.inputs[1],
                           {.element_size = 4, .axes = {{4, 1}}, .loops = {{2, 0, 2}, {2, 0, 1}}});
    host.header("vendor/a.h", "/* a */");
    if (options.text("update") == "none") {
      const std::vector<std::byte> tflite = host.region_as_tflite(region);
      host.header("vendor/tflite.h", std::string(reinterpret_cast<const char*>(tflite.data()), tflite.size()));
    }
    codegen::SourceDecl source;
    source.name = host.claim("code");
    source.standard = "c11";
    source.include_directories = {"/nowhere"};
    host.source(source, "int x;\n/* seen " + std::to_string(asked) + " nodes */");
    const std::uint32_t own = host.private_value({64, 16, {"ram"}, "im2col"});
    Step step;
    step.symbol = host.claim("code");
    step.inputs = {{region.nodes[0].inputs[0]}};
    step.outputs = {{codegen::kNoValue, own}, {add.outputs[0]}};
    step.workspaces = {{128, 8, {}}};
    step.overlays = {{1, 0}};
    step.uses_instance = true;
    step.nodes = {0, 1};
    step.macs = 12;
    step.kernel = "k";
    host.step(region, step);
    host.stored_privately(region, region.nodes[0].outputs[0], {own, 4, {4}});
    host.alias(region, region.nodes[0].outputs[0], add.outputs[0]);
    host.fused(region, region.nodes[0].outputs[0], add.outputs[0]);
    host.instance({.bytes = 8, .init = host.claim("init")});
    host.artifact({codegen::ArtifactKind::licence, "0BSD", {}}, bytes);
    const auto& w = region.values[add.inputs[1]];
    host.diag(codegen::Severity::note, region, codegen::kNoNode,
              "w is " + std::to_string(static_cast<int>(w.dtype)) + " of rank " + std::to_string(w.dims.size()) + ", " +
                  std::to_string(w.quantisation.scales.size()) + " scales, aligned " +
                  std::to_string(reinterpret_cast<std::uintptr_t>(w.data.data()) % 8 == 0) + ", ends with " +
                  std::to_string(static_cast<int>(w.data.back())));
    host.log("packing");
    host.progress(1, 2, "half");
    host.diag(codegen::Severity::warning, region, 1, host.cancelled() ? "cancelled" : "not cancelled");
    host.diag(codegen::Severity::note, region, codegen::kNoNode,
              ::access((host.scratch_directory() + "/.").c_str(), W_OK) == 0 ? "scratch" : "no scratch");
    return !options.flag("fail");
  }
};

const byoc_plugin_t* everything(const byoc_query_t* q) {
  return abi::serve<abi::MakeOf<Everything>>(q, [] {
    return PluginDescription{.id = "test.everything",
                             .name = "e",
                             .version = "1",
                             .caps = BYOC_CAP_DETERMINISTIC | BYOC_CAP_REWRITES,
                             .options = {{"fail", OptionType::boolean, "false", ""},
                                         {"refuse", OptionType::boolean, "false", ""},
                                         {"update", OptionType::text, "none", ""}},
                             .patterns = {{"both", {{.op = "Abs", .inputs = {-1}}, {.op = "Add", .inputs = {0}}}}},
                             .role = codegen::Role::reference};
  });
}

Result<Plugin> load_everything(Diagnostics& diags) { return negotiate(everything, "e.so", diags); }

void serve_everything(Worker::Channel& channel, std::string_view arguments) {
  serve_plugin(channel, arguments, load_everything);
}

// All that comes of it, as text.
struct Outcome {
  std::string text;
  std::string logged;
  const std::byte* referred = nullptr;
  const std::byte* arranged = nullptr;  // of what, while it is only described
};

Outcome run(bool isolate, const OptionTexts& options, const ir::Graph& g) {
  asked = 0;
  Outcome out;
  Diagnostics diags;
  const TargetSpec target;
  Services services;
  services.log = [&](std::string_view id, std::string_view line) {
    out.logged += std::string(id) + ": " + std::string(line) + "\n";
  };
  services.progress = [&](std::string_view, std::uint64_t done, std::uint64_t total, std::string_view what) {
    out.logged += std::to_string(done) + "/" + std::to_string(total) + " " + std::string(what) + "\n";
  };
  services.cancelled = [] { return true; };
  std::unique_ptr<codegen::Codegen> codegen;
  if (isolate) {
    auto plugin = IsolatedPlugin::load({"e.so", {}, "everything"}, target, {60, std::uint64_t{1} << 30}, diags);
    EXPECT_TRUE(plugin);
    codegen = std::move(*(*plugin)->create_codegen(options, services));
  } else {
    codegen = std::move(*create_codegen(*load_everything(diags), target, options, services, diags));
  }
  const BoundRegion region = make_region(g);
  out.text = std::string(codegen->id()) + " " + std::string(codegen->version()) + "\n";
  for (const codegen::Verdict& v : codegen->verdicts(region.region, target))
    out.text += std::to_string(v.claimed) + v.text + std::to_string(static_cast<int>(v.reason)) +
                std::to_string(static_cast<int>(v.exactness)) + std::to_string(v.tolerance) + std::to_string(v.cost) +
                std::to_string(v.priority) + "\n";
  EXPECT_EQ(codegen->patterns().size(), 1u);
  EXPECT_TRUE(codegen->accepts_rewrites());
  EXPECT_FALSE(codegen->saves_memory());
  EXPECT_EQ(codegen->role(), codegen::Role::reference);
  EXPECT_FALSE(codegen->built_in());
  for (const codegen::Group& group : codegen->groups(region.region, target, std::vector<codegen::Match>{{0, {0, 1}}}))
    out.text += "group of " + std::to_string(group.nodes.size()) + ", pattern " + std::to_string(group.pattern) + "\n";
  NameTable names;
  Compilation made;
  const bool ok =
      bool(compile_regions(*codegen, {&region, 1}, {g, target, Objective::size, "m", "m_i.h"}, names, made, diags));
  codegen.reset();
  out.text += ok ? "compiled\n" : "failed\n";
  for (const Diagnostic& d : diags.all()) out.text += to_string(d) + "\n";
  for (const ConstantArtifact& c : made.constants) {
    out.text += c.symbol + " " + std::to_string(c.align) + " " + c.codegen + ":";
    for (std::byte b : c.bytes.bytes()) out.text += " " + std::to_string(static_cast<int>(b));
    out.text += "\n";
    if (c.symbol == "m_referred") out.referred = c.bytes.data();
    if (c.symbol == "m_arranged" && c.bytes.arrangement() != nullptr) out.arranged = c.bytes.arranged_source().data();
  }
  for (const SourceArtifact& s : made.sources)
    out.text += s.decl.name + " " + s.decl.standard + " " + s.decl.include_directories[0] + "\n" + s.text + "\n";
  for (const auto& [name, text] : made.headers) out.text += name + " " + text + "\n";
  for (const OtherArtifact& a : made.others) out.text += a.decl.name + std::to_string(a.bytes.size()) + "\n";
  for (const codegen::PrivateValue& v : made.private_values)
    out.text += std::to_string(v.bytes) + v.pools[0] + v.name + "\n";
  for (const InstanceArtifact& i : made.instances) out.text += std::to_string(i.decl.bytes) + i.decl.init + "\n";
  for (const Step& s : made.steps)
    out.text += s.decl.symbol + " " + s.decl.kernel + std::to_string(s.decl.macs) + std::to_string(s.nodes.size()) +
                std::to_string(s.constants.size()) + std::to_string(s.decl.workspaces[0].bytes) +
                std::to_string(s.decl.overlays[0].output) + std::to_string(s.outputs[0].private_value) +
                std::to_string(s.decl.uses_instance) + "\n";
  for (const auto& [from, to] : made.aliases) out.text += std::to_string(from) + "=" + std::to_string(to) + "\n";
  for (const auto& [from, to] : made.fused) out.text += std::to_string(from) + ">" + std::to_string(to) + "\n";
  for (const auto& [v, l] : made.stored_privately)
    out.text += std::to_string(v) + "@" + std::to_string(l.base) + " " + std::to_string(l.strides[0]) + "\n";
  return out;
}

TEST(IsolatedCodegen, makesTheSame) {
  const ir::Graph g = two_weighted_nodes();
  for (const OptionTexts& options : {OptionTexts{}, {{"refuse", "true"}}, {{"fail", "true"}}}) {
    const Outcome here = run(false, options, g);
    const Outcome there = run(true, options, g);
    EXPECT_EQ(here.text, there.text);
    EXPECT_EQ(here.logged, there.logged);
    // By reference on both sides: the graph's own bytes, not a copy.
    EXPECT_EQ(here.referred, g.values[3].constant->bytes.data() + 4);
    EXPECT_EQ(there.referred, here.referred);
    EXPECT_EQ(here.arranged, g.values[3].constant->bytes.data());
    EXPECT_EQ(there.arranged, here.arranged);
    EXPECT_NE(here.text.find("group of 2, pattern 0"), std::string::npos);
    EXPECT_EQ(here.logged, "test.everything: packing\n1/2 half\n");
  }
}

TEST(IsolatedCodegen, replacesTheSameConstants) {
  const ir::Graph g = two_weighted_nodes();
  for (const char* update : {"sound", "size", "unbound", "fail", "silent"}) {
    const Outcome here = run(false, {{"update", update}}, g);
    const Outcome there = run(true, {{"update", update}}, g);
    EXPECT_EQ(here.text, there.text) << update;
    EXPECT_EQ(here.text.find("failed") == std::string::npos, update == std::string("sound")) << here.text;
    EXPECT_EQ(here.text.find("requantised") == std::string::npos, update == std::string("fail")) << here.text;
    if (update == std::string("sound")) {
      EXPECT_NE(here.text.find("w is 3 of rank 2, 1 scales, aligned 1, ends with 5"), std::string::npos) << here.text;
      EXPECT_NE(here.text.find("m_referred 4 test.everything: 5 5 5 5 5 5 5 5\n"), std::string::npos) << here.text;
    }
  }
  EXPECT_EQ(std::to_integer<int>(g.values[3].constant->bytes.bytes()[0]), 7);  // the model's stays
}

TEST(IsolatedCodegen, livesElsewhere) {
  const ir::Graph g = two_weighted_nodes();
  run(true, {}, g);
  EXPECT_EQ(asked, 0);
  run(false, {}, g);
  EXPECT_NE(asked, 0);
}

}  // namespace
}  // namespace byoc::plugin

std::vector<byoc::Service> byoc::test::services() { return {{"everything", plugin::serve_everything}}; }
