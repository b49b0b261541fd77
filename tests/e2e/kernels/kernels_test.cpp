// The quantised kernels of the C backend against the definition of their operators: random layers with odd shapes and
// extreme parameters, compiled for a target, linked and run. BYOC_KERNEL_LAYERS sets how many layers of each kind,
// BYOC_KERNEL_SEED where they start.
#include <gtest/gtest.h>

#include <stdlib.h>
#include <filesystem>

#include <functional>

#include "tests/e2e/kernels/program.hpp"

namespace byoc::test {
namespace {

long environment(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text ? strtol(text, nullptr, 10) : otherwise;
}

struct Kind {
  const char* name;
  std::function<Layer(Random&)> make;
};

std::vector<Kind> kinds() {
  std::vector<Kind> out;
  for (const Requant mode : {Requant::tflite, Requant::onnx}) {
    const bool tflite = mode == Requant::tflite;
    out.push_back({tflite ? "conv" : "conv_onnx", [mode](Random& r) { return random_conv(r, mode); }});
    out.push_back({tflite ? "depthwise" : "depthwise_onnx", [mode](Random& r) { return random_depthwise(r, mode); }});
    out.push_back({tflite ? "dense" : "dense_onnx", [mode](Random& r) { return random_dense(r, mode); }});
    out.push_back(
        {tflite ? "average_pool" : "average_pool_onnx", [mode](Random& r) { return random_average_pool(r, mode); }});
    out.push_back({tflite ? "quantize" : "quantize_onnx", [mode](Random& r) { return random_quantize(r, mode); }});
    out.push_back({tflite ? "sum" : "sum_onnx", [mode](Random& r) { return random_sum(r, mode); }});
  }
  out.push_back({"softmax", random_softmax});
  return out;
}

TargetSpec target(const char* name, std::vector<std::string> isa, std::uint32_t pointer_width = 32) {
  TargetSpec t;
  t.name = name;
  t.isa = std::move(isa);
  t.pointer_width = pointer_width;
  return t;
}

std::vector<Platform> platforms() {
  const std::vector<std::string> strict = {"-O2",
                                           "-Wall",
                                           "-Wextra",
                                           "-Wpedantic",
                                           "-Werror",
                                           "-ffunction-sections",
                                           "-fdata-sections",
                                           "-ffp-contract=off"};
  const auto with = [&](std::vector<std::string> command, bool c99 = true) {
    if (c99) command.push_back("-std=c99");
    command.insert(command.end(), strict.begin(), strict.end());
    return command;
  };
  const auto arm = [&](const char* name, const char* machine, std::vector<std::string> flags,
                       std::vector<std::string> isa) {
    Platform p;
    p.name = name;
    p.target = target(name, std::move(isa));
    p.compiler = {"arm-none-eabi-gcc", "-mthumb"};
    p.compiler.insert(p.compiler.end(), flags.begin(), flags.end());
    p.linker = p.compiler;
    p.linker.insert(p.linker.end(), {"-nostdlib", "-Wl,--gc-sections"});
    // The secure alias of this board's memories, where it starts.
    if (std::string_view(machine) == "mps3-an547")
      p.linker.insert(p.linker.end(), {"-Wl,--defsym=rom=0x10000000", "-Wl,--defsym=ram=0x30000000"});
    p.compiler = with(p.compiler);
    p.runner = {"qemu-system-arm",
                "-M",
                machine,
                "-nographic",
                "-monitor",
                "none",
                "-serial",
                "none",
                "-semihosting-config",
                "enable=on,target=native",
                "-kernel"};
    p.bare = true;
    return p;
  };
  // Clang compiles, the GNU linker finds the C library.
  const auto clang = [&](Platform p, const char* name, const char* triple, std::vector<std::string> flags) {
    p.name = name;
    p.compiler = {"clang-19", std::string("--target=") + triple, "-isystem", "/usr/include/newlib"};
    p.compiler.insert(p.compiler.end(), flags.begin(), flags.end());
    p.compiler = with(p.compiler);
    return p;
  };
  const Platform m4f =
      arm("m4f", "mps2-an386", {"-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"}, {"thumb", "dsp", "fp.sp"});
  const Platform m0plus = arm("m0plus", "mps2-an385", {"-mcpu=cortex-m0plus"}, {"thumb"});
  const Platform m3 = arm("m3", "mps2-an385", {"-mcpu=cortex-m3"}, {"thumb", "hwdiv"});
  const Platform m55 = arm("m55", "mps3-an547", {"-mcpu=cortex-m55", "-mfloat-abi=hard"},
                           {"thumb", "dsp", "mve", "mve.fp", "fp.sp", "fp.dp"});
  const auto for_objective = [&](Platform p, const char* name, Objective objective) {
    p.name = name;
    p.objective = objective;
    return p;
  };
  const Platform host = {"host",
                         target("host", {}, 64),
                         with({"gcc", "-fsanitize=undefined", "-fno-sanitize-recover"}),
                         {"gcc", "-fsanitize=undefined"},
                         {}};
  return {
      host,
      for_objective(host, "host_size", Objective::size),
      {"host_cxx", target("host", {}, 64), with({"g++", "-x", "c++", "-std=c++11"}, false), {"g++"}, {}},
      m0plus,
      clang(m0plus, "m0plus_clang", "thumbv6m-none-eabi", {"-mcpu=cortex-m0plus"}),
      for_objective(m0plus, "m0plus_size", Objective::size),
      m3,
      clang(m3, "m3_clang", "thumbv7m-none-eabi", {"-mcpu=cortex-m3"}),
      arm("m4", "mps2-an386", {"-mcpu=cortex-m4", "-mfloat-abi=soft"}, {"thumb", "dsp"}),
      m4f,
      for_objective(m4f, "m4f_speed", Objective::speed),
      for_objective(m4f, "m4f_size", Objective::size),
      clang(m4f, "m4f_clang", "thumbv7em-none-eabihf", {"-mcpu=cortex-m4"}),
      m55,
      clang(m55, "m55_clang", "thumbv8.1m.main-none-eabihf", {"-mcpu=cortex-m55"}),
  };
}

class Kernels : public ::testing::TestWithParam<Platform> {};

TEST_P(Kernels, EqualTheDefinition) {
  const Platform& platform = GetParam();
  if (!platform.available()) GTEST_SKIP() << "needs " << platform.compiler[0] << " and what runs its programs";
  const long count = environment("BYOC_KERNEL_LAYERS", 6);
  const auto seed = static_cast<std::uint32_t>(environment("BYOC_KERNEL_SEED", 1));
  for (const Kind& kind : kinds()) {
    std::vector<Layer> layers;
    for (long i = 0; i < count; ++i) {
      Random random(seed + static_cast<std::uint32_t>(i));
      layers.push_back(kind.make(random));
    }
    const std::string folder = std::filesystem::current_path().string() + "/layers_" + platform.name + "_" + kind.name;
    const Outcome out = run_layers(platform, layers, folder);
    std::string names;
    for (std::size_t i = 0; i < layers.size(); ++i) names += std::to_string(i) + ": " + layers[i].text + "\n";
    ASSERT_TRUE(out.built) << kind.name << ":\n" << out.text;
    EXPECT_EQ(out.text, "ok " + std::to_string(count)) << kind.name << " in " << folder << "\n" << names;
    if (!HasFailure()) std::filesystem::remove_all(folder);  // kept for whoever looks for the failure
  }
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, ::testing::ValuesIn(platforms()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace byoc::test
