// Models run in this process, on tensors of the caller's: from C++ and through the C API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/reference.hpp"
#include "byoc/rt/runtime.h"
#include "byoc/runtime.hpp"
#include "sdk/export/export.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "sdk/model/ir/text.hpp"
#include "tests/support/objects.hpp"

namespace byoc {
namespace {

using test::target;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A sum that is kept, and a product.
constexpr const char* kSumAndProduct = R"(graph "m" requant=onnx {
  input %x : f32[1, 3]
  input %y : f32[1, 3]
  state %before : f32[1, 3] -> %sum
  %sum : f32[1, 3] = Add.14(%before, %x)
  %product : f32[1, 3] = Mul.14(%x, %y)
  output %sum
  output %product
}
)";

// A tensor of floats of the test's.
struct Tensor {
  std::vector<float> values;
  std::vector<std::int64_t> shape{1, 3}, strides;
  byoc_dl_tensor_t dl{};
  explicit Tensor(std::vector<float> v) : values(std::move(v)) {
    dl = {values.data(), {BYOC_DL_CPU, 0}, 2, {BYOC_DL_FLOAT, 32, 1}, shape.data(), nullptr, 0};
  }
};

class LoadedModels : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diags;
    auto dir = TemporaryDirectory::create(diags);
    ASSERT_TRUE(dir);
    directory_ = new TemporaryDirectory(std::move(*dir));
    for (const char* name : {"m", "n"}) {
      auto graph = ir::parse(kSumAndProduct, "m.byoc", diags);
      ASSERT_TRUE(graph) << text_of(diags);
      const auto backend = reference::backends()[0].create({});
      std::vector<codegen::Codegen*> codegens{backend.get()};
      Job job;
      job.name = name;
      job.target = target("host");
      job.codegens = codegens;
      auto library = compile_model(*graph, job, diags);
      ASSERT_TRUE(library) << text_of(diags);
      ASSERT_TRUE(write_library(*library, path(std::string(name) + ".a"), false, diags)) << text_of(diags);
      if (name == std::string("n")) {
        auto other = compile_model(
            *graph,
            [&] {
              job.name = "k";
              return job;
            }(),
            diags);
        const std::vector<Package> both{*library, *other};
        ASSERT_TRUE(write_packages(both, path("both.a"), diags)) << text_of(diags);
      }
    }
  }
  static void TearDownTestSuite() { delete directory_; }
  static std::string path(const std::string& name) { return directory_->path() + "/" + name; }

  LoadedModel open() {
    auto model = LoadedModel::open(path("m.a"), diags_);
    EXPECT_TRUE(model) << text_of(diags_);
    return *model;
  }
  Result<void> run(LoadedModel& model) {
    const std::vector<const byoc_dl_tensor_t*> in{&x_.dl, &y_.dl};
    const std::vector<byoc_dl_tensor_t*> out{&sum_.dl, &product_.dl};
    return model.run(in, out, diags_);
  }
  // What is said of the first input, once `change` has been done to it; nothing was run.
  template <class Change>
  std::string refused(LoadedModel& model, const Change& change) {
    const Tensor kept = x_;
    x_.dl.data = x_.values.data();
    change(x_);
    const std::size_t before = diags_.all().size();
    EXPECT_FALSE(run(model));
    EXPECT_THAT(sum_.values, ElementsAre(0, 0, 0));
    const std::string said = diags_.all().size() > before ? to_string(diags_.all().back()) : "";
    x_.values = kept.values;
    x_.shape = kept.shape;
    x_.dl = {x_.values.data(), {BYOC_DL_CPU, 0}, 2, {BYOC_DL_FLOAT, 32, 1}, x_.shape.data(), nullptr, 0};
    return said;
  }

  Tensor x_{{1, 2, 3}}, y_{{2, 2, 2}}, sum_{{0, 0, 0}}, product_{{0, 0, 0}};
  Diagnostics diags_;
  static inline TemporaryDirectory* directory_ = nullptr;
};

