// The table of steps of a shared library: each step called by hand, in order, computes what <model>_run does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "backends/reference.hpp"
#include "byoc/byoc.hpp"
#include "sdk/export/compile_tree.hpp"
#include "sdk/export/export.hpp"
#include "sdk/export/pack_tree.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Takes Relu: a step into a private value, and one out of it that uses a workspace in `fast` and adds how often the
// instance has run.
struct Counter final : codegen::Codegen {
  std::string_view id() const override { return "counter"; }
  bool built_in() const override { return true; }
  std::string_view version() const override { return "1"; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    std::vector<codegen::Verdict> out(r.nodes.size());
    for (std::size_t n = 0; n < out.size(); ++n) {
      out[n].claimed = r.nodes[n].op == "Relu";
      if (!out[n].claimed) out[n].reason = codegen::Reason::unsupported_op;
      out[n].text = out[n].claimed ? "" : "only Relu";
    }
    return out;
  }
  bool compile(const codegen::Request& request, codegen::Host& host) override {
    const codegen::Region& region = request.regions[0];
    const auto own = host.private_value({16, 8, {}});
    codegen::Step first, second;
    first.symbol = host.claim("first");
    first.inputs = {{region.nodes[0].inputs[0]}};
    first.outputs = {{codegen::kNoValue, own}};
    host.step(region, first);
    second.symbol = host.claim("second");
    second.inputs = {{codegen::kNoValue, own}};
    second.outputs = {{region.nodes[0].outputs[0]}};
    second.workspaces = {{16, 8, {"fast"}}, {4, 4, {}}};
    second.uses_instance = true;
    second.nodes = {0};
    host.step(region, second);
    codegen::Instance instance;
    instance.bytes = 4;
    instance.init = host.claim("start");
    host.instance(instance);
    codegen::SourceDecl source;
    source.name = host.claim("code");
    host.source(source, "#include \"" + std::string(request.internal_header) + "\"\nint32_t " + first.symbol +
                            "(const float *in0, void *out0) {\n"
                            "  for (int i = 0; i < 4; ++i) ((float *)out0)[i] = in0[i];\n  return 0;\n}\nint32_t " +
                            second.symbol +
                            "(void *instance, const void *in0, float *out0, void *ws0, void *ws1) {\n"
                            "  float *const fast = (float *)ws0;\n  float *const count = (float *)ws1;\n"
                            "  *count = (float)++*(int32_t *)instance;\n"
                            "  for (int i = 0; i < 4; ++i) fast[i] = ((const float *)in0)[i];\n"
                            "  for (int i = 0; i < 4; ++i) out0[i] = (fast[i] > 0 ? fast[i] : 0) + *count;\n"
                            "  return in0 == out0;\n}\nint32_t " +
                            instance.init + "(void *instance) { *(int32_t *)instance = 0; return 0; }\n");
    return true;
  }
};

// A state, a loop with a body, an output that is an input, one that is a constant.
constexpr const char* kStepsModel = R"(graph "m" requant=onnx {
  input %x : f32[4]
  const %k : f32[4] = [1.5, 2.5, 3.5, 4.5]
  const %three : i64[] = [3]
  state %s : f32[4] -> %n
  %r : f32[4] = Relu.14(%x) @"relu"
  %n : f32[4] = Add.14(%s, %r) @"add"
  %l : f32[4] = Loop.16(%three, _, %n, %k) {captures=1, body=graph "b" requant=onnx {
    input %i : i64[]
    input %go : bool[]
    input %v : f32[4]
    input %w : f32[4]
    %t : f32[4] = Mul.14(%v, %w)
    output %go
    output %t
  }} @"loop"
  %y : f32[4] = Sub.14(%l, %k) @"sub"
  output %y
  output %x
  output %k
  output %r
}
)";

using Bytes = std::vector<std::byte>;

