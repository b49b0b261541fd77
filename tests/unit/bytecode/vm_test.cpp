// Bytecode: lowered from graph text, verified, executed, written and read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "sdk/base/support/frame.hpp"
#include "tests/unit/bytecode/modules.hpp"

namespace byoc::bytecode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Its rank is known, its length is not.
const char kNonZero[] = R"(graph "g" requant=onnx symbols=[N] {
  input %0 "x" : f32[N]
  %1 : i64? = NonZero.13(%0)
  const %2 : i64[1] = [1]
  %3 "y" : i64? = Add.14(%1, %2)
  output %3
})";

// Adds x as often as `n` says; stacks what there is in each round.
const char kLoop[] = R"(graph "g" requant=onnx {
  input %0 "n" : i64[]
  input %1 "x" : f32[2]
  %2 "sum" : f32[2], %3 "all" : f32? = Loop.13(%0, _, %1, %1) {body=graph "b" requant=onnx {
    input %0 : i64[]
    input %1 : bool[]
    input %2 : f32[2]
    input %3 : f32[2]
    %4 : f32[2] = Add.14(%2, %3)
    output %1
    output %4
    output %4
  }, captures=1}
  output %2
  output %3
})";

const char kScan[] = R"(graph "g" requant=onnx symbols=[N] {
  input %0 "x" : f32[2,N]
  const %1 : f32[2] = [0, 0]
  %2 : f32[2], %3 : f32? = Scan.11(%1, %0) {body=graph "b" requant=onnx {
    input %0 : f32[2]
    input %1 : f32[2]
    %2 : f32[2] = Add.14(%0, %1)
    output %2
    output %2
  }, captures=0, num_scan_inputs=1, scan_input_axes=[1], scan_input_directions=[1]}
  output %2
  output %3
})";

const char kIf[] = R"(graph "g" requant=onnx {
  input %0 "c" : bool[]
  input %1 "x" : f32[2]
  %2 "y" : f32? = If.16(%0, %1) {then_branch=graph "t" requant=onnx {
    input %0 : f32[2]
    %1 : f32[2] = Neg.13(%0)
    output %1
  }, else_branch=graph "e" requant=onnx {
    input %0 : f32[2]
    const %1 : i64[2] = [1, 2]
    %2 : f32[1,2] = Reshape.14(%0, %1)
    output %2
  }}
  output %2
})";

TEST(Vm, shapesThatOnlyARunKnows) {
  const auto out = run(interpreted(kNonZero), {floats({4}, {0, 3, 0, 5})});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_THAT(*out[0].type.dims, ElementsAre(1, 2));
  EXPECT_THAT(elements<std::int64_t>(out[0]), ElementsAre(2, 4));
}

TEST(Vm, loopsRunAsOftenAsTheRunSays) {
  const Module m = interpreted(kLoop);
  const auto twice = run(m, {tensor<std::int64_t>(DType::i64, {}, {2}), floats({2}, {1, 2})});
  EXPECT_THAT(elements<float>(twice[0]), ElementsAre(3, 6));
  EXPECT_THAT(*twice[1].type.dims, ElementsAre(2, 2));
  EXPECT_THAT(elements<float>(twice[1]), ElementsAre(2, 4, 3, 6));
  const auto never = run(m, {tensor<std::int64_t>(DType::i64, {}, {0}), floats({2}, {1, 2})});
  EXPECT_THAT(elements<float>(never[0]), ElementsAre(1, 2));
  EXPECT_THAT(*never[1].type.dims, ElementsAre(0, 2));
}

TEST(Vm, scansBackwardsAlongAnAxis) {
  const auto out = run(interpreted(kScan), {floats({2, 3}, {1, 2, 3, 10, 20, 30})});
  EXPECT_THAT(elements<float>(out[0]), ElementsAre(6, 60));
  EXPECT_THAT(elements<float>(out[1]), ElementsAre(3, 30, 5, 50, 6, 60));
}

TEST(Vm, branchesGiveWhatTheyGive) {
  const Module m = interpreted(kIf);
  const auto yes = run(m, {tensor<std::uint8_t>(DType::boolean, {}, {1}), floats({2}, {1, 2})});
  EXPECT_THAT(elements<float>(yes[0]), ElementsAre(-1, -2));
  EXPECT_THAT(*yes[0].type.dims, ElementsAre(2));
  const auto no = run(m, {tensor<std::uint8_t>(DType::boolean, {}, {0}), floats({2}, {1, 2})});
  EXPECT_THAT(*no[0].type.dims, ElementsAre(1, 2));
}

