// x86-64 beyond 1 GiB of constants: everything is in the medium code model then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "sdk/export/export.hpp"
#include "sdk/library/object/constant_object.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::text_of;
using ::testing::HasSubstr;
using ::testing::Not;

// Takes Gather, whose table stays where it is.
struct Weighty final : codegen::Codegen {
  std::string_view id() const override { return "weighty"; }
  bool built_in() const override { return true; }
  std::string_view version() const override { return "1"; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    codegen::Verdict yes;
    yes.claimed = true;
    return std::vector<codegen::Verdict>(r.nodes.size(), yes);
  }
  bool compile(const codegen::Request& request, codegen::Host& host) override {
    const codegen::Region& region = request.regions[0];
    const codegen::ValueId table = region.nodes[0].inputs[0];
    codegen::ConstantDecl constant;
    constant.symbol = host.claim("weights");
    host.constant_from_value(constant, region, table, 0, region.values[table].data.size());
    codegen::Step step;
    step.symbol = host.claim("step");
    step.inputs = {{region.nodes[0].inputs[1]}};
    step.outputs = {{region.nodes[0].outputs[0]}};
    host.step(region, step);
    codegen::SourceDecl source;
    source.name = host.claim("code");
    host.source(source, "#include \"" + std::string(request.internal_header) + "\"\nint32_t " + step.symbol +
                            "(const int64_t *i, uint8_t *y) { y[0] = " + constant.symbol + "[i[0]]; return 0; }\n");
    return true;
  }
};

// Bytes that are all zero and take no memory: every page is the same one.
class Zeros {
 public:
  explicit Zeros(std::size_t size)
      : size_(size), data_(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Zeros() { ::munmap(data_, size_); }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  [[nodiscard]] Blob blob() const { return Blob::view({static_cast<const std::byte*>(data_), size_}, nullptr); }

 private:
  std::size_t size_;
  void* data_;
};

struct Exported {
  std::string code_model;   // of the library's target
  std::string relocations;  // of the step's object
};

Exported exported(std::size_t constant, const std::string& toolchain) {
  const Zeros zeros(constant);
  Weighty weighty;
  Diagnostics diags;
  auto graph = ir::parse(
      "graph \"g\" requant=onnx { input %i : i64[1] const %w : u8[2] = [0, 0] %y : u8[1] = Gather.13(%w, %i) output %y "
      "}",
      "g.byoc", diags);
  EXPECT_TRUE(graph) << text_of(diags);
  for (ir::Value& v : graph->values) {
    if (!v.constant) continue;
    v.type.dims->at(0) = static_cast<std::int64_t>(constant);
    v.constant.emplace().bytes = zeros.blob();
  }
  codegen::Codegen* const all[] = {&weighty};
  Job job;
  job.target = test::target("host");
  job.target.pic = false;  // or data of others is reached through a table, near or far
  job.target.gnu_flags.emplace_back("-fno-pic");
  job.request.compiler.toolchain = toolchain;
  job.name = "g";
  job.codegens = all;
  const auto library = compile_model(*graph, job, diags);
  EXPECT_TRUE(library) << text_of(diags);
  if (!library) return {};
  const auto folder = TemporaryDirectory::create(diags);
  std::string text;
  for (const LibraryMember& m : library->members) {
    if (!m.constants.empty()) continue;
    const std::string path = folder->path() + "/m.o";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(m.object.data()), static_cast<std::streamsize>(m.object.size()));
    auto read = run_process({"readelf", "-rW", path}, diags);
    if (read) text += read->output;
  }
  return {library->target.code_model, text};
}

TEST(CodeModel, BeyondOneGibibyteItIsMedium) {
  if (find_program("readelf").empty()) GTEST_SKIP() << "readelf is not installed";
  const std::size_t gibibyte = std::size_t{1} << 30;
  for (const char* toolchain : {"clang", "gnu"}) {
    if (toolchain == std::string("gnu") && find_program("gcc").empty()) continue;
    const Exported large = exported(gibibyte + 1, toolchain);
    EXPECT_EQ(large.code_model, "medium");
    EXPECT_THAT(large.relocations, testing::ContainsRegex("R_X86_64_64 .*weights"));
  }
  const Exported small = exported(gibibyte, "clang");
  EXPECT_EQ(small.code_model, "");
  EXPECT_THAT(small.relocations, Not(testing::ContainsRegex("R_X86_64_64 .*weights")));
}

}  // namespace
}  // namespace byoc
