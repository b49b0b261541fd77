// byoc sign: signs weights after their export, where the key is.
#include <CLI/CLI.hpp>

#include "sdk/app/cli/commands.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/weights/sign.hpp"

namespace byoc::cli {
namespace {

struct SignCommand {
  std::string file, key, program, out;

  Result<void> run(Diagnostics& diags) const {
    if (file.ends_with(".hex"))
      return diags.error(file, {}, "cannot be signed as Intel HEX", ".hex", "the .bin that export writes");
    const auto read = weights::read_weights(file, diags);
    if (!read) return failure;
    const auto signer =
        program.empty() ? weights::key_signer(key, diags) : weights::program_signer(program, key, diags);
    if (!signer) return failure;
    const auto made = weights::sign_weights(*read, *signer, diags);
    if (!made) return failure;
    OutputSet files(diags, stamps_of(std::vector<std::string>{file, key}));
    if (!files.add(out, [&](int fd) { return write_all(fd, *made); })) return failure;
    return files.commit();
  }
};

}  // namespace

void add_sign(CLI::App& app, Session& session) {
  auto options = std::make_shared<SignCommand>();
  CLI::App* command = app.add_subcommand("sign", "sign a file of weights, with Ed25519 or ECDSA P-256");
  command->add_option("WEIGHTS", options->file, "file of weights (.bin), which export --weights-blob wrote")
      ->required();
  command
      ->add_option(
          "--key", options->key,
          "private key: a PEM file, or a URI for OpenSSL's stores, as pkcs11:...; with --signer the public key")
      ->required();
  command->add_option("--signer", options->program,
                      "program that signs: it gets a file's name and writes the signature of its bytes to standard "
                      "output; --key is then the public key, by which the answer is verified");
  command->add_option("-o,--output", options->out, "the signed file to write")->required();
  command->footer("Example:\n  byoc sign kws.bin --key key.pem -o kws_signed.bin");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
