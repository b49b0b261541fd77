#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "sdk/base/support/file.hpp"
#include "sdk/run/simulate/board.hpp"
#include "sdk/run/simulate/dump.hpp"
#include "sdk/run/simulate/elf_sizes.hpp"
#include "sdk/run/simulate/stats.hpp"
#include "sdk/run/simulate/stats_page.hpp"
#include "sdk/run/values/run_result.hpp"

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> words_of(const std::vector<std::uint64_t>& words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr std::uint64_t kMagic = 0x31544c5543594f42;

ModelInterface kws() {
  ModelInterface out;
  out.name = "kws";
  out.failures = {{65537, "GATHER_3", "kws_Gather_3", "Gather 'g' (#3): index out of range"}};
  return out;
}

std::string run_error(const std::vector<std::uint64_t>& words, const char* march = "") {
  Diagnostics diags;
  TargetSpec target;
  target.name = "board";
  target.march = march;
  EXPECT_FALSE(read_run_result(words_of(words), kws(), target, diags));
  return diags.all().size() == 1 ? to_string(diags.all()[0]) : "";
}

TEST(RunResult, ReadsFigures) {
  Diagnostics diags;
  const auto figures = read_run_result(words_of({kMagic, 2, 1, 1, 1000, 64, 0, 0, 400, 600}), kws(), {}, diags);
  EXPECT_FALSE(figures);  // three counts for two steps
  const auto good = read_run_result(words_of({kMagic, 2, 1, 1, 1000, 64, 0, 400, 600}), kws(), {}, diags);
  ASSERT_TRUE(good);
  EXPECT_EQ(good->unit, CountUnit::instructions);
  EXPECT_EQ(good->count, 1000U);
  EXPECT_EQ(good->stack, 64U);
  EXPECT_THAT(good->step_counts, ElementsAre(400, 600));
}

TEST(RunResult, ReportsWhatTheProgramReported) {
  EXPECT_THAT(run_error({kMagic, 0, 2, ~std::uint64_t{4}, 0, 0, 0}),
              HasSubstr("'kws': the run function failed (found -5, expected 0)"));
  EXPECT_THAT(run_error({kMagic, 0, 2, 65537, 0, 0, 0}),
              HasSubstr("'kws': Gather 'g' (#3): index out of range (found 65537, expected 0)"));
  EXPECT_THAT(run_error({kMagic, 0, 2, 7, 1, 0, 0}), HasSubstr("the init function failed (found 7, expected 0)"));
  EXPECT_THAT(run_error({kMagic, 0, 2, 7, 3, 0, 0}), HasSubstr("the deinit function failed (found 7, expected 0)"));
  EXPECT_THAT(run_error({kMagic, 0, 3, 2, 0, 0, 0}), HasSubstr("could not use its file (found outputs.bin)"));
  EXPECT_THAT(run_error({kMagic, 0, 4, 0x1234, 1U << 9, 1U << 30, 0xf0000000}),
              HasSubstr("the model faulted on board at pc 0x00001234: precise data bus error, cfsr 0x00000200, hfsr "
                        "0x40000000, address 0xf0000000"));
  EXPECT_THAT(run_error({kMagic, 0, 4, 0x80001234, 5, 0, 0x10}, "rv32imc"),
              HasSubstr("at pc 0x80001234: load access fault, mcause 0x00000005, address 0x00000010"));
  EXPECT_THAT(run_error({kMagic, 0, 5, 4096, 0, 0, 0}), HasSubstr("overflowed the stack of the simulated firmware"));
}

TEST(RunResult, RefusesWhatIsNotOne) {
  EXPECT_THAT(run_error({}), HasSubstr("is cut or not a result of the simulated program (found 0 bytes)"));
  EXPECT_THAT(run_error({1, 0, 1, 1, 1, 1, 0}), HasSubstr("is cut or not a result"));
  EXPECT_THAT(run_error({kMagic, ~std::uint64_t{0}, 1, 1, 1, 1, 0}), HasSubstr("is cut or not a result"));
  EXPECT_THAT(run_error({kMagic, 0, 99, 1, 1, 1, 0}), HasSubstr("is of an unknown kind (found 99)"));
}

StoredTensor strided() {
  StoredTensor t;
  t.name = "conv/out:0";
  t.dtype = DType::i16;
  t.dims = {2, 3};
  t.bytes = 12;
  t.strides = {10, 2};
  return t;
}

TEST(Dump, GathersStridedElements) {
  EXPECT_EQ(text_of(gather(bytes_of(std::string("aabbcc....ddeeff")), strided())), "aabbccddeeff");
  StoredTensor transposed = strided();
  transposed.strides = {2, 4};
  EXPECT_EQ(text_of(gather(bytes_of(std::string("aabbccddeeff")), transposed)), "aacceebbddff");
}

TEST(Dump, PutsChannelsBack) {
  StoredTensor t = strided();
  t.strides.clear();
  t.dims = {2, 2, 1};
  t.channels = {1, {-1, 0, 1, -1}, {0x4242, {}, {}, {}}};
  EXPECT_FALSE(t.channels.recoverable());
  DumpedTensor all = with_all_channels(t, bytes_of(std::string("aabbccdd")));
  EXPECT_EQ(text_of(all.bytes), "BBaabb" + std::string(2, '\0') + "BBccdd" + std::string(2, '\0'));
  EXPECT_EQ(all.tensor.dims, (std::vector<std::int64_t>{2, 4, 1}));
  t.channels.constant[3] = -1;
  EXPECT_TRUE(t.channels.recoverable());
  EXPECT_EQ(text_of(with_all_channels(t, bytes_of(std::string("aabbccdd"))).bytes), "BBaabb\377\377BBccdd\377\377");
  EXPECT_TRUE(strided().channels.complete());
}

TEST(Dump, PiecesCoverExactlyTheElements) {
  ModelInterface model;
  model.steps.resize(2);
  model.steps[1].results = {strided()};
  const auto pieces = dump_pieces(model);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].step, 1U);
  EXPECT_EQ(pieces[0].bytes, 16U);
  model.steps[1].results[0].place = Place::constant;
  EXPECT_TRUE(dump_pieces(model).empty());
}