TEST_F(LoadedModels, RunInTheCallersMemory) {
  LoadedModel model = open();
  ASSERT_EQ(model.inputs().size(), 2u);
  EXPECT_EQ(model.inputs()[0].name, "x");
  EXPECT_EQ(model.outputs()[1].name, "product");
  EXPECT_EQ(model.target(), "host");
  ASSERT_TRUE(run(model)) << text_of(diags_);
  ASSERT_TRUE(run(model));
  EXPECT_THAT(sum_.values, ElementsAre(2, 4, 6));
  EXPECT_THAT(product_.values, ElementsAre(2, 4, 6));
  // A state of its own.
  auto other = model.another(diags_);
  ASSERT_TRUE(other);
  ASSERT_TRUE(run(*other));
  EXPECT_THAT(sum_.values, ElementsAre(1, 2, 3));
  ASSERT_TRUE(model.reset(diags_));
  ASSERT_TRUE(run(model));
  EXPECT_THAT(sum_.values, ElementsAre(1, 2, 3));
}

TEST_F(LoadedModels, StridesOfOneElementAndOffsets) {
  LoadedModel model = open();
  std::vector<float> further{9, 1, 2, 3};
  x_.dl.data = further.data();
  x_.dl.byte_offset = 4;
  x_.strides = {77, 1};
  x_.dl.strides = x_.strides.data();
  ASSERT_TRUE(run(model)) << text_of(diags_);
  EXPECT_THAT(sum_.values, ElementsAre(1, 2, 3));
}

