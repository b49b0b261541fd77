#include "tests/e2e/simulate/small_model.hpp"

#include "sdk/base/support/output_set.hpp"
#include "sdk/base/support/process.hpp"

namespace byoc::test {
namespace {

constexpr const char* kTypes = R"(
#include <stdint.h>
typedef struct { const int8_t* x; } tiny_inputs_t;
typedef struct { int8_t* y; } tiny_outputs_t;
)";

constexpr const char* kStateless = R"(
int32_t tiny_run(const tiny_inputs_t* inputs, const tiny_outputs_t* outputs, void* workspace);
)";

constexpr const char* kStateful = R"(
typedef struct { uint64_t opaque[2]; } tiny_instance_t;
int32_t tiny_init(tiny_instance_t* instance);
int32_t tiny_reset(tiny_instance_t* instance);
int32_t tiny_deinit(tiny_instance_t* instance);
int32_t tiny_run(tiny_instance_t* instance, const tiny_inputs_t* inputs, const tiny_outputs_t* outputs, void* workspace);
)";

constexpr const char* kBefore = R"(
#include "tiny.h"
#if defined(__arm__)
#define SPIN(n) do { uint32_t n_ = (n); __asm__ volatile(".syntax unified\n1: subs %0, #1\n\tbne 1b" : "+l"(n_) : : "cc"); } while (0)
#define TRAP() __asm__ volatile("udf #1")
#elif defined(__riscv)
#define SPIN(n) do { uint32_t n_ = (n); __asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(n_)); } while (0)
#define TRAP() __asm__ volatile("unimp")
#else
#define SPIN(n) do { for (volatile uint32_t n_ = (n); n_ != 0; n_--) { } } while (0)
#define TRAP() __builtin_trap()
#endif
#ifdef BYOC_TRACE
void byoc_trace(int32_t step);
#define TRACE(step) byoc_trace(step)
#else
#define TRACE(step) (void)0
#endif
)";

constexpr const char* kAfter = R"(
int32_t tiny_run(const tiny_inputs_t* inputs, const tiny_outputs_t* outputs, void* workspace) {
  return tiny_body(inputs->x, outputs->y, (unsigned char*)workspace);
}
)";

constexpr const char* kAfterStateful = R"(
int32_t tiny_init(tiny_instance_t* instance) {
  instance->opaque[0] = 40;
#ifdef INIT_FAILS
  return 5;
#else
  return 0;
#endif
}
int32_t tiny_reset(tiny_instance_t* instance) { return tiny_init(instance); }
/* Says which instance it was given: the one that has counted its runs. */
int32_t tiny_deinit(tiny_instance_t* instance) {
#ifdef DEINIT_FAILS
  return (int32_t)instance->opaque[0];
#else
  return (int32_t)(instance->opaque[0] - 41);
#endif
}
int32_t tiny_run(tiny_instance_t* instance, const tiny_inputs_t* inputs, const tiny_outputs_t* outputs, void* workspace) {
  *(unsigned char*)workspace = (unsigned char)++instance->opaque[0];
  return tiny_body(inputs->x, outputs->y, (unsigned char*)workspace);
}
)";

Result<void> run(std::vector<std::string> argv, const std::string& directory, Diagnostics& diags) {
  auto process = run_process(argv, diags, {.directory = directory, .timeout_seconds = 120});
  if (!process) return failure;
  if (process->exit_code != 0) return diags.error({}, argv[0], process->errors);
  return {};
}

}  // namespace

Result<SmallModel> build_small_model(const TargetSpec& target, const std::string& directory, const std::string& body,
                                     Diagnostics& diags, bool stateful) {
  SmallModel model{{}, directory, directory + "/tiny.a", directory + "/tiny_traced.a"};
  ModelInterface& i = model.interface;
  i.prefix = i.name = "tiny";
  i.inputs = {{"x", "x", DType::i8, {8}, 8, {}}};
  i.outputs = {{"y", "y", DType::i8, {8}, 8, {}}};
  i.workspace_bytes = 64;
  i.workspace_align = 8;

  if (stateful) {
    i.instance_bytes = 16;
    i.instance_align = 8;
  }

  OutputSet files(diags);
  if (!files.add(directory + "/tiny.h", std::string(kTypes) + (stateful ? kStateful : kStateless)) ||
      !files.add(directory + "/tiny.c", std::string(kBefore) + body + (stateful ? kAfterStateful : kAfter)) ||
      !files.commit())
    return failure;
  // "arm-none-eabi-gcc" has its "arm-none-eabi-ar" beside it.
  std::string ar = target.gnu_command;
  ar.replace(ar.rfind("gcc"), 3, "ar");
  for (const bool traced : {false, true}) {
    const std::string object = traced ? "traced.o" : "plain.o";
    std::vector<std::string> argv = {target.gnu_command};
    argv.insert(argv.end(), target.gnu_flags.begin(), target.gnu_flags.end());
    for (const char* a : {"-c", "-O2", "-ffunction-sections", "-fdata-sections", "tiny.c", "-o"}) argv.emplace_back(a);
    argv.push_back(object);
    if (traced) argv.emplace_back("-DBYOC_TRACE");
    if (!run(argv, directory, diags) ||
        !run({ar, "rcs", traced ? model.traced_archive : model.archive, object}, directory, diags))
      return failure;
  }
  return model;
}

}  // namespace byoc::test
