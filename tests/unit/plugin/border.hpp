// A plug-in of plain functions of the ABI whose bodies the tests give, and a host that asks it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "byoc/abi/ext/moving_constants.h"
#include "byoc/plugin.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"
#include "sdk/codegen/plugin/abi/abi_tables.hpp"
#include "sdk/codegen/plugin/abi/abi_values.hpp"

namespace byoc::plugin {

inline ir::Graph two_nodes() {
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
  const auto node = [&](const char* op, std::vector<ir::ValueId> in, ir::ValueId out) {
    ir::Node n;
    n.op = op;
    n.inputs = std::move(in);
    n.outputs = {out};
    g.add_node(n);
  };
  node("Abs", {0}, 1);
  node("Add", {1, 3}, 2);
  g.nodes[0].attributes = {{"i", std::int64_t{-5}},         {"f", 0.5f},
                           {"s", std::string("te\0xt", 5)}, {"is", std::vector<std::int64_t>{1, 2}},
                           {"fs", std::vector<float>{}},    {"ss", std::vector<std::string>{"a", "", "c"}}};
  g.values[1].type.quantisation = Quantisation{{0.5f, 0.25f}, {1, 2}, 0};
  g.inputs = {0};
  g.outputs = {2};
  return g;
}

// The plug-in of the tests: plain functions of the ABI whose bodies the test gives.
struct Script {
  std::function<byoc_status_t(const byoc_create_info_t&)> create = [](const auto&) { return BYOC_OK; };
  std::function<byoc_status_t(const byoc_verdict_request_t&)> verdicts = [](const auto&) { return BYOC_OK; };
  std::function<byoc_status_t(const byoc_update_request_t&)> update = [](const auto&) { return BYOC_OK; };
  std::function<byoc_status_t(const byoc_compile_request_t&)> compile = [](const auto&) { return BYOC_OK; };
  const byoc_host_t* host = nullptr;
  const byoc_moving_constants_t* moving = nullptr;  // its extension
  int alive = 0;
  bool completes = true;  // what the body of compile() did not compute is an alias of the input then
};
inline Script script;

inline const byoc_plugin_t* query(const byoc_query_t*) {
  static byoc_plugin_t t = [] {
    auto out = make_struct<byoc_plugin_t>();
    out.abi_major = BYOC_ABI_MAJOR;
    out.abi_minor = BYOC_ABI_MINOR;
    out.id = BYOC_STRING("test.script");
    out.version = BYOC_STRING("1");
    out.create = [](const byoc_create_info_t* info, byoc_codegen_t** codegen) {
      script.host = info->host;
      const byoc_status_t status = script.create(*info);
      if (status == BYOC_OK) {
        ++script.alive;
        *codegen = reinterpret_cast<byoc_codegen_t*>(&script);
      }
      return status;
    };
    out.destroy = [](byoc_codegen_t*) { --script.alive; };
    out.extension = [](const byoc_string_t* id) -> const void* {
      return to_text(*id) == BYOC_MOVING_CONSTANTS ? script.moving : nullptr;
    };
    out.verdicts = [](byoc_codegen_t*, const byoc_verdict_request_t* r) { return script.verdicts(*r); };
    out.update_constants = [](byoc_codegen_t*, const byoc_update_request_t* r) { return script.update(*r); };
    out.compile = [](byoc_codegen_t*, const byoc_compile_request_t* r) {
      const byoc_status_t status = script.compile(*r);
      if (status == BYOC_OK && script.completes) r->build->alias(r->build, 0, 3, 0);
      return status;
    };
    return out;
  }();
  return &t;
}

class Border : public testing::Test {
 protected:
  Border() { script = Script(); }

  // create, verdicts and compile over the whole graph; the first diagnostic.
  std::string run() {
    ir::Graph g = two_nodes();
    g.requant = requant_;
    if (byoc_domain_) g.nodes[1].domain = "byoc";
    g.values[3].type.dtype = weights_;
    g.values[3].constant->bytes = Blob::own(std::vector<std::byte>(g.values[3].type.bytes(), std::byte{7}));
    Diagnostics diags;
    auto plugin = negotiate(query, "test.so", diags, host_);
    auto codegen = create_codegen(*plugin, target_, {}, services_, diags);
    if (codegen) {
      const BoundRegion region = make_region(g);
      NameTable names;
      verdicts_ = (*codegen)->verdicts(region.region, target_);
      groups_ = (*codegen)->groups(region.region, target_, {});
      out_ = {};
      if (!diags.has_errors()) ok_ = bool(compile_regions(**codegen, {&region, 1}, request(g), names, out_, diags));
    }
    codegen = failure;
    EXPECT_EQ(script.alive, 0);
    return diags.all().empty() ? "" : to_string(diags.all()[0]);
  }

  static byoc_status_t claim_all(const byoc_verdict_request_t& r) {
    for (std::uint32_t n = 0; n < r.model->node_count; ++n) {
      auto v = make_struct<byoc_verdict_t>();
      v.node = n;
      v.claimed = 1;
      v.cost = 100;
      if (const auto s = r.claims->node(r.claims, &v); s != BYOC_OK) return s;
    }
    return BYOC_OK;
  }

  // What the host says to a compile() that does this. The plug-in hands the status of the host through.
  std::string compile_error(const std::function<byoc_status_t(const byoc_build_t*)>& body) {
    script.verdicts = claim_all;
    byoc_status_t status = BYOC_OK;
    script.compile = [&](const byoc_compile_request_t& r) { return status = body(r.build); };
    const std::string said = run();
    if (!said.empty()) {
      EXPECT_FALSE(ok_);
      EXPECT_NE(said.find("test.script"), std::string::npos) << said;
    }
    status_ = status;
    return said;
  }

  CompileRequest request(const ir::Graph& g) const {
    CompileRequest out{g, target_, Objective::balanced, "m", "m_i.h"};
    out.constants_move = constants_move_;
    return out;
  }

  HostVersion host_;
  bool constants_move_ = false;
  bool byoc_domain_ = false;    // of the second node
  DType weights_ = DType::f32;  // that the second node reads
  TargetSpec target_;
  Requant requant_ = Requant::onnx;
  Services services_;
  std::vector<codegen::Verdict> verdicts_;
  std::vector<codegen::Group> groups_;
  Compilation out_;
  bool ok_ = false;
  byoc_status_t status_ = BYOC_OK;
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline byoc_string_t claim(const byoc_build_t* b, const char* stem) {
  const byoc_string_t s = to_abi(std::string_view(stem));
  byoc_string_t symbol{};
  EXPECT_EQ(b->claim(b, &s, &symbol), BYOC_OK);
  return symbol;
}

inline byoc_artifact_t constant(const byoc_build_t* b) {
  auto a = make_struct<byoc_artifact_t>();
  a.kind = BYOC_ARTIFACT_CONSTANT;
  a.symbol = claim(b, "c");
  a.element = BYOC_F32;
  return a;
}

}  // namespace byoc::plugin