TEST_F(LoadedModels, TensorsThatAreNotAsTheyMustBe) {
  LoadedModel model = open();
  EXPECT_THAT(
      refused(model, [](Tensor& t) { t.dl.dtype.bits = 64; }),
      HasSubstr("m.a: error: 'x': the tensor has another element type (found code 2, 64 bits, 1 lanes, expected "
                "f32 (code 2, 32 bits, 1 lanes))"));
  EXPECT_THAT(refused(model, [](Tensor& t) { t.shape[1] = 4; }),
              HasSubstr("the tensor has another shape (found 1x4, expected 1x3)"));
  EXPECT_THAT(refused(model, [](Tensor& t) { t.dl.ndim = 1; }), HasSubstr("another shape (found 1, expected 1x3)"));
  EXPECT_THAT(refused(model, [](Tensor& t) { t.dl.ndim = -1; }), HasSubstr("the tensor has no shape (found -1 dims)"));
  EXPECT_THAT(refused(model,
                      [](Tensor& t) {
                        t.strides = {6, 2};
                        t.dl.strides = t.strides.data();
                      }),
              HasSubstr("the tensor is not compact (found strides 6x2"));
  EXPECT_THAT(refused(model, [](Tensor& t) { t.dl.device.device_type = 2; }),
              HasSubstr("the tensor is on another device (found device type 2, expected 1 (CPU))"));
  EXPECT_THAT(refused(model, [](Tensor& t) { t.dl.byte_offset = 2; }),
              HasSubstr("the tensor is not aligned (found 2 bytes beyond, expected a multiple of 4 bytes)"));
  EXPECT_THAT(refused(model, [](Tensor& t) { t.dl.data = nullptr; }), HasSubstr("the tensor has no data"));
  EXPECT_FALSE(model.run({}, {}, diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("wrong number of tensors (found 0 inputs, 0 outputs, expected 2 and 2)"));
}

TEST_F(LoadedModels, SeveralInOneFile) {
  EXPECT_FALSE(LoadedModel::open(path("both.a"), diags_));
  EXPECT_THAT(text_of(diags_), HasSubstr("both.a: error: holds several models, and one is run at a time (found k, n"));
  auto root = load_module(path("both.a"), {}, diags_);
  ASSERT_TRUE(root) << text_of(diags_);
  EXPECT_EQ(root->name(), "both");
  EXPECT_TRUE(root->function("n_run", Lookup::with_imports, diags_));
  ASSERT_EQ(root->imports().size(), 2u);
  // By the module's prefix, each its own.
  const auto of_k = root->imports()[0].function("run", Lookup::own, diags_),
             of_n = root->imports()[1].function("run", Lookup::own, diags_);
  ASSERT_TRUE(of_k && of_n);
  EXPECT_NE(of_k->as<void()>(), of_n->as<void()>());
  auto model = LoadedModel::of(root->imports()[0], diags_);
  ASSERT_TRUE(model) << text_of(diags_);
  ASSERT_TRUE(run(*model));
  EXPECT_THAT(product_.values, ElementsAre(2, 4, 6));
}

TEST_F(LoadedModels, FromC) {
  EXPECT_EQ(byoc_runtime_version(), BYOC_RUNTIME_VERSION);
  byoc_model_t* model = nullptr;
  ASSERT_EQ(byoc_model_open(path("m.a").c_str(), nullptr, &model), BYOC_RUNTIME_OK) << byoc_model_last_error();
  EXPECT_EQ(byoc_model_input_count(model), 2u);
  EXPECT_EQ(byoc_model_output_count(model), 2u);
  EXPECT_THAT(byoc_model_manifest(model), HasSubstr("\"format\": 1"));
  byoc_tensor_info_t info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(byoc_model_describe(model, BYOC_MODEL_OUTPUT, 1, &info), BYOC_RUNTIME_OK);
  EXPECT_STREQ(info.name, "product");
  EXPECT_EQ(info.ndim, 2);
  EXPECT_EQ(info.shape[1], 3);
  EXPECT_EQ(info.bytes, 12u);
  EXPECT_EQ(info.align, 4u);
  EXPECT_EQ(info.scale_count, 0u);
  // A caller that knows less is given less.
  byoc_tensor_info_t older{};
  older.struct_size = offsetof(byoc_tensor_info_t, bytes);
  ASSERT_EQ(byoc_model_describe(model, BYOC_MODEL_INPUT, 0, &older), BYOC_RUNTIME_OK);
  EXPECT_STREQ(older.name, "x");
  EXPECT_EQ(older.bytes, 0u);

  const byoc_dl_tensor_t* in[] = {&x_.dl, &y_.dl};
  byoc_dl_tensor_t* out[] = {&sum_.dl, &product_.dl};
  ASSERT_EQ(byoc_model_run(model, in, 2, out, 2), BYOC_RUNTIME_OK) << byoc_model_last_error();
  EXPECT_STREQ(byoc_model_last_error(), "");
  EXPECT_THAT(sum_.values, ElementsAre(1, 2, 3));
  byoc_model_t* other = nullptr;
  ASSERT_EQ(byoc_model_another(model, &other), BYOC_RUNTIME_OK);
  EXPECT_EQ(byoc_model_reset(model), BYOC_RUNTIME_OK);
  byoc_model_close(model);
  ASSERT_EQ(byoc_model_run(other, in, 2, out, 2), BYOC_RUNTIME_OK);
  EXPECT_THAT(sum_.values, ElementsAre(1, 2, 3));
  EXPECT_EQ(byoc_model_run(other, in, 1, out, 2), BYOC_RUNTIME_ERROR);
  EXPECT_THAT(byoc_model_last_error(), HasSubstr("wrong number of tensors (found 1 inputs, 2 outputs"));
  EXPECT_EQ(byoc_model_run(other, nullptr, 1, out, 2), BYOC_RUNTIME_MISUSED);
  EXPECT_EQ(byoc_model_describe(other, 2, 0, &info), BYOC_RUNTIME_MISUSED);
  EXPECT_EQ(byoc_model_describe(other, BYOC_MODEL_INPUT, 2, &info), BYOC_RUNTIME_MISUSED);
  EXPECT_STREQ(byoc_model_last_error(), "byoc_model_describe: there is no tensor of this index");
  byoc_model_close(other);
  byoc_model_close(nullptr);
  EXPECT_EQ(byoc_model_open(path("none.a").c_str(), nullptr, &model), BYOC_RUNTIME_ERROR);
  EXPECT_EQ(model, nullptr);
  EXPECT_THAT(byoc_model_last_error(), HasSubstr("none.a: error: cannot be opened"));
  EXPECT_EQ(byoc_model_open(nullptr, nullptr, &model), BYOC_RUNTIME_MISUSED);
  EXPECT_EQ(byoc_model_input_count(nullptr), 0u);
  EXPECT_STREQ(byoc_model_manifest(nullptr), "");
}

// What programs of other tools hand over has its types' names from DLPack.
TEST(DataTypes, AreThoseOfDlpack) {
  const auto is = [](DType t, int code, int bits) {
    const byoc_dl_data_type_t d = dl_data_type(t);
    return d.code == code && d.bits == bits && d.lanes == 1;
  };
  EXPECT_TRUE(is(DType::i8, 0, 8));
  EXPECT_TRUE(is(DType::u32, 1, 32));
  EXPECT_TRUE(is(DType::f16, 2, 16));
  EXPECT_TRUE(is(DType::bf16, 4, 16));
  EXPECT_TRUE(is(DType::boolean, 6, 8));
  EXPECT_TRUE(is(DType::i4, 0, 4));
  EXPECT_TRUE(is(DType::f8e4m3fn, 10, 8));
  EXPECT_TRUE(is(DType::f4e2m1, 17, 4));
}

}  // namespace
}  // namespace byoc
