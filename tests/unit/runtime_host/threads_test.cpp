// Steps that threads of the program's share: the pool, and models by every executor, whose results are the same bits
// for any number of threads and parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "backends/reference.hpp"
#include "byoc/graph_executor.hpp"
#include "byoc/rt/runtime.h"
#include "byoc/runtime.hpp"
#include "byoc/threads.hpp"
#include "byoc/vm.hpp"
#include "sdk/export/export.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "sdk/model/ir/text.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::Each;
using ::testing::HasSubstr;

struct Counts {
  std::vector<std::atomic<int>> of;
  explicit Counts(std::size_t n) : of(n) {}
  static void part(const void* work, std::uint32_t index) {
    ++static_cast<Counts*>(const_cast<void*>(work))->of[index];
  }
  [[nodiscard]] std::vector<int> all() const { return {of.begin(), of.end()}; }
};

ThreadPool pool_of(std::uint32_t threads) {
  Diagnostics diags;
  auto pool = ThreadPool::create(threads, diags);
  EXPECT_TRUE(pool) << text_of(diags);
  return *pool;
}

TEST(ThreadPools, RunEachPartOnce) {
  for (const std::uint32_t threads : {1U, 2U, 5U}) {
    const ThreadPool pool = pool_of(threads);
    const byoc_threads_t& t = pool.threads();
    EXPECT_EQ(t.struct_size, sizeof(byoc_threads_t));
    EXPECT_EQ(t.parts == 1, threads == 1);
    for (std::uint32_t parts = 0; parts < 300; ++parts) {
      Counts counts(parts);
      t.parallel_for(t.context, parts, Counts::part, &counts);
      EXPECT_THAT(counts.all(), Each(1)) << threads << " threads, " << parts << " parts";
    }
    Counts many(100000);  // more than tickets can count
    t.parallel_for(t.context, 100000, Counts::part, &many);
    EXPECT_THAT(many.all(), Each(1));
  }
}

TEST(ThreadPools, ServeProgramsThatRunTwoModelsAtATime) {
  const ThreadPool pool = pool_of(3);
  const byoc_threads_t& t = pool.threads();
  const auto run = [&] {
    for (int i = 0; i < 2000; ++i) {
      Counts counts(7);
      t.parallel_for(t.context, 7, Counts::part, &counts);
      EXPECT_THAT(counts.all(), Each(1));
    }
  };
  std::thread other(run);
  run();
  other.join();
}

TEST(ThreadPools, RefuseNumbersThatAreNone) {
  for (const std::uint32_t threads : {0U, ThreadPool::kMost + 1}) {
    Diagnostics diags;
    EXPECT_FALSE(ThreadPool::create(threads, diags));
    EXPECT_THAT(text_of(diags),
                HasSubstr("their number is out of range (found " + std::to_string(threads) + ", expected 1 to 1024)"));
  }
}

// Large enough that a part of it is worth a thread: a convolution by rows, one by pixels in a row, one whose weights
// are shared out, channels one by one, a pool, element by element.
std::string large_model() {
  const auto weights = [](std::string_view name, std::initializer_list<std::int64_t> dims) {
    std::mt19937 random(static_cast<unsigned>(dims.size() + name.size()));
    std::string shape, hex;
    std::int64_t count = 1;
    for (const std::int64_t d : dims) {
      shape += (shape.empty() ? "" : ", ") + std::to_string(d);
      count *= d;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const float value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      for (int byte = 0; byte < 4; ++byte)
        for (const int shift : {4, 0}) hex += "0123456789abcdef"[bits >> (8 * byte) >> shift & 15];
    }
    return "  const " + std::string(name) + " : f32[" + shape + "] = hex\"" + hex + "\"\n";
  };
  return "graph \"m\" requant=onnx {\n  input %x : f32[1, 16, 33, 31]\n" + weights("%w", {20, 16, 3, 3}) +
         weights("%p", {37, 20, 1, 1}) + weights("%d", {37, 1, 3, 3}) + weights("%f", {9472, 65}) +
         "  %a : f32[1, 20, 33, 31] = Conv.11(%x, %w) {kernel_shape=[3, 3], pads=[1, 1, 1, 1]}\n"
         "  %b : f32[1, 37, 33, 31] = Conv.11(%a, %p) {kernel_shape=[1, 1]}\n"
         "  %c : f32[1, 37, 33, 31] = Conv.11(%b, %d) {kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=37}\n"
         "  %e : f32[1, 37, 33, 31] = Sigmoid.13(%c)\n"
         "  %m : f32[1, 37, 16, 16] = MaxPool.12(%e) {kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 1]}\n"
         "  %r : f32[1, 9472] = Flatten.13(%m) {axis=1}\n"
         "  %y : f32[1, 65] = MatMul.13(%r, %f)\n"
         "  output %y\n  output %e\n}\n";
}

