// Damaged files never do harm, and large ones cost no memory.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "tests/unit/import_onnx/model_file.hpp"

namespace byoc {
namespace {

using ::onnx::TensorProto;
using test::ModelFile;
using testing::HasSubstr;

ModelFile small_model() {
  ModelFile m;
  m.input("x", {1, 1, 4, 4}).output("y");
  m.initialiser("w", TensorProto::FLOAT, {1, 1, 2, 2}).set_raw_data(std::string(16, 'a'));
  m.initialiser("b", TensorProto::INT64, {2}).add_int64_data(1);
  m.graph().mutable_initializer(1)->add_int64_data(-1);
  ModelFile::set_ints(m.node("Conv", {"x", "w"}, {"c"}), "kernel_shape", {2, 2});
  m.node("Reshape", {"c", "b"}, {"y"});
  return m;
}

TEST(Hostile, everyPrefixIsRefusedOrImported) {
  const ModelFile m = small_model();
  const std::string bytes = m.bytes();
  ASSERT_TRUE(m.import().graph) << m.import().errors;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const auto imported = m.import_bytes(bytes.substr(0, n));
    EXPECT_TRUE(imported.graph || !imported.errors.empty());
    EXPECT_FALSE(imported.graph) << "of " << n << " bytes";
  }
}

TEST(Hostile, flippedBytesAreRefusedOrImported) {
  const ModelFile m = small_model();
  const std::string bytes = m.bytes();
  std::mt19937 random(7);
  for (int round = 0; round < 1500; ++round) {
    std::string damaged = bytes;
    for (unsigned i = 0; i < 1 + random() % 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto imported = m.import_bytes(damaged);
    EXPECT_TRUE(imported.graph || !imported.errors.empty());
  }
}

TEST(Hostile, otherFilesAreRefused) {
  const ModelFile m;
  for (const char* content : {"", "hello", "\x7f\x45LF\x02\x01\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"})
    EXPECT_THAT(m.import_bytes(content).errors, HasSubstr("is not an ONNX model"));
  EXPECT_THAT(ModelFile::import_path(m.path("none")).errors, HasSubstr("cannot be opened"));
}

TEST(Hostile, deepNestingIsRefused) {
  // graph { node { attribute { g { node { ... } } } } }
  std::string inner;
  for (int i = 0; i < 201; ++i) {
    const char tag = i % 3 == 0 ? '\x32' : i % 3 == 1 ? '\x2a' : '\x0a';
    std::string length;
    for (std::size_t v = inner.size();; v >>= 7) {
      length += static_cast<char>((v & 0x7f) | (v >= 0x80 ? 0x80 : 0));
      if (v < 0x80) break;
    }
    inner = tag + length + inner;
  }
  ModelFile m;
  m.model.clear_graph();
  std::string bytes = m.bytes() + "\x3a";
  ASSERT_GE(inner.size(), 128u);
  bytes += static_cast<char>((inner.size() & 0x7f) | 0x80);
  bytes += static_cast<char>(inner.size() >> 7);
  EXPECT_THAT(
      m.import_bytes(bytes + inner).errors,
      testing::MatchesRegex("error: 'byte [0-9]+': messages are nested too deeply .expected at most 64 deep.\n"));
}

// Protobuf has a limit of its own, which it does not tell.
TEST(Hostile, deepTypesAreRefused) {
  const auto with_sequences = [](int depth) {
    ModelFile m = small_model();
    auto* type = m.graph().add_value_info()->mutable_type();
    for (int i = 0; i < depth; ++i) type = type->mutable_sequence_type()->mutable_elem_type();
    return m.import().errors;
  };
  EXPECT_THAT(with_sequences(20), HasSubstr("found a sequence in another"));
  EXPECT_THAT(with_sequences(49), HasSubstr("messages are nested too deeply (expected at most 64 deep)"));
}

std::string varint(std::uint64_t v) {
  std::string out;
  for (; v >= 0x80; v >>= 7) out += static_cast<char>((v & 0x7f) | 0x80);
  return out + static_cast<char>(v);
}

// Writes a model whose one initialiser has `size` bytes of zeros, a hole at the end of the file, in `field`.
void write_large(const ModelFile& m, char field_tag, std::uint64_t size) {
  const std::string tensor_head =
      "\x08" + varint(size / 4) + std::string("\x10\x01\x42\x01w", 5) + field_tag + varint(size);
  const std::string graph_head = m.model.graph().SerializeAsString() + "\x2a" + varint(tensor_head.size() + size);
  ::onnx::ModelProto rest = m.model;
  rest.clear_graph();
  const std::string head = rest.SerializeAsString() + "\x3a" + varint(graph_head.size() + tensor_head.size() + size) +
                           graph_head + tensor_head;
  m.write(head);
  ASSERT_EQ(::truncate(m.path().c_str(), static_cast<off_t>(head.size() + size)), 0);
}

// Peak resident memory that importing takes beyond what the process had, in KiB; negative where it failed.
long import_cost(const std::string& path, std::uint64_t size) {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    struct rusage before{}, after{};
    ::getrusage(RUSAGE_SELF, &before);
    Diagnostics diags;
    auto graph = import_onnx(path, diags);
    ::getrusage(RUSAGE_SELF, &after);
    long cost = after.ru_maxrss - before.ru_maxrss;
    if (!graph || graph->values[0].constant->bytes.size() != size) cost = -1;
    const bool told = ::write(ends[1], &cost, sizeof cost) == sizeof cost;
    ::_exit(told ? 0 : 1);
  }
  long cost = -1;
  if (::read(ends[0], &cost, sizeof cost) != sizeof cost) cost = -1;
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return cost;
}

TEST(Large, importTakesLittleMemory) {
  constexpr std::uint64_t kSize = 500u << 20;
  ModelFile m;
  m.output("w");
  for (const char tag : {'\x4a', '\x22'}) {  // raw_data, packed float_data
    write_large(m, tag, kSize);
    const long cost = import_cost(m.path(), kSize);
    EXPECT_GE(cost, 0);
    EXPECT_LT(cost, 20 * 1024);
  }
}

}  // namespace
}  // namespace byoc