TEST(Dump, CutFileIsRefused) {
  Diagnostics diags;
  const StoredTensor t = strided();
  EXPECT_FALSE(read_dump(bytes_of(std::string("aabb")), {{0, &t, 16}}, diags));
  EXPECT_THAT(to_string(diags.all().at(0)), HasSubstr("wrote too little (found 4 bytes, expected 16 bytes)"));
}

TEST(Dump, NamesFilesAfterTheSource) {
  StoredTensor t = strided();
  EXPECT_EQ(dump_file_name(t, 7), "007_conv_out_0.raw");
  t.name = "../../etc/x";
  EXPECT_EQ(dump_file_name(t, 7).find('/'), std::string::npos);
  t.source_index = 12;
  EXPECT_EQ(dump_file_name(t, 7), "t12.raw");
}

TEST(Dump, WritesTensorsAndIndex) {
  Diagnostics diags;
  auto directory = TemporaryDirectory::create(diags);
  ASSERT_TRUE(directory);
  ModelInterface model;
  model.inputs = {{"x", "x", DType::i8, {2}, 2, {}}};
  model.outputs = {{"y", "y", DType::i8, {2}, 2, {}}};
  model.steps.resize(1);
  model.steps[0].symbol = "m_conv";
  model.steps[0].results = {strided()};
  RunResult result;
  result.outputs = {bytes_of(std::string("pq"))};
  result.dumps = {{strided(), bytes_of(std::string("aabbccddeeff"))}};
  const std::string out = directory->path() + "/a/b";
  OutputSet files(diags);
  ASSERT_TRUE(add_dumps(out, model, {Blob::own(bytes_of(std::string("ij")))}, result, files) && files.commit());
  EXPECT_EQ(*read_text(out + "/input_0.raw", diags), "ij");
  EXPECT_EQ(*read_text(out + "/output_0.raw", diags), "pq");
  EXPECT_EQ(*read_text(out + "/000_conv_out_0.raw", diags), "aabbccddeeff");
  const auto index = nlohmann::json::parse(*read_text(out + "/index.json", diags));
  EXPECT_EQ(index["tensors"][0]["file"], "000_conv_out_0.raw");
  EXPECT_EQ(index["tensors"][0]["name"], "conv/out:0");
  EXPECT_EQ(index["tensors"][0]["step"], "m_conv");
  EXPECT_EQ(index["tensors"][0]["dims"], nlohmann::json::array({2, 3}));
  EXPECT_EQ(index["inputs"][0]["dtype"], "i8");
  EXPECT_FALSE(add_dumps(out + "/index.json/c", model, {}, result, files));
  EXPECT_THAT(to_string(diags.all().back()), HasSubstr("cannot be written: Not a directory"));
}

TEST(ElfSizes, RefusesOtherFiles) {
  Diagnostics diags;
  EXPECT_FALSE(elf_sizes(bytes_of(std::string("MZ")), "a.exe", diags));
  EXPECT_EQ(to_string(diags.all().at(0)), "a.exe: error: is not an object file (found no ELF header, expected ELF)");
  std::string cut(
      "\x7f"
      "ELF\x01\x01\x01",
      7);
  cut.resize(40);
  EXPECT_FALSE(elf_sizes(bytes_of(cut), "a.elf", diags));
  EXPECT_THAT(to_string(diags.all().at(1)), HasSubstr("a.elf: error: is not a readable object file"));
}

TEST(Board, UnknownSimulatorIsRefused) {
  Diagnostics diags;
  TargetSpec target;
  target.name = "mine";
  target.simulator = "renode";
  EXPECT_FALSE(machine_for(target, diags));
  EXPECT_THAT(to_string(diags.all().at(0)),
              HasSubstr("'mine': target has no simulator that is known here (found renode"));
}