// Threads that are none: parts are called one by one, from the last to the first.
struct Backwards {
  byoc_threads_t offered{sizeof(byoc_threads_t), 5, this, run};
  int calls = 0;
  std::uint32_t most = 0;
  static void run(void* context, std::uint32_t parts, byoc_part_t part, const void* work) {
    auto* self = static_cast<Backwards*>(context);
    ++self->calls;
    self->most = std::max(self->most, parts);
    for (std::uint32_t i = parts; i-- > 0;) part(work, i);
  }
};

class Threads : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diags;
    auto dir = TemporaryDirectory::create(diags);
    ASSERT_TRUE(dir);
    directory_ = new TemporaryDirectory(std::move(*dir));
  }
  static void TearDownTestSuite() { delete directory_; }

  // The model by an executor, "alone" for aot without threads; written once.
  static std::string library(const std::string& executor) {
    const std::string file = path(executor + ".so");
    if (!std::filesystem::exists(file)) write(executor == "alone" ? "aot" : executor, executor != "alone", file);
    return file;
  }
  static void write(const std::string& executor, bool threads, const std::string& file) {
    Diagnostics diags;
    auto graph = ir::parse(large_model(), "m.byoc", diags);
    ASSERT_TRUE(graph) << text_of(diags);
    const reference::Option on{"threads", "true"};
    const auto backend = reference::find("llvm")->create(threads ? std::span(&on, 1) : std::span<reference::Option>());
    const auto rest = reference::find("c")->create({});
    std::vector<codegen::Codegen*> codegens{backend.get(), rest.get()};
    Job job;
    job.name = "m";
    job.target = target("native");
    job.codegens = codegens;
    job.request.executor = executor;
    job.request.step_table = true;
    const auto library = compile_model(*graph, job, diags);
    ASSERT_TRUE(library) << text_of(diags);
    ASSERT_TRUE(write_library(*library, file, false, diags)) << text_of(diags);
  }
  static std::string path(const std::string& name) { return directory_->path() + "/" + name; }

  // One run, with threads or without.
  std::vector<float> run(LoadedModel& model) {
    std::vector<float> x(16 * 33 * 31), out;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) / 97.0F - 0.4F;
    std::vector<std::vector<float>> values{std::move(x)};
    for (const IoTensor& t : model.outputs()) values.emplace_back(t.bytes / sizeof(float));
    std::vector<byoc_dl_tensor_t> tensors;
    const auto add = [&](const IoTensor& t) {
      tensors.push_back({values[tensors.size()].data(),
                         {BYOC_DL_CPU, 0},
                         static_cast<std::int32_t>(t.dims.size()),
                         {BYOC_DL_FLOAT, 32, 1},
                         const_cast<std::int64_t*>(t.dims.data()),
                         nullptr,
                         0});
    };
    add(model.inputs()[0]);
    for (const IoTensor& t : model.outputs()) add(t);
    const byoc_dl_tensor_t* const in[] = {tensors.data()};
    byoc_dl_tensor_t* const results[] = {&tensors[1], &tensors[2]};
    EXPECT_TRUE(model.run(in, results, diags_)) << text_of(diags_);
    for (std::size_t o = 1; o < values.size(); ++o) out.insert(out.end(), values[o].begin(), values[o].end());
    return out;
  }

  LoadedModel open(const std::string& name) {
    auto model = LoadedModel::open(library(name), diags_);
    EXPECT_TRUE(model) << text_of(diags_);
    return *model;
  }

  static TemporaryDirectory* directory_;
  Diagnostics diags_;
};
TemporaryDirectory* Threads::directory_ = nullptr;

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST_F(Threads, GiveTheSameBitsHoweverManyThereAre) {
  LoadedModel plain = open("alone"), model = open("aot");
  const std::vector<float> expected = run(plain);
  EXPECT_TRUE(same_bits(run(model), expected)) << "without any";
  for (const std::uint32_t count : {1U, 2U, 3U, 7U}) {
    const ThreadPool pool = pool_of(count);
    ASSERT_TRUE(model.set_threads(&pool.threads(), diags_)) << text_of(diags_);
    EXPECT_TRUE(same_bits(run(model), expected)) << count << " threads";
    ASSERT_TRUE(model.set_threads(nullptr, diags_)) << text_of(diags_);
    EXPECT_TRUE(same_bits(run(model), expected)) << "none any more";
  }
}

