#include "sdk/library/compile/link_objects.hpp"

#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <unistd.h>

#include "sdk/base/support/want_of_memory.hpp"
#include "sdk/library/compile/jobs.hpp"
#include "sdk/library/compile/worker.hpp"

LLD_HAS_DRIVER(elf)

namespace byoc {
namespace {

Result<ObjectBytes> run_lld(const std::vector<std::string>& words, const std::string& what, Diagnostics& diags) {
  const NoBadAlloc no_bad_alloc;
  std::vector<const char*> arguments{"ld.lld", "--threads=1", "--no-color-diagnostics"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::string out, errors;
  llvm::raw_string_ostream out_stream(out), error_stream(errors);
  const lld::Result result =
      lld::lldMain(arguments, out_stream, error_stream, {lld::DriverDef{lld::Gnu, &lld::elf::link}});
  while (!errors.empty() && errors.back() == '\n') errors.pop_back();
  if (result.retCode != 0) return diags.error(what, {}, "cannot be linked: " + errors);
  return ObjectBytes();
}

// Descriptors of this process have other names in another one.
std::string for_another_process(const std::string& word) {
  constexpr std::string_view kOwn = "/proc/self/fd/";
  if (!word.starts_with(kOwn)) return word;
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + word.substr(kOwn.size());
}

Result<void> link(const std::vector<std::string>& words, const std::string& what, Diagnostics& diags) {
  MessageWriter asked;
  asked.put(what);
  asked.list(words, [&](const std::string& word) { asked.put(for_another_process(word)); });
  if (!compile::run_in_worker(what, compile::Ask::lld, asked.bytes(), diags)) return failure;
  return {};
}

}  // namespace

Result<ObjectBytes> compile::do_lld(MessageReader& in, Diagnostics& diags) {
  const std::string what = in.text();
  return run_lld(in.texts(), what, diags);
}

Result<void> link_relocatable(std::span<const std::string> inputs, const std::string& output, const std::string& what,
                              Diagnostics& diags) {
  std::vector<std::string> words{"-r", "-o", output, "--whole-archive"};
  words.insert(words.end(), inputs.begin(), inputs.end());
  return link(words, what, diags);
}

Result<void> link_shared(const SharedLink& request, const std::string& output, const std::string& what,
                         Diagnostics& diags) {
  std::vector<std::string> words{"-shared", "-Bsymbolic", "--build-id=none", "-z", "now",  "-z",
                                 "defs",    "-z",         "noexecstack",     "-o", output, "--whole-archive"};
  words.insert(words.end(), request.inputs.begin(), request.inputs.end());
  words.insert(words.end(), {"--no-whole-archive", "--as-needed"});
  words.insert(words.end(), request.libraries.begin(), request.libraries.end());
  return link(words, what, diags);
}

}  // namespace byoc