TEST(Vm, statesLastFromRunToRun) {
  const Module m = interpreted(R"(graph "g" requant=tflite {
    input %0 "x" : f32[1]
    state %1 : f32[1] -> %2 = [10]
    %2 : f32[1] = Add.14(%0, %1)
    output %2
  })");
  Diagnostics diags;
  ASSERT_TRUE(verify(m, "m", diags)) << text(diags);
  auto machine = Machine::link(m, nullptr, nullptr, "m", diags);
  ASSERT_TRUE(machine);
  const std::vector<Tensor> one{floats({1}, {1})};
  EXPECT_THAT(elements<float>((*machine->run(one, {}, diags))[0]), ElementsAre(11));
  EXPECT_THAT(elements<float>((*machine->run(one, {}, diags))[0]), ElementsAre(12));
  machine->reset();
  EXPECT_THAT(elements<float>((*machine->run(one, {}, diags))[0]), ElementsAre(11));
}

TEST(Vm, islandsAreWhatCanRunTogether) {
  const ir::Graph graph = parsed(R"(graph "g" requant=onnx {
    input %0 "x" : f32[4]
    %1 : f32[4] = Neg.13(%0)
    %2 : f32[4] = Abs.13(%1)
    %3 : i64? = NonZero.13(%2)
    %4 : f32[4] = Neg.13(%2)
    %5 : i64[2] = Shape.13(%3)
    %6 : i64[2] = Neg.13(%5)
    output %4
    output %6
  })");
  const Lowered l = lower(graph, [](const NodeOf&) { return true; }, nobody);
  ASSERT_EQ(l.islands.size(), 2u);
  EXPECT_EQ(l.compiled.nodes.size(), 4u);
  EXPECT_EQ(l.compiled.inputs.size(), 2u);
  EXPECT_EQ(l.compiled.outputs.size(), 3u);  // |x| for NonZero, and two of the model's
  EXPECT_EQ(l.islands[1].first_input, 1u);
  EXPECT_EQ(l.islands[1].first_output, 2u);
}

TEST(Vm, refusesInputsThatDoNotFit) {
  const Module m = interpreted(kLoop);
  EXPECT_THAT(failed_run(m, {}), HasSubstr("wrong number of inputs (found 0, expected 2)"));
  EXPECT_THAT(failed_run(m, {tensor<std::int64_t>(DType::i64, {}, {2}), floats({3}, {1, 2, 3})}),
              HasSubstr("the input does not have the type that the model states (found f32[3], expected f32[2])"));
}

TEST(Vm, limitsEndARun) {
  const Module m = interpreted(kLoop);
  const std::vector<Tensor> inputs{tensor<std::int64_t>(DType::i64, {}, {1000000}), floats({2}, {1, 2})};
  EXPECT_THAT(failed_run(m, inputs, {.instructions = 1000}), HasSubstr("takes more instructions than it may"));
  EXPECT_THAT(failed_run(m, inputs, {.memory = 4096}), HasSubstr("take more memory than they may"));
}

TEST(Vm, aLibraryThatIsNotThereIsAnError) {
  Module m = interpreted(kNonZero);
  m.primitives.push_back({"m_conv", 0, {}, {}, false, 0});
  Diagnostics diags;
  EXPECT_FALSE(Machine::link(m, nullptr, nullptr, "m", diags));
  EXPECT_THAT(text(diags), HasSubstr("the kernel library has no such step"));
}

std::int32_t twice(const byoc_step_args_t* args) {
  const auto* from = static_cast<const float*>(args->operands[0]);
  auto* to = static_cast<float*>(args->operands[1]);
  for (int i = 0; i < 2; ++i) to[i] = 2 * from[i];
  return from[0] < 0 ? 7 : 0;
}

// r1 = twice(r0), by a step.
Module with_step() {
  Module m = interpreted(R"(graph "g" requant=onnx {
    input %0 "x" : f32[2]
    output %0
  })");
  m.primitives.push_back({"m_twice", 1, {8, 8}, {}, false, 0});
  m.functions[0].registers = 2;
  m.functions[0].code = {
      {Op::allocate, {1, m.functions[0].parameters[0]}}, {Op::step, {0, 0, 0, 0, 1, 0, 0}}, {Op::give, {1}}};
  return m;
}