// The caller's side of a model: buffers, and both ways to run it.
class Caller {
 public:
  Caller(const LoadedModule& module, const LoadedSteps& steps, const ModelInterface& model)
      : steps_(steps), model_(model) {
    Diagnostics diags;
    run_ = module.function(model.prefix + "_run", Lookup::own, diags)
               ->as<std::int32_t(void*, void* const*, void* const*, void*, void*)>();
    for (const IoTensor& t : model.inputs) inputs_.emplace_back(t.bytes);
    for (const IoTensor& t : model.outputs) outputs_.emplace_back(t.bytes);
    workspaces_.emplace_back(model.workspace_bytes);
    for (const PoolWorkspace& w : model.further_workspaces) workspaces_.emplace_back(w.bytes);
    instance_.resize(model.instance_bytes);
    auto init = module.function(model.prefix + "_init", Lookup::own, diags);
    EXPECT_EQ(init->as<std::int32_t(void*)>()(instance_.data()), 0);
  }
  void set(const std::vector<float>& x) { std::memcpy(inputs_[0].data(), x.data(), inputs_[0].size()); }
  [[nodiscard]] const std::vector<Bytes>& outputs() const { return outputs_; }

  void run() {
    const std::vector<void*> in = pointers(inputs_), out = pointers(outputs_);
    ASSERT_EQ(run_(instance_.data(), in.data(), out.data(), workspaces_.at(0).data(), workspaces_.at(1).data()), 0);
  }

  void run_by_hand() {
    for (const byoc_step_entry_t& s : steps_.all()) ASSERT_EQ(call(s, sizeof(byoc_step_args_t)), 0) << s.name;
    for (const byoc_step_move_t& m : steps_.moves()) std::memcpy(at(m.to), at(m.from), m.to.bytes);
  }

  std::int32_t call(const byoc_step_entry_t& s, std::uint32_t size) {
    std::vector<void*> operands, workspaces;
    for (std::uint32_t i = 0; i < s.input_count + s.output_count; ++i) operands.push_back(at(s.operands[i]));
    for (std::uint32_t i = 0; i < s.workspace_count; ++i) workspaces.push_back(at(s.workspaces[i]));
    byoc_step_args_t args{};
    args.struct_size = size;
    args.operands = operands.data();
    args.workspaces = workspaces.data();
    args.instance = s.uses_instance != 0 ? instance_.data() + s.instance_offset : nullptr;
    return s.call(&args);
  }

 private:
  static std::vector<void*> pointers(std::vector<Bytes>& all) {
    std::vector<void*> out;
    for (Bytes& b : all) out.push_back(b.data());
    return out;
  }
  void* at(const byoc_place_t& p) {
    const auto in = [&](Bytes& b) -> void* {
      EXPECT_LE(p.offset + p.bytes, b.size());
      return b.data() + p.offset;
    };
    switch (p.place) {
      case BYOC_PLACE_INPUT: return in(inputs_.at(p.index));
      case BYOC_PLACE_OUTPUT: return in(outputs_.at(p.index));
      case BYOC_PLACE_WORKSPACE: return in(workspaces_.at(p.index));
      case BYOC_PLACE_INSTANCE: return in(instance_);
      default: EXPECT_EQ(p.place, BYOC_PLACE_CONSTANT); return const_cast<void*>(p.constant);
    }
  }

  const LoadedSteps& steps_;
  const ModelInterface& model_;
  std::int32_t (*run_)(void*, void* const*, void* const*, void*, void*) = nullptr;
  std::vector<Bytes> inputs_, outputs_, workspaces_;
  Bytes instance_;
};

