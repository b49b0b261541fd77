#include "sdk/base/support/run_apart.hpp"

namespace byoc {

void answer_apart(Worker::Channel& channel, const std::function<bool(MessageWriter&, Diagnostics&)>& work) {
  Diagnostics said;
  MessageWriter given, answer;
  const bool ok = work(given, said);
  answer.put(said);
  answer.put<std::uint8_t>(ok ? 1 : 0);
  answer.put(given.bytes());
  channel.send(answer.bytes());
}

Result<std::string> run_apart(const std::string& path, const std::string& name, unsigned seconds,
                              std::string_view service, std::string_view arguments, Diagnostics& diags, int given) {
  WorkerLimits limits;
  limits.seconds = seconds;
  const JobResult result = run_job(service, arguments, limits, given);
  if (!result.bytes) {
    if (result.end.kind == WorkerEnd::Kind::timed_out)
      return diags.error(path, name, "the model did not finish", {},
                         "an end within " + std::to_string(seconds) + " seconds");
    return diags.error(path, name, "the process that ran the model " + result.end.text());
  }
  MessageReader in(*result.bytes);
  for (Diagnostic& d : in.list([&] { return in.diagnostic(); })) diags.add(std::move(d));
  const bool ok = in.flag();
  std::string written = in.text();
  if (!in.ended()) return bad_answer(path, diags);
  return ok ? Result<std::string>(std::move(written)) : failure;
}

Failure bad_answer(const std::string& path, Diagnostics& diags) {
  return diags.error(path, {}, "the model's process gave an answer that is none");
}

}  // namespace byoc
