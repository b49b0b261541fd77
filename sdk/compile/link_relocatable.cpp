#include "sdk/compile/link_relocatable.hpp"

#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>

#include "sdk/compile/worker.hpp"
#include "sdk/support/want_of_memory.hpp"

LLD_HAS_DRIVER(elf)

namespace byoc {
namespace {

Result<ObjectBytes> run_lld(std::span<const std::string> inputs, const std::string& output, const std::string& what,
                            Diagnostics& diags) {
  const NoBadAlloc no_bad_alloc;
  std::vector<const char*> arguments{"ld.lld", "-r", "--threads=1", "--no-color-diagnostics", "-o", output.c_str()};
  for (const std::string& input : inputs) arguments.push_back(input.c_str());
  std::string out, errors;
  llvm::raw_string_ostream out_stream(out), error_stream(errors);
  const lld::Result result =
      lld::lldMain(arguments, out_stream, error_stream, {lld::DriverDef{lld::Gnu, &lld::elf::link}});
  while (!errors.empty() && errors.back() == '\n') errors.pop_back();
  if (result.retCode != 0) return diags.error(what, {}, "cannot be linked: " + errors);
  return ObjectBytes();
}

}  // namespace

Result<void> link_relocatable(std::span<const std::string> inputs, const std::string& output, const std::string& what,
                              Diagnostics& diags) {
  const auto job = [&](Diagnostics& own) { return run_lld(inputs, output, what, own); };
  if (!compile::run_in_worker(what, job, diags)) return failure;
  return {};
}

}  // namespace byoc
