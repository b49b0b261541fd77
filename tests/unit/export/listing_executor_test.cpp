// A second executor, which prints the Program as text, plugs into an export: nothing of sdk/ knows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/reference.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/export/export.hpp"
#include "sdk/library/pack/model_library.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/prepare/prepare.hpp"
#include "sdk/program/executor/executor.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

using ::testing::HasSubstr;

std::string number(std::uint64_t n) { return std::to_string(n); }

class Listing {
 public:
  explicit Listing(const plan::Program& program) : program_(program) {}

  std::string run() {
    out_ = "program " + program_.name + ", instance " + number(program_.instance.bytes) + " bytes\n";
    add(program_.main, "");
    return out_;
  }

 private:
  std::string operand(const plan::Operand& o) const {
    const std::string at = "+" + number(o.offset);
    switch (o.place) {
      case Place::input: return "input " + number(o.index) + at;
      case Place::output: return "output " + number(o.index) + at;
      case Place::workspace: return program_.pools[o.index].name + at;
      case Place::constant: return program_.constants[o.index];
      case Place::instance: return "instance" + at;
      case Place::given: return "given";
    }
    return {};
  }

  std::string operands(const std::vector<plan::Operand>& list) const {
    std::string out = "(";
    for (const plan::Operand& o : list)
      out += (out.size() == 1 ? "" : ", ") + std::string(to_string(o.dtype)) + " " + operand(o) + " " + number(o.bytes);
    return out + ")";
  }

  void add(const plan::Routine& routine, const std::string& indent) {
    for (const plan::Call& c : routine.calls) {
      out_ += indent + (c.control ? c.step.kernel : "call " + c.step.symbol) + " " + operands(c.inputs) + " -> " +
              operands(c.outputs) + "\n";
      if (c.control) add(*c.control, indent + "  ");
    }
    for (const plan::Move& m : routine.moves)
      out_ += indent + "move " + operand(m.from) + " -> " + operand(m.to) + " " + number(m.to.bytes) + "\n";
  }

  void add(const plan::Control& control, const std::string& indent) {
    if (control.rounds) out_ += indent + "rounds " + number(*control.rounds) + "\n";
    for (const plan::CarriedValue& c : control.carried)
      out_ += indent + "carry input " + number(c.input) + " -> output " + number(c.output) +
              (c.in_place ? " in place" : " and workspace+" + number(c.second)) + "\n";
    for (const plan::Sliced& s : control.stacked)
      out_ += indent + "stack output " + number(s.operand) + " by " + number(s.elements) + "\n";
    for (const std::uint32_t body : control.bodies) {
      out_ += indent + "body\n";
      add(program_.bodies[body], indent + "  ");
    }
  }

  const plan::Program& program_;
  std::string out_;
};

// Its root does nothing but carry the listing.
class ListingExecutor : public executor::Executor {
 public:
  [[nodiscard]] std::string name() const override { return "listing"; }

  Result<executor::Printed> print(const executor::PrintRequest& request, Diagnostics& diags) const override {
    listed = Listing(request.program).run();
    if (request.program.instance.bytes != 0)
      return diags.error(request.program.file, {}, "executor 'listing' keeps no state");
    std::string lines;
    for (const char c : listed) lines += c == '\n' ? std::string("\\n\"\n  \"") : std::string(1, c);
    const std::string& prefix = request.model.prefix;
    const std::string root = "#include \"" + request.header + "\"\nconst char " + prefix + "_listing[] =\n  \"" +
                             lines + "\";\nint " + prefix + "_run(void) { return 1; }\n";
    const auto bytes = std::as_bytes(std::span(root));
    executor::Printed out;
    out.header = "extern const char " + prefix + "_listing[];\nint " + prefix + "_run(void);\n";
    out.modules.push_back(
        {.content = CCode{}, .name = prefix, .bytes = Blob::own({bytes.begin(), bytes.end()}), .symbols = {}});
    return out;
  }

  mutable std::string listed;
};

class SecondExecutor : public ::testing::Test {
 protected:
  Result<Library> exported(const std::string& text) {
    auto graph = ir::parse(text, "m.byoc", diags_);
    auto target = resolve_target("host", diags_);
    EXPECT_TRUE(graph && target && prepare(*graph, {}, diags_));
    const auto backend = reference::backends()[0].create({});
    codegen::Codegen* const all[] = {backend.get()};
    Job job;
    job.target = *target;
    job.name = "m";
    job.codegens = all;
    job.executor = &executor_;
    return compile_model(*graph, job, diags_);
  }

  ListingExecutor executor_;
  Diagnostics diags_;
};

constexpr const char* kLoop = R"(graph "loop" requant=onnx {
  input %m : i64[]
  input %x : f32[4]
  %y : f32[4], %z : f32[5,4] = Loop.16(%m, _, %x, %x) {captures=1, body=graph "b" requant=onnx {
    input %i : ?
    input %go : ?
    input %v : ?
    input %cap : ?
    %n = Add.14(%v, %cap)
    %s = Mul.14(%n, %v)
    output %go
    output %n
    output %s
  }}
  output %y
  output %z
  output %x
})";

TEST_F(SecondExecutor, PrintsTheProgramAsTextInAnExport) {
  const auto library = exported(kLoop);
  ASSERT_TRUE(library) << (diags_.all().empty() ? "" : to_string(diags_.all()[0]));
  EXPECT_EQ(executor_.listed, R"(program loop, instance 0 bytes
Loop (i64 input 0+0 8, f32 input 1+0 16, f32 input 1+0 16) -> (f32 output 0+0 16, f32 output 1+0 80)
  rounds 5
  carry input 1 -> output 0 and workspace+0
  stack output 1 by 4
  body
    call m_Add_0 (f32 input 2+0 16, f32 input 3+0 16) -> (f32 output 1+0 16)
    call m_Mul_1 (f32 output 1+0 16, f32 input 2+0 16) -> (f32 output 2+0 16)
    move input 1+0 -> output 0+0 1
move input 1+0 -> output 2+0 16
)");
  const Module& root = library->tree.modules[0];
  EXPECT_THAT(std::string(reinterpret_cast<const char*>(root.bytes.data()), root.bytes.size()),
              HasSubstr("  rounds 5\\n"));
  EXPECT_THAT(library->header, HasSubstr("m_listing"));
  EXPECT_EQ(library->interface().steps.at(0).codegen, "listing");  // it runs the Loop itself
  EXPECT_EQ(library->description->executor, "listing");

  auto folder = TemporaryDirectory::create(diags_);
  ASSERT_TRUE(folder);
  const std::string file = folder->path() + "/m.tar";
  ASSERT_TRUE(write_library(*library, file, false, diags_));
  const auto document = read_model_library(file, diags_);
  ASSERT_TRUE(document);
  EXPECT_THAT(document->modules.at(0).executors, ::testing::ElementsAre("listing"));
}

TEST_F(SecondExecutor, RefusesWhatItCannotRun) {
  EXPECT_FALSE(exported(R"(graph "g" requant=onnx {
  input %x : f32[2]
  state %s : f32[2] -> %y
  %y : f32[2] = Add.14(%s, %x)
  output %y
})"));
  ASSERT_FALSE(diags_.all().empty());
  EXPECT_THAT(to_string(diags_.all().back()), HasSubstr("executor 'listing' keeps no state"));
}

}  // namespace
}  // namespace byoc
