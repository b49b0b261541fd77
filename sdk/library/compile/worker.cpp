#include "sdk/library/compile/worker.hpp"

#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "sdk/base/support/message.hpp"
#include "sdk/library/compile/check/source_check.hpp"
#include "sdk/library/compile/jobs.hpp"

namespace byoc::compile {
namespace {

std::string answer(Ask ask, MessageReader& in) {
  if (ask == Ask::source) return do_source(in);
  Diagnostics own;
  const auto job = [&]() -> Result<ObjectBytes> {
    switch (ask) {
      case Ask::module: return do_module(in, own);
      case Ask::link: return do_link(in, own);
      case Ask::symbols: return do_symbols(in, own);
      case Ask::rename: return do_rename(in, own);
      case Ask::lld: return do_lld(in, own);
      case Ask::source: break;
    }
    return failure;
  };
  const auto object = job();
  return encode_outcome(object, own);
}

// One job after the other, until nobody asks any more.
void serve(Worker::Channel& channel, std::string_view) {
  const char* const before = std::getenv("TMPDIR");
  const std::string usual = before == nullptr ? "" : before;
  while (const auto message = channel.receive()) {
    MessageReader in(*message);
    const Ask ask = in.choice(Ask::lld);
    const std::string temporary = in.text();
    ::setenv("TMPDIR", temporary.empty() ? usual.c_str() : temporary.c_str(), 1);
    if (!channel.send(answer(ask, in))) return;
  }
}

// Workers that wait for work, and who wants them to. Never destroyed: threads may come late.
struct Pool {
  std::mutex mutex;
  unsigned users = 0;
  std::vector<std::pair<WorkerLimits, std::unique_ptr<Worker>>> idle;
};

Pool& pool() {
  static Pool& one = *new Pool;
  return one;
}

}  // namespace

extern const Service kService{"compile", serve};

KeptWorkers::KeptWorkers() {
  const std::lock_guard lock(pool().mutex);
  ++pool().users;
}

KeptWorkers::~KeptWorkers() {
  decltype(Pool::idle) gone;  // ended without the lock
  const std::lock_guard lock(pool().mutex);
  if (--pool().users == 0) gone.swap(pool().idle);
}

JobWorker::JobWorker(const WorkerLimits& limits) : limits_(limits) {
  {
    const std::lock_guard lock(pool().mutex);
    auto& idle = pool().idle;
    for (auto it = idle.begin(); it != idle.end() && worker_ == nullptr; ++it)
      if (it->first == limits) {
        worker_ = std::move(it->second);
        idle.erase(it);
        break;
      }
  }
  if (worker_ == nullptr) worker_ = std::make_unique<Worker>(kService.name, "", limits);
}

JobWorker::~JobWorker() {
  const std::lock_guard lock(pool().mutex);
  if (pool().users != 0 && worker_->end().kind == WorkerEnd::Kind::alive)
    pool().idle.emplace_back(limits_, std::move(worker_));
}

std::optional<std::string> JobWorker::ask(Ask ask, std::string_view arguments, const std::string& temporary) {
  worker_->begin_job();
  MessageWriter message;
  message.put(ask);
  message.put(temporary);
  message.append(arguments);
  if (!worker_->send(message.bytes())) return std::nullopt;
  return worker_->receive();
}

void put(MessageWriter& out, const CompileOptions& o) {
  // A member that is added does not compile before it is named here. Limits and jobs are the business of who asks.
  const auto& [opt_level, warnings, warnings_as_errors, standard, defines, sanitize, debug_info, launcher, bitcode,
               cache, limits, probed, jobs] = o;
  for (const std::string* text : {&opt_level, &standard, &sanitize, &launcher, &cache}) out.put(*text);
  for (const bool flag : {warnings, warnings_as_errors, debug_info, bitcode, probed}) out.put(flag);
  out.list(defines);
}

CompileOptions get_options(MessageReader& in) {
  CompileOptions o;
  for (std::string* text : {&o.opt_level, &o.standard, &o.sanitize, &o.launcher, &o.cache}) *text = in.text();
  for (bool* flag : {&o.warnings, &o.warnings_as_errors, &o.debug_info, &o.bitcode, &o.probed}) *flag = in.flag();
  o.defines = in.texts();
  return o;
}

std::string encode_outcome(const Result<ObjectBytes>& object, const Diagnostics& diags) {
  MessageWriter out;
  out.put(diags);
  out.put<std::uint8_t>(object ? 1 : 0);
  if (object) out.put(std::string_view(reinterpret_cast<const char*>(object->data()), object->size()));
  return out.take();
}

Result<ObjectBytes> decode_outcome(const std::string& what, std::string_view answer, Diagnostics& diags) {
  MessageReader in(answer);
  for (Diagnostic& d : in.list([&] { return in.diagnostic(); })) diags.add(std::move(d));
  const bool compiled = in.flag();
  ObjectBytes object = compiled ? in.blob() : ObjectBytes();
  if (!in.ended())
    return diags.error(what, {}, "the compiler was damaged by it", "an answer that is none", "an object");
  if (compiled) return object;
  if (!diags.has_errors()) return diags.error(what, {}, "cannot be compiled");
  return failure;
}

Failure report_death(const std::string& what, const WorkerEnd& end, Diagnostics& diags) {
  return diags.error(what, {}, "the compiler did not survive it", end.text(), "an object");
}

Result<ObjectBytes> run_in_worker(const std::string& what, Ask ask, std::string_view arguments, Diagnostics& diags,
                                  const WorkerLimits& limits) {
  if (is_worker()) {
    MessageReader in(arguments);
    return decode_outcome(what, answer(ask, in), diags);
  }
  JobWorker worker(limits);
  const auto told = worker.ask(ask, arguments, {});
  return told ? decode_outcome(what, *told, diags) : report_death(what, worker.end(), diags);
}

void put(MessageWriter& out, const SourceFinding& f) {
  out.put(f.kind);
  for (const std::string* text : {&f.place, &f.symbol, &f.message, &f.found, &f.expected}) out.put(*text);
  out.put(f.in_header);
}

SourceFinding get_finding(MessageReader& in) {
  SourceFinding f;
  f.kind = in.choice(SourceFinding::Kind::external);
  for (std::string* text : {&f.place, &f.symbol, &f.message, &f.found, &f.expected}) *text = in.text();
  f.in_header = in.flag();
  return f;
}

}  // namespace byoc::compile
