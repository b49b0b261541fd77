// byoc-server: `byoc serve` without the rest of byoc.
#include <getopt.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "sdk/base/support/helper_program.hpp"
#include "sdk/base/support/leftovers.hpp"
#include "sdk/run/remote/confine.hpp"
#include "sdk/run/remote/server.hpp"

namespace {

constexpr const char* kUsage =
    "usage: byoc-server --listen HOST:PORT --token-file FILE [OPTION...]\n"
    "Runs models for 'byoc run MODEL --remote HOST:PORT --token-file FILE', each client in a process of its own.\n"
    "Whoever has the token can run any code with the rights of this user.\n"
    "  --plain             let clients on other machines connect without TLS\n"
    "  --max-upload MIB    of all that a client uploads (256)\n"
    "  --max-memory MIB    that a model may take (1024)\n"
    "  --max-seconds N     that a request may take (60)\n"
    "  --max-session N     seconds that a client may stay (3600)\n"
    "  --max-clients N     at a time; others wait (32)\n";

template <class T>
bool read_number(const char* text, T& out) {
  const char* const end = text + std::strlen(text);
  return std::from_chars(text, end, out).ptr == end && out > 0;
}

bool read_mebibytes(const char* text, std::uint64_t& out) {
  std::uint64_t n = 0;
  constexpr unsigned kMebi = 20;
  if (!read_number(text, n) || n > UINT64_MAX >> kMebi) return false;
  out = n << kMebi;
  return true;
}

struct Arguments {
  byoc::remote::ServeOptions options;
  std::string listen = "127.0.0.1:9190";
  std::string token_file;
};

// False: not as the usage says.
bool parse(int argc, char** argv, Arguments& out) {
  constexpr std::array<option, 9> kOptions{{{"listen", required_argument, nullptr, 'l'},
                                            {"token-file", required_argument, nullptr, 't'},
                                            {"plain", no_argument, nullptr, 'p'},
                                            {"max-upload", required_argument, nullptr, 'u'},
                                            {"max-memory", required_argument, nullptr, 'm'},
                                            {"max-seconds", required_argument, nullptr, 's'},
                                            {"max-session", required_argument, nullptr, 'e'},
                                            {"max-clients", required_argument, nullptr, 'c'},
                                            {nullptr, 0, nullptr, 0}}};
  byoc::remote::SessionOptions& session = out.options.session;
  bool ok = true;
  for (int which; (which = ::getopt_long(argc, argv, "", kOptions.data(), nullptr)) != -1;) {
    switch (which) {
      case 'l': out.listen = optarg; break;
      case 't': out.token_file = optarg; break;
      case 'p': out.options.plain = true; break;
      case 'u': ok = ok && read_mebibytes(optarg, session.limits.upload); break;
      case 'm': ok = ok && read_mebibytes(optarg, session.limits.memory); break;
      case 's': ok = ok && read_number(optarg, session.limits.seconds); break;
      case 'e': ok = ok && read_number(optarg, session.session_seconds); break;
      case 'c': ok = ok && read_number(optarg, out.options.most_sessions); break;
      default: ok = false;
    }
  }
  return ok && optind == argc && !out.token_file.empty();
}

}  // namespace

int main(int argc, char** argv) {
  const std::array<byoc::Service, 3> services{byoc::remote::kClientService, byoc::remote::kModelService,
                                              byoc::remote::kConfinementService};
  if (const auto code = byoc::helper_main(argc, argv, services)) return *code;
  std::signal(SIGPIPE, SIG_IGN);
  byoc::take_leftovers_on_signals();
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  arguments.options.log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  byoc::Diagnostics diags;
  const auto address = byoc::remote::parse_address(arguments.listen, "--listen", diags);
  const bool kept = bool(byoc::remote::check_private(arguments.token_file, diags));
  auto token = kept ? byoc::remote::read_token(arguments.token_file, diags) : byoc::Result<std::string>(byoc::failure);
  if (address && token) {
    arguments.options.listen = *address;
    arguments.options.session.token = std::move(*token);
    (void)byoc::remote::serve(arguments.options, diags);
  }
  for (const byoc::Diagnostic& d : diags.all()) std::fprintf(stderr, "%s\n", byoc::to_string(d).c_str());
  return 1;
}