class Steps : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_program(target("host").gnu_command).empty()) GTEST_SKIP() << "gcc is not installed";
  }
  std::string path(const std::string& name) const { return dir_->path() + "/" + name; }
  // Writes the model as `out`.
  void write(const std::string& out, bool with_table = true, bool lto = false) {
    std::ofstream(path("m.byoc")) << kStepsModel;
    auto graph = load_model(path("m.byoc"), {}, diags_);
    ASSERT_TRUE(graph) << text_of(diags_);
    Job job;
    job.target = target("host");
    job.target.pools.push_back({"fast", PoolKind::ram, 4096, {}, {}});
    job.name = "m";
    codegen::Codegen* const all[] = {&counter_, backend_.get()};
    job.codegens = all;
    job.request.step_table = with_table;
    job.request.compiler.lto = lto;
    auto library = compile_model(*graph, job, diags_);
    ASSERT_TRUE(library) << text_of(diags_);
    ASSERT_TRUE(write_library(*library, path(out), false, diags_)) << text_of(diags_);
    interface_ = library->interface();
  }
  Result<LoadedModule> load(const std::string& name) {
    auto module = load_module(path(name), {}, diags_);
    EXPECT_TRUE(module) << text_of(diags_);
    return module;
  }
  std::string refused(const LoadedModule& module) {
    Diagnostics diags;
    EXPECT_FALSE(module.steps(diags));
    return text_of(diags);
  }
  Counter counter_;
  std::unique_ptr<codegen::Codegen> backend_ = reference::backends()[0].create({});
  ModelInterface interface_;
  Diagnostics diags_;
  Result<TemporaryDirectory> dir_ = TemporaryDirectory::create(diags_);
};

TEST_F(Steps, EachByHandInOrderIsARun) {
  write("m.so");
  auto module = load("m.so");
  ASSERT_TRUE(module);
  auto steps = module->steps(diags_);
  ASSERT_TRUE(steps) << text_of(diags_);
  ASSERT_EQ(steps->all().size(), interface_.steps.size());
  for (std::size_t s = 0; s < interface_.steps.size(); ++s) EXPECT_EQ(steps->all()[s].name, interface_.steps[s].symbol);
  EXPECT_GE(steps->moves().size(), 2u);  // the outputs that are an input and a constant
  Caller whole(*module, *steps, interface_), by_hand(*module, *steps, interface_);
  for (const auto& x : std::vector<std::vector<float>>{{1, -2, 3, -4}, {-0.5F, 8, 0, 2}, {7, 6, 5, 4}}) {
    whole.set(x);
    by_hand.set(x);
    whole.run();
    by_hand.run_by_hand();
    EXPECT_EQ(whole.outputs(), by_hand.outputs());
    std::vector<float> relu(4);
    std::memcpy(relu.data(), by_hand.outputs()[3].data(), 16);
    EXPECT_GE(relu[0], 1);  // the count of the instance: it ran, and the comparison is of more than zeros
  }
}

TEST_F(Steps, AStepByItsName) {
  write("m.so");
  auto module = load("m.so");
  auto steps = module->steps(diags_);
  ASSERT_TRUE(steps) << text_of(diags_);
  EXPECT_EQ(steps->find("m_none"), nullptr);
  const byoc_step_entry_t* second = steps->find("m_second");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->input_count, 1u);
  EXPECT_EQ(second->output_count, 1u);
  EXPECT_EQ(second->workspace_count, 2u);
  EXPECT_EQ(second->uses_instance, 1u);
  EXPECT_EQ(second->workspaces[0].index, 1u);  // of the further memory
  EXPECT_EQ(second->workspaces[0].bytes, 16u);
  EXPECT_EQ(second->workspaces[1].index, 0u);
  float in[4] = {-1, 2, -3, 4}, out[4] = {}, fast[4], count = 0;
  std::int32_t instance = 40;
  void* const operands[] = {in, out};
  void* const workspaces[] = {fast, &count};
  const byoc_step_args_t args{sizeof args, 0, operands, workspaces, &instance, nullptr, nullptr};
  module = Result<LoadedModule>(failure);  // the steps keep the library open
  EXPECT_EQ(second->call(&args), 0);
  EXPECT_THAT(out, ElementsAre(41, 43, 41, 45));
  EXPECT_EQ(instance, 41);
  // What the step returns is what its wrapper does.
  void* const same[] = {in, in};
  const byoc_step_args_t failing{sizeof failing, 0, same, workspaces, &instance, nullptr, nullptr};
  EXPECT_EQ(second->call(&failing), 1);
}