TEST_F(Threads, ShareEveryStepThatIsLarge) {
  LoadedModel plain = open("alone"), model = open("aot");
  Backwards backwards;
  ASSERT_TRUE(model.set_threads(&backwards.offered, diags_)) << text_of(diags_);
  EXPECT_TRUE(same_bits(run(model), run(plain)));
  EXPECT_GE(backwards.calls, 6);  // the layers, and frames around them
  EXPECT_EQ(backwards.most, 5U);
  // It is the instance's: another one has none.
  auto second = model.another(diags_);
  ASSERT_TRUE(second) << text_of(diags_);
  const int before = backwards.calls;
  EXPECT_TRUE(same_bits(run(*second), run(plain)));
  EXPECT_EQ(backwards.calls, before);
  // A new sequence keeps it.
  ASSERT_TRUE(model.reset(diags_)) << text_of(diags_);
  (void)run(model);
  EXPECT_GT(backwards.calls, before);
}

TEST_F(Threads, ServeTwoInstancesAtATime) {
  LoadedModel plain = open("alone"), first = open("aot");
  const std::vector<float> expected = run(plain);
  auto second = first.another(diags_);
  ASSERT_TRUE(second) << text_of(diags_);
  const ThreadPool pool = pool_of(2);
  for (LoadedModel* m : {&first, &*second}) ASSERT_TRUE(m->set_threads(&pool.threads(), diags_));
  const auto often = [&](LoadedModel& m) {
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(same_bits(run(m), expected));
  };
  std::thread other([&] { often(*second); });
  often(first);
  other.join();
}

TEST_F(Threads, AreRefusedByModelsWithout) {
  LoadedModel plain = open("alone");
  const ThreadPool pool = pool_of(2);
  EXPECT_FALSE(plain.set_threads(&pool.threads(), diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("the model has no step that threads could share (expected one that was "
                                         "exported with --threads"));
}

TEST_F(Threads, AreForGraphs) {
  LoadedModel plain = open("alone");
  const std::vector<float> expected = run(plain);
  const auto root = load_module(library("graph"), {}, diags_);
  ASSERT_TRUE(root) << text_of(diags_);
  auto executor = GraphExecutor::create(*root, diags_);
  ASSERT_TRUE(executor) << text_of(diags_);
  std::vector<float> x(16 * 33 * 31);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) / 97.0F - 0.4F;
  Backwards backwards;
  const auto outputs = [&] {
    EXPECT_TRUE(executor->set_input(0, std::as_bytes(std::span(x)), diags_)) << text_of(diags_);
    EXPECT_TRUE(executor->run(diags_)) << text_of(diags_);
    std::vector<float> out;
    for (std::size_t o = 0; o < executor->outputs().size(); ++o) {
      const auto bytes = executor->get_output(o, diags_);
      const std::size_t before = out.size();
      out.resize(before + bytes->size() / sizeof(float));
      std::memcpy(&out[before], bytes->data(), bytes->size());
    }
    return out;
  };
  EXPECT_TRUE(same_bits(outputs(), expected));
  ASSERT_TRUE(executor->set_threads(&backwards.offered, diags_)) << text_of(diags_);
  EXPECT_TRUE(same_bits(outputs(), expected));
  EXPECT_GE(backwards.calls, 6);
  const int before = backwards.calls;
  executor->reset();
  EXPECT_TRUE(same_bits(outputs(), expected));
  EXPECT_EQ(backwards.calls, 2 * before);
}