TEST(Vm, callsStepsOfALibrary) {
  const Module m = with_step();
  const byoc_place_t places[] = {{BYOC_PLACE_INPUT, 0, 0, 8, nullptr}, {BYOC_PLACE_OUTPUT, 0, 0, 8, nullptr}};
  const byoc_step_entry_t entry{"m_twice", twice, places, nullptr, 1, 1, 0, 0, 0};
  const byoc_step_table_t table{BYOC_STEP_TABLE_VERSION, 1, &entry, nullptr, 0, 0};
  Diagnostics diags;
  ASSERT_TRUE(verify(m, "m", diags)) << text(diags);
  auto machine = Machine::link(m, &table, nullptr, "m", diags);
  ASSERT_TRUE(machine) << text(diags);
  const std::vector<Tensor> good{floats({2}, {1, 2})}, bad{floats({2}, {-1, 2})};
  EXPECT_THAT(elements<float>((*machine->run(good, {}, diags))[0]), ElementsAre(2, 4));
  EXPECT_FALSE(machine->run(bad, {}, diags));
  EXPECT_THAT(text(diags), HasSubstr("step 'm_twice' failed (found 7, expected 0)"));
  const byoc_place_t others[] = {{BYOC_PLACE_INPUT, 0, 0, 12, nullptr}, {BYOC_PLACE_OUTPUT, 0, 0, 8, nullptr}};
  const byoc_step_entry_t changed{"m_twice", twice, others, nullptr, 1, 1, 0, 0, 0};
  const byoc_step_table_t other{BYOC_STEP_TABLE_VERSION, 1, &changed, nullptr, 0, 0};
  Diagnostics told;
  EXPECT_FALSE(Machine::link(m, &other, nullptr, "m", told));
  EXPECT_THAT(text(told), HasSubstr("with other operands"));
}

TEST(VmVerifier, refusesWhatTheMachineReliesOn) {
  const auto changed = [](const auto& change) {
    Module m = with_step();
    change(m.functions[0]);
    return refused(m);
  };
  using F = Function;
  EXPECT_THAT(changed([](F& f) { f.code[0].op = static_cast<Op>(99); }), HasSubstr("unknown instruction (found 99)"));
  EXPECT_THAT(changed([](F& f) { f.code[0].words.pop_back(); }), HasSubstr("wrong number of operands"));
  EXPECT_THAT(changed([](F& f) { f.code[0].words[0] = 2; }), HasSubstr("a register is out of range"));
  EXPECT_THAT(changed([](F& f) { f.code[0].words[1] = 50; }), HasSubstr("a type is out of range"));
  EXPECT_THAT(changed([](F& f) { f.code.erase(f.code.begin()); }),
              HasSubstr("not assigned on every way to here (found r1)"));
  EXPECT_THAT(changed([](F& f) { f.code[1].words[0] = 1; }), HasSubstr("a primitive is out of range"));
  EXPECT_THAT(changed([](F& f) { f.code[1].words[5] = 4; }), HasSubstr("bytes beyond the end of a buffer"));
  EXPECT_THAT(changed([](F& f) { f.code[1].words[4] = 0; }), HasSubstr("a register that was not allocated is written"));
  EXPECT_THAT(changed([](F& f) { f.code[1].words.resize(4); }), HasSubstr("a step with the wrong number of operands"));
  EXPECT_THAT(changed([](F& f) { f.code[1].words.pop_back(); }), HasSubstr("has a place that is cut off"));
  EXPECT_THAT(changed([](F& f) { f.code.pop_back(); }), HasSubstr("does not end with 'give' or 'jump'"));
  EXPECT_THAT(changed([](F& f) { f.code.back().words = {}; }), HasSubstr("'give' has the wrong number of operands"));
  EXPECT_THAT(changed([](F& f) { f.code.push_back({Op::give, {1}}); }), HasSubstr("nothing reaches this code"));
  EXPECT_THAT(changed([](F& f) { f.code.insert(f.code.begin(), {Op::jump, {9}}); }),
              HasSubstr("a jump is out of range"));
  EXPECT_THAT(changed([](F& f) { f.code.insert(f.code.begin(), {Op::call, {0, 1, 1, 0}}); }),
              HasSubstr("a call of a function that is not behind the caller"));
  EXPECT_THAT(changed([](F& f) { f.code.insert(f.code.begin(), {Op::list, {0}}); }),
              HasSubstr("a register holds a value and a list"));
  EXPECT_THAT(changed([](F& f) { f.code.insert(f.code.begin(), {Op::evaluate, {0, 0}}); }),
              HasSubstr("no graph to evaluate nodes of"));
  EXPECT_THAT(changed([](F& f) { f.registers = 0; }), HasSubstr("wrong number of registers"));
  EXPECT_THAT(changed([](F& f) { f.registers = 1000; }), HasSubstr("more registers than the code has operands"));
  EXPECT_THAT(changed([](F& f) { f.code.clear(); }), HasSubstr("the function has no code"));
  // A jump back without what its target began with.
  EXPECT_THAT(changed([](F& f) { f.code = {f.code[0], {Op::kill, {1}}, {Op::jump, {1}}}; }),
              HasSubstr("a jump back comes without a register"));
  EXPECT_THAT(refused(Module{}), HasSubstr("has no function"));
}

