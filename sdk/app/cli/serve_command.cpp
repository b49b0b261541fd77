#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "sdk/app/cli/commands.hpp"
#include "sdk/run/remote/server.hpp"

namespace byoc::cli {
namespace {

struct ServeCommand {
  remote::ServeOptions options;
  std::string listen = "127.0.0.1:9190";
  std::string token_file;

  Result<void> run(Diagnostics& diags) {
    const auto address = remote::parse_address(listen, "--listen", diags);
    if (!remote::check_private(token_file, diags)) return failure;
    auto token = remote::read_token(token_file, diags);
    if (!address || !token) return failure;
    options.listen = *address;
    options.session.token = std::move(*token);
    options.log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    return remote::serve(options, diags);
  }
};

}  // namespace

void add_serve(CLI::App& app, Session& session) {
  auto options = std::make_shared<ServeCommand>();
  CLI::App* command = app.add_subcommand("serve", "run models for 'byoc run --remote' on other machines");
  remote::SessionOptions& limits = options->options.session;
  const auto size = [&](const char* name, std::uint64_t& value, const char* help) {
    command->add_option(name, value, help)
        ->transform(CLI::AsSizeValue(false).description(""))
        ->check(CLI::PositiveNumber.description(""))
        ->default_str(std::to_string(value >> 20) + "MiB");
  };
  const auto number = [&](const char* name, auto& value, const char* help) {
    command->add_option(name, value, help)->check(CLI::PositiveNumber.description(""))->capture_default_str();
  };
  command->add_option("--listen", options->listen, "HOST:PORT to wait at; port 0 takes one that is free")
      ->capture_default_str();
  command->add_option("--token-file", options->token_file, "file with the secret that clients must have")->required();
  auto* certificate = command->add_option("--tls-certificate", options->options.tls.certificate,
                                          "certificate of this server (PEM): connections go over TLS");
  auto* key = command->add_option("--tls-key", options->options.tls.key, "its private key (PEM)");
  certificate->needs(key);
  key->needs(certificate);
  command->add_flag("--plain", options->options.plain, "let clients on other machines connect without TLS");
  size("--max-upload", limits.limits.upload, "bytes that a client may upload");
  size("--max-memory", limits.limits.memory, "bytes of memory that a model may take");
  number("--max-seconds", limits.limits.seconds, "seconds that a request may take");
  number("--max-session", limits.session_seconds, "seconds that a client may stay");
  number("--max-clients", options->options.most_sessions, "clients at a time; others wait");
  command->footer(
      "Whoever has the token can run any code here, with the rights of the user who serves.\n\n"
      "Example:\n  (umask 077; head -c 24 /dev/urandom | base64 > token)\n  byoc serve --listen 127.0.0.1:9190 "
      "--token-file token");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