TEST(Stats, JsonHasWhatScriptsRelyOn) {
  ModelInterface model;
  model.name = "m\xff";
  model.workspace_lower_bound = 77;
  model.steps.resize(1);
  model.steps[0] = {"m_conv", "conv_s8", {"Conv 'a'"}, 500, 30, 40, {}};
  TargetSpec target;
  target.name = "cortex-m4f";
  RunResult result;
  result.instructions = 1234;
  result.flash = {10, 20, 30, 40};
  result.ram = {1, 2, 3, 4};
  result.step_counts = {1000};
  const auto json = nlohmann::json::parse(stats_json(model, target, result));
  EXPECT_EQ(json["instructions"], 1234);
  EXPECT_EQ(json["flash"]["rodata"], 20);
  EXPECT_EQ(json["flash"]["weights"], 40);
  EXPECT_EQ(json["flash"]["total"], 100);
  EXPECT_EQ(json["ram"]["stack"], 4);
  EXPECT_EQ(json["ram"]["workspace"], 1);
  EXPECT_EQ(json["workspace_lower_bound"], 77);
  EXPECT_EQ(json["steps"][0]["instructions"], 1000);
  EXPECT_EQ(json["steps"][0]["nodes"][0], "Conv 'a'");
  EXPECT_TRUE(json["steps"][0]["nanoseconds"].is_null());
  const std::string table = stats_table(model, target, result);
  EXPECT_THAT(table, HasSubstr("0  Conv 'a'                     conv_s8   500         1,000     2.00     30   40\n"));
  EXPECT_THAT(table, HasSubstr("one inference on cortex-m4f"));
  EXPECT_THAT(table, HasSubstr("(lower bound 77)"));
  EXPECT_TRUE(json["cycles"].is_null());
  result.step_cycles = {1500};
  const auto with_cycles = nlohmann::json::parse(stats_json(model, target, result));
  EXPECT_EQ(with_cycles["cycles"], 1500);
  EXPECT_EQ(with_cycles["steps"][0]["cycles"], 1500);
  EXPECT_THAT(stats_table(model, target, result),
              HasSubstr("500         1,000     2.00   1,500     3.00     30   40\n"));
  const auto of_origin = nlohmann::json::parse(stats_json(model, target, result, {"ab12", {"--cycles"}, ""}));
  EXPECT_EQ(of_origin["model_sha256"], "ab12");
  EXPECT_EQ(of_origin["options"][0], "--cycles");
  EXPECT_FALSE(of_origin["byoc"].get<std::string>().empty());
}

TEST(Stats, HeadlineHasWhatIsKnown) {
  ModelInterface model;
  model.name = "kws";
  TargetSpec target;
  target.name = "cortex-m4f";
  RunResult result;
  result.instructions = 1234567;
  result.flash = {1024, 0, 0, 1024};
  result.ram = {512, 0, 0, 0};
  EXPECT_EQ(headline(model, target, result, {}),
            "kws on cortex-m4f: 1\u202f234\u202f567 instructions, 2.0 KiB flash, 512 B RAM");
  result.step_cycles = {2000000, 400000};
  EXPECT_EQ(headline(model, target, result, {}),
            "kws on cortex-m4f: 2\u202f400\u202f000 cycles, estimated, 2.0 KiB flash, 512 B RAM");
  result.comparison.emplace();
  result.comparison->tensors = result.comparison->exact = 3;
  EXPECT_EQ(headline(model, target, result, {"", {}, "l4r5@120"}),
            "kws on cortex-m4f at 120 MHz: 20.0 ms modelled, 2.0 KiB flash, 512 B RAM, bit-exact");
  result.comparison->exact = 2;
  target.name = "stm32f446re";
  EXPECT_EQ(headline(model, target, result, {}),
            "kws on stm32f446re at 180 MHz: 13.3 ms modelled without wait states, 2.0 KiB flash, 512 B RAM");
}

TEST(Stats, HottestLayers) {
  ModelInterface model;
  TargetSpec target;
  RunResult result;
  for (const char* node : {"Conv 'a' (#0)", "DepthwiseConv 'x/b' (#1)", "Gemm 'c' (#2)", "Softmax 'd' (#3)"})
    model.steps.push_back({"s", "kernel", {node}, 0, 0, 0, {}});
  result.instructions = 100;
  result.step_counts = {10, 50, 30, 10};
  EXPECT_EQ(hottest_text(model, result),
            "DepthwiseConv x/b (#1) 50.0 %, Gemm c (#2) 30.0 %, Conv a (#0) 10.0 % of instructions");
  EXPECT_THAT(stats_table(model, target, result), HasSubstr("hottest DepthwiseConv x/b (#1) 50.0 %"));
  const std::string page = stats_page(model, target, result);
  EXPECT_THAT(page, HasSubstr("Hottest layers: DepthwiseConv x/b (#1) 50.0 %"));
  EXPECT_THAT(page, HasSubstr("share of instructions</th>"));
  EXPECT_THAT(page, HasSubstr("50.0\u202f%</td>"));
  EXPECT_THAT(page, testing::Not(HasSubstr(">codegen</th>")));  // all are of one
  model.steps[1].codegen = "org.example";
  EXPECT_THAT(stats_page(model, target, result), HasSubstr(">codegen</th>"));
}

}  // namespace
}  // namespace byoc
