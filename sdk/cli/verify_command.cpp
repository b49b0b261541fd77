#include <cinttypes>
#include <cstdio>
#include <memory>

#include "sdk/cli/commands.hpp"
#include "sdk/object/verify_image.hpp"
#include "sdk/pack/manifest.hpp"
#include "sdk/support/blob.hpp"
#include "sdk/support/file.hpp"

namespace byoc::cli {
namespace {

struct VerifyCommand {
  std::string image;
  std::vector<std::string> manifests;

  [[nodiscard]] Result<void> run(Diagnostics& diags) const {
    std::vector<ExpectedConstant> constants;
    for (const std::string& manifest : manifests) {
      auto text = read_text(manifest, diags);
      if (!text) return failure;
      auto stated = read_manifest_constants(*text, manifest, diags);
      if (!stated) return failure;
      constants.insert(constants.end(), stated->begin(), stated->end());
    }
    auto file = MappedFile::open(image, diags);
    if (!file) return failure;
    auto regions = verify_image((*file)->bytes(), image, constants, diags);
    if (!regions) return failure;
    std::printf("%zu constants are in flash, as they were exported\n", constants.size());
    for (const RegionUse& r : *regions)
      std::printf("  %-12s %8" PRIu64 " bytes in %zu constants\n", r.region.c_str(), r.bytes, r.constants);
    return {};
  }
};

}  // namespace

void add_verify(CLI::App& app, Session& session) {
  auto options = std::make_shared<VerifyCommand>();
  CLI::App* command =
      app.add_subcommand("verify", "prove on a linked image that the constants of a library stayed in flash");
  command->add_option("IMAGE", options->image, "linked ELF file: firmware, program or shared object")->required();
  command
      ->add_option("--manifest", options->manifests, "manifest (.json) of a library that was linked; may be repeated")
      ->required()
      ->take_all()
      ->expected(1);
  command->footer("Example:\n  byoc verify firmware.elf --manifest kws.json");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