TEST_F(Threads, AreNotForBytecodeThatIsReadAlone) {
  const auto model = HostModel::read(library("vm"), diags_);
  ASSERT_TRUE(model) << text_of(diags_);
  EXPECT_EQ(model->inputs().size(), 1);
  const Backwards offered;
  EXPECT_FALSE(model->set_threads(&offered.offered, diags_));
  EXPECT_FALSE(model->reset(diags_));
  EXPECT_FALSE(model->run({}, {}, diags_));
  EXPECT_EQ(diags_.errors(), 3);
  EXPECT_THAT(text_of(diags_), testing::HasSubstr("was read, not loaded, and cannot run (found HostModel::read(), "
                                                  "expected HostModel::open())"));
}

TEST_F(Threads, AreForBytecode) {
  LoadedModel plain = open("alone");
  const std::vector<float> expected = run(plain);
  const auto model = HostModel::open(library("vm"), diags_);
  ASSERT_TRUE(model) << text_of(diags_);
  HostValue x;
  x.dtype = DType::f32;
  x.dims = {1, 16, 33, 31};
  std::vector<float> values(16 * 33 * 31);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 97) / 97.0F - 0.4F;
  const auto bytes = std::as_bytes(std::span(values));
  x.bytes.assign(bytes.begin(), bytes.end());
  Backwards backwards;
  ASSERT_TRUE(model->set_threads(&backwards.offered, diags_)) << text_of(diags_);
  const auto result = model->run({&x, 1}, {}, diags_);
  ASSERT_TRUE(result) << text_of(diags_);
  std::vector<float> out;
  for (const HostValue& v : *result) {
    const std::size_t before = out.size();
    out.resize(before + v.bytes.size() / sizeof(float));
    std::memcpy(&out[before], v.bytes.data(), v.bytes.size());
  }
  EXPECT_TRUE(same_bits(out, expected));
  EXPECT_GE(backwards.calls, 6);
}

TEST_F(Threads, AreForOtherLanguages) {
  byoc_model_t* model = nullptr;
  ASSERT_EQ(byoc_model_open(library("aot").c_str(), nullptr, &model), BYOC_RUNTIME_OK) << byoc_model_last_error();
  byoc_thread_pool_t* pool = nullptr;
  ASSERT_EQ(byoc_thread_pool_open(2, &pool), BYOC_RUNTIME_OK) << byoc_model_last_error();
  EXPECT_EQ(byoc_model_set_threads(model, byoc_thread_pool_threads(pool)), BYOC_RUNTIME_OK) << byoc_model_last_error();
  EXPECT_EQ(byoc_model_set_threads(model, nullptr), BYOC_RUNTIME_OK) << byoc_model_last_error();
  byoc_threads_t wrong = *byoc_thread_pool_threads(pool);
  wrong.struct_size = 8;
  EXPECT_EQ(byoc_model_set_threads(model, &wrong), BYOC_RUNTIME_MISUSED);
  EXPECT_EQ(byoc_model_set_threads(nullptr, nullptr), BYOC_RUNTIME_MISUSED);
  byoc_thread_pool_t* none = nullptr;
  EXPECT_EQ(byoc_thread_pool_open(0, &none), BYOC_RUNTIME_ERROR);
  EXPECT_THAT(byoc_model_last_error(), HasSubstr("out of range"));
  EXPECT_EQ(byoc_thread_pool_open(1, nullptr), BYOC_RUNTIME_MISUSED);
  EXPECT_EQ(byoc_thread_pool_threads(nullptr), nullptr);
  byoc_thread_pool_close(nullptr);
  byoc_model_close(model);
  byoc_thread_pool_close(pool);
}

TEST(ThreadsOfDevices, AreRefused) {
  Diagnostics diags;
  auto graph = ir::parse(large_model(), "m.byoc", diags);
  const reference::Option on{"threads", "true"};
  const auto backend = reference::find("llvm")->create(std::span(&on, 1));
  std::vector<codegen::Codegen*> codegens{backend.get()};
  Job job;
  job.name = "m";
  job.target = target("cortex-m4f");
  job.codegens = codegens;
  EXPECT_FALSE(compile_model(*graph, job, diags));
  EXPECT_THAT(text_of(diags), HasSubstr("threads are for targets with an operating system, and 'cortex-m4f' has none"));
}

}  // namespace
}  // namespace byoc