// Whatever its size is: nothing is allocated for the word of a file.
TEST(VmVerifier, refusesAnInstanceWithoutALibrary) {
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{8} << 30, ~std::uint64_t{0}}) {
    Module m = interpreted(kNonZero);
    m.instance_bytes = bytes;
    EXPECT_THAT(refused(m), HasSubstr("has an instance of a kernel library, and no library (found " +
                                      std::to_string(bytes) + " bytes, expected 0 bytes)"));
    Diagnostics diags;
    const std::vector<std::byte> file = write(m);
    EXPECT_FALSE(read(Blob::view(file, nullptr), "m.byocm", diags));
  }
}

// Its rounds would not be counted.
TEST(VmVerifier, refusesThatALoopIsEvaluated) {
  Module m = interpreted(kLoop);
  m.functions[0].graph = static_cast<std::uint32_t>(m.graphs.size());
  m.graphs.push_back(parsed(kLoop));
  const ir::Node& loop = m.graphs.back().nodes[0];
  std::vector<std::uint32_t> words{0, static_cast<std::uint32_t>(loop.outputs.size())};
  words.resize(2 + loop.outputs.size() + loop.inputs.size());
  m.functions[0].code.insert(m.functions[0].code.begin(), {Op::evaluate, words});
  EXPECT_THAT(refused(m), HasSubstr("a node that runs graphs is evaluated (found Loop)"));
}

TEST(VmVerifier, refusesOperatorsThatItDoesNotKnow) {
  Module m = interpreted(kNonZero);
  m.graphs[0].nodes[0].op = "NoneZero";
  EXPECT_THAT(refused(m), HasSubstr("'NoneZero': operator is not supported (found NoneZero version 13)"));
  m.graphs[0].nodes[0].domain = "com.microsoft";
  m.graphs[0].nodes[0].op = "EPContext";
  EXPECT_THAT(refused(m), HasSubstr("operator is not supported: it was compiled for an accelerator, by an execution "
                                    "provider of ONNX Runtime: take the model from before that"));
}

class VmFile : public testing::TestWithParam<const char*> {};

