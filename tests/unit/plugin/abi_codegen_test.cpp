// The border in both directions: what a plug-in sees, what reaches the host, and what the host says to one that breaks
// the rules.
#include "sdk/codegen/plugin/abi/abi_codegen.hpp"

#include <unistd.h>

#include <functional>
#include "tests/unit/plugin/border.hpp"

#include "byoc/abi/ext/debug_names.h"
#include "byoc/plugin.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/codegen/plugin/abi/abi_tables.hpp"
#include "sdk/codegen/plugin/abi/abi_values.hpp"

namespace byoc::plugin {
namespace {

TEST_F(Border, failuresOfCreate) {
  script.create = [](const auto&) { return BYOC_OUT_OF_MEMORY; };
  EXPECT_TRUE(has(run(), "could not be created and did not say why (found status -4)"));
  script.create = [](const byoc_create_info_t& info) {
    auto d = make_struct<byoc_diagnostic_t>();
    d.severity = BYOC_ERROR;
    d.message = BYOC_STRING("no licence server");
    d.hint = BYOC_STRING("start it");
    info.host->diag(info.host, &d);
    return BYOC_FAILED;
  };
  EXPECT_TRUE(has(run(), "test.so: error: codegen 'test.script': no licence server; start it"));
}

TEST_F(Border, verdictsAreComplete) {
  EXPECT_TRUE(has(run(), "gave no verdict on node 0 (Abs ''"));
  EXPECT_TRUE(verdicts_.empty());
  const auto with = [&](const std::function<void(byoc_verdict_t&)>& change) {
    script.verdicts = [=](const byoc_verdict_request_t& r) {
      auto v = make_struct<byoc_verdict_t>();
      v.claimed = 1;
      change(v);
      return r.claims->node(r.claims, &v);
    };
    return run();
  };
  EXPECT_TRUE(
      has(with([](byoc_verdict_t& v) { v.node = 2; }), "a node that does not exist (found 2, expected less than 2)"));
  EXPECT_TRUE(has(with([](byoc_verdict_t& v) { v.claimed = 2; }), "neither yes nor no"));
  EXPECT_TRUE(has(with([](byoc_verdict_t& v) { v.claimed = 0; }), "did not say why"));
  EXPECT_TRUE(has(with([](byoc_verdict_t& v) { v.exactness = 9; }), "unknown exactness (found 9)"));
  EXPECT_TRUE(has(with([](byoc_verdict_t& v) { v.reason = 500; }), "unknown reason (found 500)"));
  EXPECT_TRUE(has(with([](byoc_verdict_t& v) { v.cost = -1; }), "negative number"));
  EXPECT_TRUE(has(with([](byoc_verdict_t& v) { v.struct_size = 0; }), "a verdict that is none"));
  script.verdicts = [](const byoc_verdict_request_t& r) {
    if (const auto s = claim_all(r); s != BYOC_OK) return s;
    return claim_all(r);
  };
  EXPECT_TRUE(has(run(), "two verdicts on node 0"));
}

TEST_F(Border, newerOperatorsAreNotOffered) {
  script.verdicts = claim_all;
  byoc_domain_ = true;
  EXPECT_EQ(run(), "");
  EXPECT_FALSE(verdicts_[1].claimed);
  EXPECT_EQ(verdicts_[1].reason, codegen::Reason::unsupported_op);
  EXPECT_EQ(verdicts_[1].text, "it knows version 0 of domain 'byoc', this is version 1");
  EXPECT_TRUE(verdicts_[0].claimed);
  // Neither alone nor in a group; and nobody has to say anything about it.
  script.verdicts = [](const byoc_verdict_request_t& r) {
    auto v = make_struct<byoc_verdict_t>();
    v.claimed = 1;
    if (const auto s = r.claims->node(r.claims, &v); s != BYOC_OK) return s;
    const std::uint32_t nodes[] = {0, 1};
    return r.claims->group(r.claims, nodes, 2, BYOC_NONE, &v);
  };
  EXPECT_EQ(run(), "");
  EXPECT_TRUE(groups_.empty());
  EXPECT_FALSE(verdicts_[1].claimed);
}

TEST_F(Border, elementTypesAreToldAsTheyAre) {
  for (const DType type : {DType::i4, DType::f8e5m2}) {
    weights_ = type;
    script.verdicts = [&](const byoc_verdict_request_t& r) {
      EXPECT_EQ(r.model->values[2]->dtype, static_cast<std::uint32_t>(type));
      EXPECT_NE(r.model->values[2]->data, nullptr);
      return claim_all(r);
    };
    EXPECT_EQ(run(), "");
    EXPECT_TRUE(verdicts_[1].claimed);
  }
}

TEST_F(Border, groupsAreChecked) {
  const auto with = [&](std::vector<std::uint32_t> nodes, std::uint32_t pattern) {
    script.verdicts = [=](const byoc_verdict_request_t& r) {
      if (const auto s = claim_all(r); s != BYOC_OK) return s;
      auto v = make_struct<byoc_verdict_t>();
      v.claimed = 1;
      return r.claims->group(r.claims, nodes.data(), static_cast<std::uint32_t>(nodes.size()), pattern, &v);
    };
    return run();
  };
  EXPECT_EQ(with({0, 1}, BYOC_NONE), "");
  ASSERT_EQ(groups_.size(), 1u);
  EXPECT_EQ(groups_[0].nodes, (std::vector<codegen::NodeId>{0, 1}));
  EXPECT_EQ(verdicts_[1].cost, 100);
  EXPECT_TRUE(has(with({1, 0}, BYOC_NONE), "do not exist or do not ascend"));
  EXPECT_TRUE(has(with({0, 2}, BYOC_NONE), "do not exist or do not ascend"));
  EXPECT_TRUE(has(with({}, BYOC_NONE), "a group of nothing"));
  EXPECT_TRUE(has(with({0}, 0), "a pattern that it did not declare (found 0)"));
}

TEST_F(Border, artifactsArriveAsTheyWereWritten) {
  EXPECT_EQ(compile_error([](const byoc_build_t* b) {
              std::uint32_t one = 0;
              std::uint32_t two = 0;
              byoc_artifact_t a = constant(b);
              a.size = 8;
              EXPECT_EQ(b->artifact_begin(b, &a, &one), BYOC_OK);
              auto licence = make_struct<byoc_artifact_t>();
              licence.kind = BYOC_ARTIFACT_LICENCE;
              licence.name = BYOC_STRING("Apache-2.0");
              EXPECT_EQ(b->artifact_begin(b, &licence, &two), BYOC_OK);
              for (int i = 0; i < 2; ++i) {
                EXPECT_EQ(b->artifact_write(b, one, "abcd", 4), BYOC_OK);
                EXPECT_EQ(b->artifact_write(b, two, "text", 4), BYOC_OK);
              }
              EXPECT_EQ(b->artifact_end(b, two), BYOC_OK);
              EXPECT_EQ(b->artifact_end(b, one), BYOC_OK);
              byoc_artifact_t w = constant(b);
              return b->artifact_from_constant(b, &w, 0, 2, 4, 8);
            }),
            "");
  ASSERT_EQ(out_.constants.size(), 2u);
  EXPECT_EQ(out_.constants[0].bytes.size(), 8u);
  EXPECT_EQ(out_.constants[0].align, 4u);
  EXPECT_EQ(out_.constants[1].bytes.size(), 8u);
  ASSERT_EQ(out_.others.size(), 1u);
  EXPECT_EQ(out_.others[0].bytes.size(), 8u);
  EXPECT_EQ(out_.others[0].codegen, "test.script");
}

// Every second element of w, and a third that is not there.
byoc_status_t arrange_w(const byoc_build_t* b, const std::function<void(byoc_arrangement_t&)>& change = {},
                        std::uint32_t value = 2, std::uint32_t kind = BYOC_ARTIFACT_CONSTANT) {
  static const byoc_arrangement_axis_t axes[] = {{2, 2}};
  static const byoc_arrangement_loop_t loops[] = {{3, 1, 0, 0}};
  auto how = make_struct<byoc_arrangement_t>();
  how.element_size = 4;
  how.axes = axes;
  how.axis_count = 1;
  how.loops = loops;
  how.loop_count = 1;
  if (change) change(how);
  byoc_artifact_t a = constant(b);
  a.kind = kind;
  a.name = BYOC_STRING("x");
  return b->artifact_arranged(b, &a, 0, value, &how);
}

TEST_F(Border, constantsAreArrangedByReference) {
  EXPECT_EQ(compile_error([](const byoc_build_t* b) { return arrange_w(b); }), "");
  ASSERT_EQ(out_.constants.size(), 1u);
  const Blob& made = out_.constants[0].bytes;
  ASSERT_NE(made.arrangement(), nullptr);
  ASSERT_EQ(made.size(), 12u);
  const std::span<const std::byte> w = made.arranged_source().bytes();
  EXPECT_TRUE(std::equal(w.begin(), w.begin() + 4, made.bytes().begin()));
  EXPECT_TRUE(std::equal(w.begin() + 8, w.begin() + 12, made.bytes().begin() + 4));
  EXPECT_EQ(made.bytes()[11], std::byte{0});
}

TEST_F(Border, brokenArrangementsAreRefused) {
  const auto with = [&](const std::function<void(byoc_arrangement_t&)>& change) {
    return compile_error([&](const byoc_build_t* b) { return arrange_w(b, change); });
  };
  EXPECT_TRUE(has(
      with([](byoc_arrangement_t& a) { a.offset = 2; }),
      "arrangement of constant 'm_c' reaches past the end of the constant (found element 4, expected less than 4)"));
  EXPECT_TRUE(has(with([](byoc_arrangement_t& a) { a.loop_count = 17; }), "gives an arrangement that is none"));
  EXPECT_TRUE(has(with([](byoc_arrangement_t& a) { a.axes = nullptr; }), "gives an arrangement that is none"));
  EXPECT_TRUE(has(with([](byoc_arrangement_t& a) { a.struct_size = 0; }), "gives an arrangement that is none"));
  EXPECT_TRUE(has(compile_error([](const byoc_build_t* b) { return arrange_w(b, {}, 0); }), "which is not one"));
  EXPECT_TRUE(has(compile_error([](const byoc_build_t* b) { return arrange_w(b, {}, 2, BYOC_ARTIFACT_LICENCE); }),
                  "makes something else than a constant of a constant (found licence)"));
}

// Puts the bytes 9 9 9 9 9 9 9 9, as i8[2,4], in the place of w. `change` makes that what it must not be.
byoc_status_t replace_w(const byoc_update_request_t& r, const std::function<void(byoc_constant_t&)>& change = {},
                        std::uint32_t region = 0, std::uint32_t value = 2) {
  static const std::int64_t dims[] = {2, 4};
  static const std::vector<std::int8_t> nines(8, 9);
  auto c = make_struct<byoc_constant_t>();
  c.dtype = BYOC_I8;
  c.dims = dims;
  c.rank = 2;
  c.data = nines.data();
  c.data_size = nines.size();
  if (change) change(c);
  return r.updates->replace(r.updates, region, value, &c);
}

TEST_F(Border, replacedConstantsAreWhatCompileGets) {
  static const float scales[] = {0.5F, 0.25F};
  static const std::int64_t zeros[] = {1, 2};
  static auto q = make_struct<byoc_quantisation_t>();
  q.axis = 0;
  q.scales = scales;
  q.zero_points = zeros;
  q.count = 2;
  const byoc_updates_t* kept = nullptr;
  script.update = [&](const byoc_update_request_t& r) {
    kept = r.updates;
    EXPECT_EQ(r.region_count, 1u);
    EXPECT_EQ(r.regions[0]->values[2]->dtype, BYOC_F32);  // as the model has it
    return replace_w(r, [](byoc_constant_t& c) { c.quantisation = &q; });
  };
  script.compile = [&](const byoc_compile_request_t& r) {
    const byoc_value_t& w = *r.regions[0]->values[2];
    EXPECT_EQ(w.dtype, BYOC_I8);
    EXPECT_EQ(w.rank, 2u);
    EXPECT_EQ(w.dims[1], 4);
    EXPECT_EQ(w.data_size, 8u);
    EXPECT_EQ(static_cast<const std::int8_t*>(w.data)[7], 9);
    EXPECT_EQ(w.quantisation->scales[1], 0.25F);
    EXPECT_EQ(w.quantisation->zero_points[1], 2);
    byoc_identity_t identity{};
    EXPECT_EQ(script.host->identity(script.host, r.regions[0], 2, &identity), BYOC_OK);
    EXPECT_EQ(identity.size, 8u);
    EXPECT_EQ(kept->replace(kept, 0, 2, nullptr), BYOC_WRONG_STATE);
    byoc_artifact_t c = constant(r.build);
    c.element = BYOC_I8;
    return r.build->artifact_from_constant(r.build, &c, 0, 2, 4, 4);
  };
  script.verdicts = claim_all;
  EXPECT_EQ(run(), "");
  EXPECT_TRUE(ok_);
  ASSERT_EQ(out_.constants.size(), 1u);
  EXPECT_EQ(out_.constants[0].bytes.size(), 4u);
  EXPECT_EQ(out_.constants[0].bytes.bytes()[3], std::byte{9});
  // A region whose constant has another type is no ONNX model any more.
  script.compile = [&](const byoc_compile_request_t& r) {
    return script.host->region_as_onnx(
        script.host, r.regions[0], [](void*, const void*, std::uint64_t) { return BYOC_OK; }, nullptr);
  };
  EXPECT_TRUE(has(run(), "asked for region 'two' as ONNX, in which it has given 'w' another type"));
}

TEST_F(Border, aFailedUpdateIsTold) {
  script.verdicts = claim_all;
  script.update = [](const byoc_update_request_t&) { return BYOC_FAILED; };
  EXPECT_TRUE(has(run(), "could not update its constants and did not say why (found status -1)"));
  EXPECT_FALSE(ok_);
}

TEST_F(Border, replacedConstantsAreChecked) {
  script.verdicts = claim_all;
  byoc_status_t status = BYOC_OK;
  const auto with = [&](const std::function<void(byoc_constant_t&)>& change, std::uint32_t region = 0,
                        std::uint32_t value = 2) {
    // It does not look at what the host says; the export fails all the same.
    script.update = [&, change, region, value](const byoc_update_request_t& r) {
      status = replace_w(r, change, region, value);
      return BYOC_OK;
    };
    bool compiled = false;
    script.compile = [&](const byoc_compile_request_t&) {
      compiled = true;
      return BYOC_OK;
    };
    const std::string said = run();
    EXPECT_EQ(status, BYOC_INVALID_ARGUMENT) << said;
    EXPECT_FALSE(ok_);
    EXPECT_FALSE(compiled);
    EXPECT_TRUE(has(said, "test.script")) << said;
    return said;
  };
  EXPECT_TRUE(has(with({}, 0, 0), "replaces 'x' of region 'two', which is no constant"));
  EXPECT_TRUE(has(with({}, 1), "replaces a constant that does not exist (found value 2 of region 1)"));
  EXPECT_TRUE(has(with({}, 0, 77), "replaces a constant that does not exist (found value 77 of region 0)"));
  EXPECT_TRUE(has(with([](byoc_constant_t& c) { c.struct_size = 1; }), "replaces a constant with one that is none"));
  EXPECT_TRUE(has(with([](byoc_constant_t& c) { c.dtype = 99; }), "replaces a constant with one that is none"));
  EXPECT_TRUE(has(with([](byoc_constant_t& c) { c.data = nullptr; }), "replaces a constant with one that is none"));
  EXPECT_TRUE(
      has(with([](byoc_constant_t& c) { c.data_size = 7; }),
          "replaces constant 'w' with one of another size than its type has (found 7 bytes, expected 8 bytes)"));
  for (const auto& dims : std::vector<std::vector<std::int64_t>>{{-1, 4}, {INT64_MAX, INT64_MAX}})
    EXPECT_TRUE(has(with([&](byoc_constant_t& c) { c.dims = dims.data(); }),
                    "replaces constant 'w' with one of no known type and shape"));
  script.update = [&](const byoc_update_request_t& r) {
    return status = replace_w(r, [](byoc_constant_t& c) { c.data_size = UINT64_MAX; });
  };
  EXPECT_TRUE(has(run(), "there is no memory for the constants that it puts in"));
  EXPECT_EQ(status, BYOC_OUT_OF_MEMORY);
  auto q = make_struct<byoc_quantisation_t>();
  const auto quantised = [&](byoc_constant_t& c) { c.quantisation = &q; };
  EXPECT_TRUE(has(with(quantised), "replaces a constant with one whose quantisation is none"));
  const float scales[] = {1, 1, 1};
  const std::int64_t zeros[] = {0, 0, 0};
  q.scales = scales;
  q.zero_points = zeros;
  q.count = 3;
  q.axis = 1;
  EXPECT_TRUE(has(with(quantised),
                  "with one whose quantisation does not fit it (found 3 scales and 3 zero points on "
                  "axis 1, expected 4 of each)"));
  q.axis = -1;
  EXPECT_TRUE(has(with(quantised), "on axis -1, expected 1 of each)"));
  q.axis = 2;
  EXPECT_TRUE(has(with(quantised), "on axis 2, expected an axis of its shape)"));
  script.update = [](const byoc_update_request_t& r) {
    auto d = make_struct<byoc_diagnostic_t>();
    d.severity = BYOC_ERROR;
    d.region = r.regions[0];
    d.node = 1;
    d.message = BYOC_STRING("the scales do not fit the device");
    script.host->diag(script.host, &d);
    return BYOC_FAILED;
  };
  EXPECT_TRUE(has(run(), "error: 'Add': codegen 'test.script': the scales do not fit the device")) << run();
}

TEST_F(Border, regionsAsOnnx) {
  // Value 1 is quantised: with this model's rounding, ONNX's.
  const auto ask = [&](byoc_write_fn write, void* user) {
    script.verdicts = claim_all;
    script.compile = [=](const byoc_compile_request_t& r) {
      return script.host->region_as_onnx(script.host, r.regions[0], write, user);
    };
    return run();
  };
  std::string written;
  const auto append = [](void* user, const void* bytes, std::uint64_t size) {
    static_cast<std::string*>(user)->append(static_cast<const char*>(bytes), size);
    return BYOC_OK;
  };
  EXPECT_EQ(ask(append, &written), "");
  EXPECT_TRUE(has(written, "byoc.requant") && has(written, "QuantizeLinear"));
  EXPECT_TRUE(has(ask([](void*, const void*, std::uint64_t) { return BYOC_CANCELLED; }, nullptr), "found status -5"));
  script.compile = [](const byoc_compile_request_t&) {
    return script.host->region_as_onnx(script.host, nullptr, nullptr, nullptr);
  };
  EXPECT_TRUE(has(run(), "asked for a region that is none of this call"));
}

TEST_F(Border, regionsAsOnnxRoundOtherwise) {
  requant_ = Requant::tflite;
  script.verdicts = claim_all;
  script.compile = [](const byoc_compile_request_t& r) {
    return script.host->region_as_onnx(script.host, r.regions[0], nullptr, nullptr);
  };
  EXPECT_TRUE(has(run(), "as ONNX, which rounds otherwise than TensorFlow Lite (found no BYOC_CAP_OTHER_ROUNDING"));
}

TEST_F(Border, artifactsAreChecked) {
  const auto begin = [&](const std::function<void(byoc_artifact_t&)>& change) {
    return compile_error([=](const byoc_build_t* b) {
      byoc_artifact_t a = constant(b);
      change(a);
      std::uint32_t handle = 0;
      return b->artifact_begin(b, &a, &handle);
    });
  };
  EXPECT_TRUE(has(begin([](byoc_artifact_t& a) { a.kind = 77; }), "artifact of an unknown kind (found 77)"));
  EXPECT_EQ(status_, BYOC_INVALID_ARGUMENT);
  EXPECT_TRUE(has(begin([](byoc_artifact_t& a) { a.flags = 1u << 20; }), "unknown flags of an artifact"));
  EXPECT_TRUE(has(begin([](byoc_artifact_t& a) { a.flags = BYOC_ARTIFACT_LOCAL; }), "flags of an artifact (found 4)"));
  EXPECT_TRUE(has(begin([](byoc_artifact_t& a) { a.element = 99; }), "unknown element type (found 99)"));
  EXPECT_TRUE(has(begin([](byoc_artifact_t&) {}), "did not end an artifact that it began (found constant 'm_c'"));
  const auto named = [&](std::uint32_t kind, const char* name) {
    return begin([=](byoc_artifact_t& a) {
      a.kind = kind;
      a.name = BYOC_STRING("x");
      a.name = to_abi(std::string_view(name));
    });
  };
  for (const char* name : {"", "../evil", "/etc/passwd", "a\"b", "a/b", ".hidden"})
    EXPECT_TRUE(has(named(BYOC_ARTIFACT_C_SOURCE, name), "is not a plain file name")) << name;
  EXPECT_TRUE(has(begin([](byoc_artifact_t& a) {
                    a.kind = BYOC_ARTIFACT_C_SOURCE;
                    a.name = BYOC_STRING("s");
                    a.flags = BYOC_ARTIFACT_SHARED;
                    a.symbol = BYOC_STRING("a b");
                  }),
                  "no C identifier (found 'a b')"));
  EXPECT_TRUE(has(begin([](byoc_artifact_t& a) {
                    a.kind = BYOC_ARTIFACT_C_SOURCE;
                    a.name = BYOC_STRING("s");
                    a.standard = BYOC_STRING("c99 -DX");
                  }),
                  "unknown language standard (found 'c99 -DX'"));
  const auto bitcode = [&](std::uint32_t effort, const char* symbol) {
    return begin([=](byoc_artifact_t& a) {
      a.kind = BYOC_ARTIFACT_LLVM_BITCODE;
      a.name = BYOC_STRING("s");
      a.flags = BYOC_ARTIFACT_SHARED;
      a.symbol = to_abi(std::string_view(symbol));
      a.effort = effort;
    });
  };
  EXPECT_TRUE(has(bitcode(4, "f"), "'s' is of an unknown effort (found 4)"));
  EXPECT_TRUE(has(bitcode(0, "a b"), "the symbol of a shared LLVM module is no C identifier (found 'a b')"));
  EXPECT_TRUE(has(begin([](byoc_artifact_t& a) {
                    a.kind = BYOC_ARTIFACT_C_SOURCE;
                    a.name = BYOC_STRING("s");
                    a.effort = 7;
                  }),
                  "'s' is of an unknown effort (found 7)"));
  EXPECT_TRUE(has(compile_error([](const byoc_build_t* b) { return b->artifact_write(b, 3, "x", 1); }),
                  "writes to an artifact that is not open (found 3)"));
  EXPECT_TRUE(has(compile_error([](const byoc_build_t* b) {
                    byoc_artifact_t a = constant(b);
                    a.size = 5;
                    std::uint32_t handle = 0;
                    EXPECT_EQ(b->artifact_begin(b, &a, &handle), BYOC_OK);
                    EXPECT_EQ(b->artifact_write(b, handle, "abc", 3), BYOC_OK);
                    return b->artifact_end(b, handle);
                  }),
                  "is not as long as was said (found 3, expected 5)"));
  EXPECT_TRUE(has(compile_error([](const byoc_build_t* b) {
                    byoc_artifact_t a = constant(b);
                    a.region = BYOC_STRING("npu_flash");
                    return b->artifact_from_constant(b, &a, 0, 2, 0, 16);
                  }),
                  "for a memory that target '' does not have"));
  EXPECT_TRUE(has(compile_error([](const byoc_build_t* b) {
                    byoc_artifact_t a = constant(b);
                    return b->artifact_from_constant(b, &a, 1, 2, 0, 16);
                  }),
                  "names a region that does not exist (found 1, expected less than 1)"));
  EXPECT_TRUE(has(compile_error([](const byoc_build_t* b) {
                    byoc_artifact_t a = constant(b);
                    return b->artifact_from_constant(b, &a, 0, 9, 0, 16);
                  }),
                  "names value 9 of region 'two', which does not exist"));
}

TEST_F(Border, stepsAreChecked) {
  const auto with = [&](const std::function<void(byoc_step_t&, byoc_operand_t&)>& change) {
    return compile_error([=](const byoc_build_t* b) {
      auto o = make_struct<byoc_operand_t>();
      auto s = make_struct<byoc_step_t>();
      const byoc_operand_t* list[] = {&o};
      s.symbol = claim(b, "s");
      s.outputs = list;
      s.output_count = 1;
      change(s, o);
      return b->step(b, 0, &s);
    });
  };
  EXPECT_EQ(with([](byoc_step_t&, byoc_operand_t& o) { o.id = 1; }), "");
  EXPECT_TRUE(has(with([](byoc_step_t& s, byoc_operand_t&) { s.flags = BYOC_STEP_ASYNC; }), "is asynchronous"));
  EXPECT_TRUE(
      has(with([](byoc_step_t& s, byoc_operand_t&) { s.flags = 64; }), "unknown flags of step 'm_s' (found 64)"));
  EXPECT_TRUE(has(with([](byoc_step_t&, byoc_operand_t& o) { o.offset = 4; }), "does not have yet"));
  EXPECT_TRUE(has(with([](byoc_step_t&, byoc_operand_t& o) { o.kind = 7; }), "an operand of step 'm_s' is none"));
  EXPECT_TRUE(has(with([](byoc_step_t& s, byoc_operand_t&) { s.outputs = nullptr; }),
                  "list of operands of step 'm_s' is none"));
  EXPECT_TRUE(has(with([](byoc_step_t& s, byoc_operand_t&) { s.symbol = BYOC_STRING("printf"); }), "was not claimed"));
  EXPECT_TRUE(has(with([](byoc_step_t&, byoc_operand_t& o) { o.id = 99; }), "names value 99"));
  EXPECT_TRUE(has(with([](byoc_step_t&, byoc_operand_t& o) {
                    o.kind = BYOC_OPERAND_PRIVATE;
                    o.id = 5;
                  }),
                  "a private value that does not exist"));
}

TEST_F(Border, theHostKnowsDebugNamesAndNothingElse) {
  const auto ask = [](const char* id) {
    const byoc_string_t s{id, std::char_traits<char>::length(id)};
    return script.host->extension(script.host, &s);
  };
  const auto name = [&](const std::string& text) {
    return compile_error([&](const byoc_build_t* b) {
      const auto* names = static_cast<const byoc_debug_names_t*>(ask(BYOC_DEBUG_NAMES));
      if (names == nullptr || names->struct_size < sizeof *names) return BYOC_INTERNAL;
      auto value = make_struct<byoc_private_value_t>();
      value.bytes = 64;
      value.align = 4;
      std::uint32_t id = BYOC_NONE;
      const byoc_string_t s = to_abi(text);
      return names->private_value(b, &value, &s, &id);
    });
  };
  (void)name("im2col");
  ASSERT_EQ(out_.private_values.size(), 1U);
  EXPECT_EQ(out_.private_values[0].bytes, 64U);
  EXPECT_EQ(out_.private_values[0].name, "im2col");
  EXPECT_NE(name("two\nlines").find("gives a private value a name that is none"), std::string::npos);
  EXPECT_NE(name(std::string(201, 'a')).find("gives a private value a name that is none"), std::string::npos);
  (void)compile_error([&](const byoc_build_t*) {
    EXPECT_EQ(ask("byoc.debug-names/2"), nullptr);
    EXPECT_EQ(ask("com.acme.profile/1"), nullptr);
    EXPECT_EQ(ask(""), nullptr);
    return BYOC_OK;
  });
}

std::vector<std::uint32_t> moved;

TEST_F(Border, constantsMoveForThoseThatCan) {
  static const byoc_moving_constants_t table = {sizeof table, 0, [](byoc_codegen_t*, std::uint32_t moves) {
                                                  moved.push_back(moves);
                                                  return BYOC_OK;
                                                }};
  static const byoc_moving_constants_t cut_off = {8, 0, nullptr};
  const auto constants = [&] {
    const std::string said = compile_error([](const byoc_build_t* b) {
      const byoc_artifact_t a = constant(b);
      return b->artifact_from_constant(b, &a, 0, 2, 0, 16);
    });
    EXPECT_EQ(said, "");
    std::vector<bool> out;
    for (const ConstantArtifact& c : out_.constants) out.push_back(c.moves);
    return out;
  };
  const auto asked = [&](const byoc_moving_constants_t* extension, bool move) {
    script.moving = extension;
    constants_move_ = move;
    moved.clear();
    return constants();
  };
  EXPECT_EQ(asked(nullptr, true), std::vector<bool>{false});
  EXPECT_EQ(asked(&cut_off, true), std::vector<bool>{false});
  EXPECT_TRUE(moved.empty());
  EXPECT_EQ(asked(&table, true), std::vector<bool>{true});
  EXPECT_EQ(moved, std::vector<std::uint32_t>{1});
  EXPECT_EQ(asked(&table, false), std::vector<bool>{false});
  EXPECT_EQ(moved, std::vector<std::uint32_t>{0});
}

TEST_F(Border, functionsWorkInTheirPhaseOnly) {
  const byoc_claims_t* claims = nullptr;
  script.verdicts = [&](const byoc_verdict_request_t& r) {
    claims = r.claims;
    return claim_all(r);
  };
  script.compile = [&](const byoc_compile_request_t&) {
    auto v = make_struct<byoc_verdict_t>();
    v.claimed = 1;
    EXPECT_EQ(claims->node(claims, &v), BYOC_WRONG_STATE);
    return BYOC_OK;
  };
  EXPECT_EQ(run(), "");
}

TEST_F(Border, failingWithoutAWordIsAnError) {
  EXPECT_TRUE(has(compile_error([](const byoc_build_t*) { return BYOC_LIMIT; }),
                  "failed without saying why (found status -7)"));
}

TEST_F(Border, theHostsServices) {
  std::string logged;
  std::uint64_t reported = 0;
  services_.log = [&](std::string_view id, std::string_view line) {
    logged = std::string(id) + ": " + std::string(line);
  };
  services_.progress = [&](std::string_view, std::uint64_t done, std::uint64_t, std::string_view) { reported = done; };
  services_.cancelled = [] { return true; };
  std::string folder;
  script.verdicts = claim_all;
  script.compile = [&](const byoc_compile_request_t& r) {
    const byoc_host_t* h = script.host;
    const byoc_string_t line = BYOC_STRING("packing");
    h->log(h, BYOC_LOG_INFO, &line);
    h->progress(h, 3, 10, &line);
    EXPECT_EQ(h->cancelled(h), 1u);
    byoc_string_t path{};
    EXPECT_EQ(h->scratch_directory(h, &path), BYOC_OK);
    folder = to_text(path);
    EXPECT_EQ(::access(folder.c_str(), W_OK), 0);
    byoc_identity_t identity{};
    EXPECT_EQ(h->identity(h, r.regions[0], 2, &identity), BYOC_OK);
    EXPECT_EQ(identity.size, 16u);
    EXPECT_EQ(identity.high, identify(two_nodes().values[3].constant->bytes.bytes()).high);
    const byoc_string_t id = BYOC_STRING("com.acme.nothing/1");
    EXPECT_EQ(h->extension(h, &id), nullptr);
    EXPECT_EQ(h->identity(h, r.regions[0], 0, &identity), BYOC_INVALID_ARGUMENT);
    return BYOC_OK;
  };
  EXPECT_TRUE(has(run(), "asked for the identity of something that is no constant"));
  EXPECT_EQ(logged, "test.script: packing");
  EXPECT_EQ(reported, 3u);
  EXPECT_NE(::access(folder.c_str(), F_OK), 0);  // removed with the codegen
}

// The C++ wrapper's firewall.
struct Throwing final : PluginCodegen {
  explicit Throwing(const PluginContext& c) : PluginCodegen(c) {
    if (options.flag("early")) throw std::runtime_error("thrown in create");
  }
  [[nodiscard]] Verdict verdict(const Region&, const Node&) const override {
    if (options.flag("in-verdict")) throw std::bad_alloc();
    return claim();
  }
  bool compile(const Request&, Host&) override { throw 5; }
};

const byoc_plugin_t* throwing(const byoc_query_t* q) {
  return abi::serve<abi::MakeOf<Throwing>>(q, [] {
    return PluginDescription{
        .id = "test.throwing",
        .name = "t",
        .version = "1",
        .options = {{"early", OptionType::boolean, "false", ""}, {"in-verdict", OptionType::boolean, "false", ""}}};
  });
}

std::string thrown(const OptionTexts& options) {
  const ir::Graph g = two_nodes();
  const BoundRegion region = make_region(g);
  Diagnostics diags;
  const TargetSpec target;
  auto plugin = negotiate(throwing, "t.so", diags);
  auto codegen = create_codegen(*plugin, target, options, {}, diags);
  NameTable names;
  Compilation out;
  if (codegen && (*codegen)->verdicts(region.region, target).size() == 2) {
    EXPECT_FALSE(
        compile_regions(**codegen, {&region, 1}, {g, target, Objective::balanced, "m", "m_i.h"}, names, out, diags));
  }
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

// A plug-in with these capabilities.
std::unique_ptr<codegen::Codegen> with_caps(std::uint64_t caps) {
  static byoc_plugin_t table;
  table = *query(nullptr);
  table.caps = caps;
  static Diagnostics diags;
  static const TargetSpec target;
  const auto offered = [](const byoc_query_t*) -> const byoc_plugin_t* { return &table; };
  auto agreed = negotiate(offered, "test.so", diags);
  return std::move(*create_codegen(*agreed, target, {}, {}, diags));
}

TEST(Capabilities, areThoseOfTheTable) {
  EXPECT_TRUE(with_caps(BYOC_CAP_OPEN_DIMS)->takes_open_dims());
  EXPECT_FALSE(with_caps(BYOC_CAP_DETERMINISTIC)->takes_open_dims());
  EXPECT_TRUE(with_caps(BYOC_CAP_DETERMINISTIC | BYOC_CAP_REWRITES)->accepts_rewrites());
  EXPECT_FALSE(with_caps(BYOC_CAP_DETERMINISTIC)->accepts_rewrites());
}

TEST(Wrapper, nothingThrownGetsOut) {
  EXPECT_TRUE(has(thrown({{"early", "true"}}), "codegen 'test.throwing': thrown in create"));
  EXPECT_TRUE(has(thrown({{"in-verdict", "true"}}), "codegen 'test.throwing': out of memory"));
  EXPECT_TRUE(has(thrown({}), "codegen 'test.throwing': an exception of an unknown type"));
}

}  // namespace
}  // namespace byoc::plugin
