#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "byoc/byoc.hpp"
#include "byoc/pack.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/library/weights/sign.hpp"

namespace byoc::cli {
namespace {

// FILE, or FILE@ADDRESS.
FlashDump dump_of(const std::string& text) {
  const std::size_t at = text.rfind('@');
  std::uint64_t address = 0;
  if (at == std::string::npos || !CLI::detail::integral_conversion(text.substr(at + 1), address)) return {text};
  return {text.substr(0, at), address};
}

struct VerifyCommand {
  std::string image;
  std::vector<std::string> manifests;
  std::string target;
  std::string key;
  std::string dump;

  // Weights of their own, which a public key has signed.
  [[nodiscard]] Result<void> run_weights(Diagnostics& diags) const {
    const auto read = weights::read_weights(image, diags);
    if (!read || !weights::verify_weights(*read, image, key, diags)) return failure;
    for (const weights::ReadBlob& b : read->blobs)
      std::printf("%s: sequence %u, signed by this key (%s)\n", b.model.c_str(), b.header.sequence,
                  weights::signature_kind(b.header.flags).c_str());
    return {};
  }

  [[nodiscard]] Result<void> run(Diagnostics& diags) const {
    if (!key.empty()) return run_weights(diags);
    if (manifests.empty())
      return diags.error(image, "--manifest", "is missing, and of weights --key", "", "the manifest of a library");
    const auto verified =
        dump.empty() ? verify_firmware(image, manifests, diags) : verify_flash(image, manifests, dump_of(dump), diags);
    if (!verified) return failure;
    if (!target.empty()) {
      const auto core = resolve_target(target, diags);
      if (!core || !verify_target(image, *core, diags)) return failure;
      std::printf("its code is for %s\n", core->name.c_str());
    }
    std::printf("%zu constants are in flash, as they were exported\n", verified->constants);
    if (!dump.empty()) std::printf("so are they in %s\n", dump_of(dump).file.c_str());
    for (const RegionUse& r : verified->regions)
      std::printf("  %-12s %8" PRIu64 " bytes in %zu constants\n", r.region.c_str(), r.bytes, r.constants);
    return {};
  }
};

}  // namespace

void add_verify(CLI::App& app, Session& session) {
  auto options = std::make_shared<VerifyCommand>();
  CLI::App* command = app.add_subcommand(
      "verify", "prove on a linked image that the constants of a library stayed in flash, or who signed weights");
  command
      ->add_option("IMAGE", options->image,
                   "linked ELF file: firmware, program or shared object; or, with --key, weights (.bin, .hex)")
      ->required();
  command
      ->add_option("--manifest", options->manifests, "manifest (.json) of a library that was linked; may be repeated")
      ->take_all()
      ->expected(1);
  command->add_option(
      "--target", options->target,
      "the core of the chip, as of export: an error if the image has code, of a library for another core "
      "say, that it does not run");
  command->add_option("--dump", options->dump,
                      "FILE[@ADDRESS], what the chip's flash holds, as a debug probe reads it: .hex, or bytes and the "
                      "address of the first, as in flash.bin@0x08000000. Every constant has to be in it, too");
  command->add_option("--key", options->key, "public key (PEM) that has to have signed the weights")
      ->excludes("--manifest", "--target", "--dump");
  command->footer(
      "Example:\n  byoc verify firmware.elf --manifest kws.json --target cortex-m4f\n"
      "  byoc verify firmware.elf --manifest kws.json --dump flash.bin@0x08000000\n"
      "  byoc verify kws.bin --key public.pem");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