TEST_P(VmFile, isReadAsItWasWritten) {
  const std::vector<std::byte> bytes = write(interpreted(GetParam()));
  Diagnostics diags;
  const auto read_back = read(Blob::view(bytes, nullptr), "m.byocm", diags);
  ASSERT_TRUE(read_back) << text(diags);
  EXPECT_EQ(write(*read_back), bytes);
  EXPECT_EQ(write(interpreted(GetParam())), bytes);
  // The seeds of the fuzzer.
  if (const char* folder = std::getenv("BYOC_KEEP_MODELS")) {
    std::ofstream to(folder + ("/" + std::to_string(bytes.size()) + ".byocm"), std::ios::binary);
    to.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, VmFile, testing::Values(kNonZero, kLoop, kScan, kIf));

TEST(VmFile, refusesWhatIsDamaged) {
  const std::vector<std::byte> good = write(interpreted(kLoop));
  const auto changed = [&](const auto& change) {
    std::vector<std::byte> bytes = good;
    change(bytes);
    seal_frame(bytes);
    Diagnostics diags;
    EXPECT_FALSE(read(Blob::view(bytes, nullptr), "m.byocm", diags));
    return text(diags);
  };
  using B = std::vector<std::byte>;
  EXPECT_THAT(changed([](B& b) { b.resize(20); }), HasSubstr("is no bytecode of byoc"));
  EXPECT_THAT(changed([](B& b) { b[8] = std::byte{9}; }),
              HasSubstr("'bytecode': is of another version (found 9, expected 1)"));
  EXPECT_THAT(changed([](B& b) { b.pop_back(); }), HasSubstr("does not have the size that it states"));
  EXPECT_THAT(changed([](B& b) {
                b.resize(40);
                b[16] = std::byte{40};
                b[17] = b[18] = std::byte{0};
              }),
              HasSubstr("has no table of sections"));
  EXPECT_THAT(changed([](B& b) { b[32] = std::byte{7}; }), HasSubstr("'section 1': has another id"));
  EXPECT_THAT(changed([](B& b) { b[36] = std::byte{7}; }), HasSubstr("'section 1': has another version"));
  EXPECT_THAT(changed([](B& b) { b[45] = std::byte{7}; }), HasSubstr("'section 1': lies outside the file"));
  EXPECT_THAT(changed([](B& b) {
                b[252] = std::byte{1};  // the last number of the table, which means nothing
              }),
              HasSubstr("is not written as this version writes it"));
}

// Whatever byte is another one, checksums made right: read and verified, or refused.
TEST(VmFile, survivesEveryByte) {
  const std::vector<std::byte> good = write(interpreted(kLoop));
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const int flip : {1, 0x80}) {
      std::vector<std::byte> bytes = good;
      bytes[i] ^= static_cast<std::byte>(flip);
      seal_frame(bytes);
      Diagnostics diags;
      const auto module = read(Blob::view(bytes, nullptr), "m", diags);
      ASSERT_EQ(bool(module), !diags.has_errors()) << i;
      if (!module) continue;
      EXPECT_EQ(write(*module), bytes) << i;
    }
}

TEST(Vm, disassembles) {
  EXPECT_EQ(disassemble(interpreted(kNonZero)), R"(model "g"
1 constants of 8 bytes, 0 states
function 0 "main" (x: f32[N]) -> (y: i64?), 4 registers
  0: evaluate NonZero : r1 <- r0
  1: kill r0
  2: constant r3, #0 i64[1]
  3: evaluate Add : r2 <- r1 r3
  4: kill r1
  5: give r2
)");
  EXPECT_THAT(disassemble(with_step()), HasSubstr("1: step \"m_twice\", r0, r1\n"));
}

Module withoutConstants(Module m) {
  for (Constant& c : m.constants) {
    c.late = 16;
    c.bytes = {};
  }
  m.layout[0] = 9;
  return m;
}

TEST(Vm, constantsAreBoundLate) {
  Module m = withoutConstants(interpreted(kNonZero));
  ASSERT_EQ(m.constants.size(), 1u);
  const std::vector<std::byte> bytes = write(m);
  Diagnostics diags;
  auto again = read(Blob::own(bytes), "m", diags);
  ASSERT_TRUE(again) << text(diags);
  EXPECT_EQ(again->layout, m.layout);
  EXPECT_TRUE(again->lacks_constants());
  EXPECT_THAT(failed_run(*again, {floats({4}, {0, 3, 0, 5})}),
              HasSubstr("m: error: its constants are in a file of their own"));
  std::vector<std::byte> payload(24);
  payload[16] = std::byte{5};
  ASSERT_TRUE(bind_constants(*again, Blob::own(payload), "w", diags));
  EXPECT_FALSE(again->lacks_constants());
  EXPECT_THAT(elements<std::int64_t>(run(*again, {floats({4}, {0, 3, 0, 5})})[0]), ElementsAre(6, 8));
  EXPECT_EQ(write(*again), bytes);  // what is bound is not written
}

TEST(Vm, constantsOutsideOfWhatIsBoundAreRefused) {
  for (const std::uint64_t at : {17u, 24u, 25u}) {
    Module m = withoutConstants(interpreted(kNonZero));
    m.constants[0].late = at;
    Diagnostics diags;
    EXPECT_FALSE(bind_constants(m, Blob::own(std::vector<std::byte>(24)), "w", diags));
    EXPECT_THAT(text(diags), HasSubstr("w: error: is too short for the constants of this bytecode (found 24 bytes"));
  }
  Module m = withoutConstants(interpreted(kNonZero));
  m.constants[0].late = ~std::uint64_t{0} - 3;
  Diagnostics diags;
  EXPECT_FALSE(bind_constants(m, Blob::own(std::vector<std::byte>(24)), "w", diags));
}

}  // namespace
}  // namespace byoc::bytecode
