// Every function of the host that is given an id, an index or a place to put something, with one that does not exist:
// what is said names the codegen and the id, and nothing is read or written there.
#include <limits>

#include "tests/unit/plugin/border.hpp"

namespace byoc::plugin {
namespace {

constexpr std::uint32_t kWild[] = {4, 99, BYOC_NONE - 1};

struct Given {
  const char* function;
  std::function<byoc_status_t(const byoc_compile_request_t&, std::uint32_t id)> call;
  const char* message;
};

byoc_operand_t operand(std::uint32_t kind, std::uint32_t id) {
  auto o = make_struct<byoc_operand_t>();
  o.kind = kind;
  o.id = id;
  return o;
}

// A step that copies x to y, changed.
byoc_status_t step(const byoc_compile_request_t& r, const std::function<void(byoc_step_t&)>& change,
                   const byoc_operand_t& in = operand(BYOC_OPERAND_VALUE, 0),
                   const byoc_operand_t& out = operand(BYOC_OPERAND_VALUE, 3), std::uint32_t region = 0) {
  const byoc_operand_t* ins[] = {&in};
  const byoc_operand_t* outs[] = {&out};
  auto s = make_struct<byoc_step_t>();
  s.symbol = claim(r.build, "s");
  s.inputs = ins;
  s.input_count = 1;
  s.outputs = outs;
  s.output_count = 1;
  if (change) change(s);
  return r.build->step(r.build, region, &s);
}

std::uint32_t private_value(const byoc_build_t* b, std::uint64_t bytes) {
  auto v = make_struct<byoc_private_value_t>();
  v.bytes = bytes;
  v.align = 4;
  std::uint32_t id = BYOC_NONE;
  EXPECT_EQ(b->private_value(b, &v, &id), BYOC_OK);
  return id;
}

byoc_status_t layout(const byoc_build_t* b, std::uint32_t region, std::uint32_t value,
                     const std::function<void(byoc_private_layout_t&)>& change = {}) {
  static const std::int64_t strides[] = {4};
  auto l = make_struct<byoc_private_layout_t>();
  l.private_value = private_value(b, 16);
  l.strides = strides;
  l.stride_count = 1;
  if (change) change(l);
  return b->stored_privately(b, region, value, &l);
}

class Ids : public Border {
 protected:
  std::string said(const std::function<byoc_status_t(const byoc_compile_request_t&)>& body) {
    script.verdicts = claim_all;
    script.compile = [&](const byoc_compile_request_t& r) { return status_ = body(r); };
    return run();
  }
  void refuses(const Given& g, std::uint32_t id) {
    const std::string text = said([&](const auto& r) { return g.call(r, id); });
    EXPECT_EQ(status_, BYOC_INVALID_ARGUMENT) << g.function << " " << id;
    EXPECT_FALSE(ok_) << g.function;
    EXPECT_TRUE(has(text, "error: codegen 'test.script': ")) << g.function << ": " << text;
    EXPECT_TRUE(has(text, g.message)) << g.function << ": " << text;
    EXPECT_TRUE(has(text, std::to_string(id))) << g.function << ": " << text;
  }
};

TEST_F(Ids, valuesOfARegion) {
  const Given all[] = {
      {"artifact_from_constant",
       [](const auto& r, std::uint32_t id) {
         const byoc_artifact_t a = constant(r.build);
         return r.build->artifact_from_constant(r.build, &a, 0, id, 0, 4);
       },
       "of region 'two', which does not exist"},
      {"artifact_arranged",
       [](const auto& r, std::uint32_t id) {
         const byoc_artifact_t a = constant(r.build);
         auto how = make_struct<byoc_arrangement_t>();
         how.element_size = 4;
         return r.build->artifact_arranged(r.build, &a, 0, id, &how);
       },
       "of region 'two', which does not exist"},
      {"step: input", [](const auto& r, std::uint32_t id) { return step(r, {}, operand(BYOC_OPERAND_VALUE, id)); },
       "of region 'two', which does not exist (expected less than 4)"},
      {"step: output",
       [](const auto& r, std::uint32_t id) {
         return step(r, {}, operand(BYOC_OPERAND_VALUE, 0), operand(BYOC_OPERAND_VALUE, id));
       },
       "of region 'two', which does not exist (expected less than 4)"},
      {"alias", [](const auto& r, std::uint32_t id) { return r.build->alias(r.build, 0, id, 0); },
       "of region 'two', which does not exist"},
      {"alias: of", [](const auto& r, std::uint32_t id) { return r.build->alias(r.build, 0, 3, id); },
       "of region 'two', which does not exist"},
      {"fused", [](const auto& r, std::uint32_t id) { return r.build->fused(r.build, 0, id, 3); },
       "of region 'two', which does not exist"},
      {"fused: into", [](const auto& r, std::uint32_t id) { return r.build->fused(r.build, 0, 1, id); },
       "of region 'two', which does not exist"},
      {"stored_privately", [](const auto& r, std::uint32_t id) { return layout(r.build, 0, id); },
       "of region 'two', which does not exist"},
      {"identity",
       [](const auto& r, std::uint32_t id) {
         byoc_identity_t identity{};
         return script.host->identity(script.host, r.regions[0], id, &identity);
       },
       "asked for the identity of a value that does not exist (found "},
  };
  for (const Given& g : all)
    for (const std::uint32_t id : kWild) refuses(g, id);
}

TEST_F(Ids, regionsOfARequest) {
  const Given all[] = {
      {"artifact_from_constant",
       [](const auto& r, std::uint32_t id) {
         const byoc_artifact_t a = constant(r.build);
         return r.build->artifact_from_constant(r.build, &a, id, 2, 0, 4);
       },
       "names a region that does not exist"},
      {"artifact_arranged",
       [](const auto& r, std::uint32_t id) {
         const byoc_artifact_t a = constant(r.build);
         auto how = make_struct<byoc_arrangement_t>();
         return r.build->artifact_arranged(r.build, &a, id, 2, &how);
       },
       "names a region that does not exist"},
      {"step",
       [](const auto& r, std::uint32_t id) {
         return step(r, {}, operand(BYOC_OPERAND_VALUE, 0), operand(BYOC_OPERAND_VALUE, 3), id);
       },
       "names a region that does not exist"},
      {"alias", [](const auto& r, std::uint32_t id) { return r.build->alias(r.build, id, 3, 0); },
       "names a region that does not exist"},
      {"fused", [](const auto& r, std::uint32_t id) { return r.build->fused(r.build, id, 1, 3); },
       "names a region that does not exist"},
      {"stored_privately", [](const auto& r, std::uint32_t id) { return layout(r.build, id, 1); },
       "names a region that does not exist"},
  };
  for (const Given& g : all)
    for (const std::uint32_t id : {1u, 99u, BYOC_NONE}) refuses(g, id);
}

TEST_F(Ids, ofWhatWasHandedOver) {
  const Given all[] = {
      {"artifact_write",
       [](const auto& r, std::uint32_t id) { return r.build->artifact_write(r.build, id, "abcd", 4); },
       "writes to an artifact that is not open"},
      {"artifact_end", [](const auto& r, std::uint32_t id) { return r.build->artifact_end(r.build, id); },
       "ends an artifact that is not open"},
      {"step: private input",
       [](const auto& r, std::uint32_t id) { return step(r, {}, operand(BYOC_OPERAND_PRIVATE, id)); },
       "names a private value that does not exist (found "},
      {"step: private output",
       [](const auto& r, std::uint32_t id) {
         return step(r, {}, operand(BYOC_OPERAND_VALUE, 0), operand(BYOC_OPERAND_PRIVATE, id));
       },
       "names a private value that does not exist (found "},
      {"step: node",
       [](const auto& r, std::uint32_t id) {
         return step(r, [&](byoc_step_t& s) {
           s.nodes = &id;
           s.node_count = 1;
         });
       },
       "which does not exist (expected less than 2)"},
      {"step: overlay of an output",
       [](const auto& r, std::uint32_t id) {
         const byoc_overlay_t overlay{id, 0};
         return step(r, [&](byoc_step_t& s) {
           s.overlays = &overlay;
           s.overlay_count = 1;
         });
       },
       "an overlay of step 'm_s' names an operand that does not exist (found output "},
      {"step: overlay of an input",
       [](const auto& r, std::uint32_t id) {
         const byoc_overlay_t overlay{0, id};
         return step(r, [&](byoc_step_t& s) {
           s.overlays = &overlay;
           s.overlay_count = 1;
         });
       },
       "input "},
      {"stored_privately: private value",
       [](const auto& r, std::uint32_t id) {
         return layout(r.build, 0, 1, [&](byoc_private_layout_t& l) { l.private_value = id; });
       },
       "the layout of 'a' names a private value that does not exist (found "},
  };
  for (const Given& g : all)
    for (const std::uint32_t id : kWild) refuses(g, id);
}

TEST_F(Ids, ofDiagnostics) {
  const auto tell = [&](const byoc_region_t* region, std::uint32_t node) {
    return said([=](const byoc_compile_request_t& r) {
      auto d = make_struct<byoc_diagnostic_t>();
      d.severity = BYOC_WARNING;
      d.message = BYOC_STRING("careful");
      d.region = region != nullptr ? region : r.regions[0];
      d.node = node;
      script.host->diag(script.host, &d);
      return BYOC_OK;
    });
  };
  EXPECT_TRUE(has(tell(nullptr, 1), "warning: 'Add': codegen 'test.script': careful"));
  EXPECT_TRUE(ok_);
  EXPECT_TRUE(has(tell(nullptr, 2), "about a node that does not exist (found 2, expected less than 2)"));
  EXPECT_FALSE(ok_);
  static const auto elsewhere = make_struct<byoc_region_t>();
  EXPECT_TRUE(has(tell(&elsewhere, 0), "about a region that is none of this call"));
  EXPECT_TRUE(has(said([](const byoc_compile_request_t&) {
                    byoc_identity_t identity{};
                    return script.host->identity(script.host, &elsewhere, 2, &identity);
                  }),
                  "asked for an identity in a region that is none of this call"));
}

TEST_F(Ids, placesThatAreNone) {
  EXPECT_TRUE(has(said([](const auto& r) { return r.build->claim(r.build, nullptr, nullptr); }), "claims a name"));
  EXPECT_TRUE(has(said([](const auto& r) {
                    const byoc_artifact_t a = constant(r.build);
                    return r.build->artifact_begin(r.build, &a, nullptr);
                  }),
                  "begins an artifact without a place for its handle"));
  EXPECT_TRUE(has(said([](const auto& r) {
                    auto v = make_struct<byoc_private_value_t>();
                    v.align = 4;
                    return r.build->private_value(r.build, &v, nullptr);
                  }),
                  "declares a private value without a place for its id"));
  EXPECT_TRUE(has(said([](const auto&) { return script.host->scratch_directory(script.host, nullptr); }),
                  "asked for its scratch folder without a place for the path"));
  EXPECT_TRUE(
      has(said([](const auto& r) { return script.host->region_as_onnx(script.host, r.regions[0], nullptr, nullptr); }),
          "as ONNX, and takes nothing"));
  EXPECT_TRUE(has(said([](const auto& r) { return r.build->step(r.build, 0, nullptr); }), "a step that is none"));
  EXPECT_TRUE(has(said([](const auto& r) { return r.build->instance(r.build, nullptr); }), "an instance that is none"));
}

// The wrapper's own functions run in the plug-in: what they cannot find they throw, and the border tells it.
struct Prototypes final : PluginCodegen {
  using PluginCodegen::PluginCodegen;
  [[nodiscard]] Verdict verdict(const Region&, const Node&) const override { return claim(); }
  bool compile(const Request& request, Host& host) override {
    Step s;
    s.symbol = "s";
    s.inputs = {{99}};
    if (options.flag("constant")) return constant_symbol(host, request.regions[0], 77, "c").empty();
    return c_prototype(request.regions[0], s).empty();
  }
};

const byoc_plugin_t* prototypes(const byoc_query_t* q) {
  return abi::serve<abi::MakeOf<Prototypes>>(q, [] {
    return PluginDescription{.id = "test.prototypes",
                             .name = "t",
                             .version = "1",
                             .options = {{"constant", OptionType::boolean, "false", ""}}};
  });
}

std::string prototype_error(const OptionTexts& options) {
  const ir::Graph g = two_nodes();
  const BoundRegion region = make_region(g);
  Diagnostics diags;
  const TargetSpec target;
  auto plugin = negotiate(prototypes, "t.so", diags);
  auto codegen = create_codegen(*plugin, target, options, {}, diags);
  NameTable names;
  Compilation out;
  EXPECT_FALSE(
      compile_regions(**codegen, {&region, 1}, {g, target, Objective::balanced, "m", "m_i.h"}, names, out, diags));
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

TEST(Wrapper, valuesThatDoNotExistAreErrors) {
  EXPECT_TRUE(
      has(prototype_error({}),
          "codegen 'test.prototypes': names value 99 of region 'two', which does not exist (expected less than 4)"));
  EXPECT_TRUE(has(prototype_error({{"constant", "true"}}), "names value 77 of region 'two'"));
}

}  // namespace
}  // namespace byoc::plugin