TEST_F(Steps, ArgumentsThatAreTooSmallCallNothing) {
  write("m.so");
  auto module = load("m.so");
  auto steps = module->steps(diags_);
  ASSERT_TRUE(steps) << text_of(diags_);
  Caller caller(*module, *steps, interface_);
  for (const byoc_step_entry_t& s : steps->all()) {
    EXPECT_EQ(caller.call(s, sizeof(byoc_step_args_t) - 1), BYOC_STEP_ARGS_TOO_SMALL) << s.name;
    EXPECT_EQ(caller.call(s, 0), BYOC_STEP_ARGS_TOO_SMALL) << s.name;
  }
  // Those of a newer host are larger.
  EXPECT_EQ(caller.call(*steps->find("m_second"), sizeof(byoc_step_args_t) + 8), 0);
}

// Every form has it for programs that load it; nothing of it is defined for those that link it.
TEST_F(Steps, EveryFormCarriesTheTable) {
  write("m/");
  for (const char* out : {"shared.so", "packed.a", "one.o", "packed.tar"}) {
    ASSERT_TRUE(pack_trees(std::vector{path("m/")}, {}, path(out), diags_)) << text_of(diags_);
    auto module = load(out);
    ASSERT_TRUE(module) << out;
    auto steps = module->steps(diags_);
    ASSERT_TRUE(steps) << out << text_of(diags_);
    EXPECT_NE(steps->find("m_second"), nullptr) << out;
    EXPECT_TRUE(module->entry(diags_)) << out;
  }
  const auto content = [&](const std::string& name) { return *read_text(path(name), diags_); };
  const std::string object = content("one.o");
  const auto facts = read_object_facts(std::as_bytes(std::span(object)), "one.o", diags_);
  ASSERT_TRUE(facts);
  for (const ObjectSymbol& s : facts->defined) EXPECT_NE(s.name, "m_step_table");
  for (const ObjectSection& s : facts->sections) EXPECT_TRUE(!s.name.starts_with(".byoc.") || !s.allocated) << s.name;
  EXPECT_EQ(content("m/Makefile").find("step_table"), std::string::npos);
  EXPECT_NE(content("m/tree.json").find("m_step_table"), std::string::npos);
  write("direct.a");
  EXPECT_EQ(content("packed.a") == content("direct.a"), true);
}

TEST_F(Steps, WhereThereIsNoTable) {
  write("without.so", false);
  auto module = load("without.so");
  ASSERT_TRUE(module);
  EXPECT_THAT(refused(*module),
              HasSubstr("without.so: error: 'm': the module has no table of steps (expected the root of a "
                        "model that byoc exported)"));
  // Linked into one, steps are no functions any more.
  write("lto.so", true, true);
  auto linked = load("lto.so");
  ASSERT_TRUE(linked);
  EXPECT_THAT(refused(*linked), HasSubstr("has no table of steps"));
  write("m.so");
  auto root = load("m.so");
  ASSERT_TRUE(root && !root->imports().empty());
  EXPECT_THAT(refused(root->imports()[0]), HasSubstr("has no table of steps"));
}

TEST_F(Steps, ATableOfAnotherVersion) {
  Package p;
  p.target = target("host");
  p.prefix = "m";
  p.header_name = "m.h";
  p.description.emplace().interface.prefix = "m";
  const std::string text = "extern const unsigned m_step_table[16]; const unsigned m_step_table[16] = {2};\n";
  const auto bytes = std::as_bytes(std::span(text));
  p.tree.modules.push_back({.content = CCode{},
                            .name = "m",
                            .bytes = Blob::own({bytes.begin(), bytes.end()}),
                            .symbols = {{"m_step_table", false}},
                            .for_loaders = true});
  auto members = compile_tree(p.tree, p.target, {}, diags_);
  ASSERT_TRUE(members) << text_of(diags_);
  p.members = std::move(*members);
  ASSERT_TRUE(write_package(p, path("newer.so"), diags_)) << text_of(diags_);
  auto module = load("newer.so");
  ASSERT_TRUE(module);
  EXPECT_THAT(refused(*module), HasSubstr("'m': its table of steps has another version (found 2, expected 1)"));
}

}  // namespace
}  // namespace byoc
