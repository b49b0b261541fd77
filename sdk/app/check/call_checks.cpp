// Checks of how it behaves in the calls of an export: what it does to the process and to what it is given, and what it
// makes of failures.
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>

#include "sdk/app/check/context.hpp"
#include "sdk/app/check/process_state.hpp"
#include "sdk/app/check/worker.hpp"

namespace byoc::check {
namespace {

constexpr std::size_t kCases = 24;  // of those that are claimed, in most checks

// Spread over all of them, so that no operator is left out for being late in the alphabet.
std::vector<const Case*> some_cases(const Context& c, std::size_t most = kCases) {
  std::vector<const Case*> out;
  const std::size_t n = c.corpus.claimed.size();
  for (std::size_t i = 0; i < std::min(n, most); ++i) out.push_back(&c.corpus.claimed[i * n / std::min(n, most)]);
  return out;
}

bool skip_unless_claims(Context& c) {
  if (!c.corpus.claimed.empty()) return false;
  c.findings.skip(c.check, "no graph of the kit's is claimed as a whole");
  return true;
}

// The messages and artifacts of the plug-in for one case.
struct Course {
  std::string verdicts, compiled;
  byoc_status_t status = BYOC_OK;  // of the first call that failed
};

// verdicts, again with matches where there are some, and compile.
Course run_course(Probe& probe, const Case& one) {
  Course out;
  const codegen::Region model = plugin::make_region(one.graph).region;
  probe.doing = one.name;
  out.status = probe.verdicts(model);
  out.verdicts = probe.record;
  if (out.status == BYOC_OK && !one.matches.empty()) {
    out.status = probe.verdicts(model, one.matches);
    out.verdicts += probe.record;
  }
  if (out.status != BYOC_OK) return out;
  const std::vector<codegen::Region> regions = one.regions();
  out.status = probe.compile(regions);
  out.compiled = probe.record;
  return out;
}

void check_course(Context& c) {
  const auto plugin = c.load();
  if (!plugin) return;
  std::vector<std::string> misplaced;
  const auto take = [&](Probe& p) {
    misplaced.insert(misplaced.end(), p.misplaced.begin(), p.misplaced.end());
    p.misplaced.clear();
  };
  for (const Case* one : some_cases(c, 60)) {
    Probe probe(*plugin, c.options.target, c.option_values(*plugin), {}, c.stage, c.findings, c.check);
    if (probe.create() != BYOC_OK) return;
    (void)run_course(probe, *one);
    ::usleep(500);  // what it may have left running has a chance to call
    take(probe);
    probe.destroy();
    take(probe);
  }
  if (c.corpus.claimed.empty()) {
    Probe probe(*plugin, c.options.target, c.option_values(*plugin), {}, c.stage, c.findings, c.check);
    (void)probe.create();
  }
  // Otherwise every check that follows would find it again.
  for (const Finding& f : c.findings.list) c.findings.blocks = c.findings.blocks || f.check == c.check;
  for (const std::string& text : misplaced) c.findings.add({"threads", "C2", "it " + text, {}, {}});
  c.findings.note(c.check, std::to_string(std::min<std::size_t>(c.corpus.claimed.size(), 60)) + " exports");
}

void check_lifetime(Context& c) {
  if (skip_unless_claims(c)) return;
  const auto plugin = c.load();
  if (!plugin) return;
  Arena::watch(c.stage);
  ProbeOptions how;
  how.showing.guarded = true;
  for (const Case* one : some_cases(c)) {
    Probe probe(*plugin, c.options.target, c.option_values(*plugin), how, c.stage, c.findings, c.check);
    if (probe.create() != BYOC_OK) return;
    if (run_course(probe, *one).status != BYOC_OK) continue;
    const std::vector<codegen::Region> regions = one->regions();
    (void)probe.compile(regions, 1);
    probe.destroy();
  }
  c.findings.note(c.check, std::to_string(some_cases(c).size()) + " exports");
}

// Every function of the host that can fail, at its first, a middle and its last call.
void check_failures(Context& c) {
  if (skip_unless_claims(c)) return;
  const auto plugin = c.load();
  if (!plugin) return;
  constexpr std::size_t kMostOfOne = 4;  // cases on which one function is made to fail
  std::vector<std::size_t> done(static_cast<std::size_t>(Function::count), 0);
  std::size_t injections = 0;
  const std::vector<plugin::OptionValue> values = c.option_values(*plugin);
  for (const Case* one : some_cases(c, 60)) {
    Probe plain(*plugin, c.options.target, values, {}, c.stage, c.findings, c.check);
    if (plain.create() != BYOC_OK || run_course(plain, *one).status != BYOC_OK) continue;
    for (std::size_t f = 0; f < done.size(); ++f) {
      const auto function = static_cast<Function>(f);
      const std::size_t calls = plain.calls(function);
      if (!can_fail(function) || calls == 0 || done[f]++ >= kMostOfOne) continue;
      std::vector<std::size_t> at = {1, (calls + 1) / 2, calls};
      at.erase(std::unique(at.begin(), at.end()), at.end());
      for (const std::size_t call : at) {
        ProbeOptions how;
        how.injection = {function, call, BYOC_LIMIT};
        Probe probe(*plugin, c.options.target, values, how, c.stage, c.findings, c.check);
        const std::string what = std::string(to_string(function)) + " failed at call " + std::to_string(call);
        Case renamed{one->name + ", where " + what, one->graph, one->inputs, one->parts, one->matches};
        probe.doing = renamed.name;
        byoc_status_t status = probe.create();
        if (status == BYOC_OK) status = run_course(probe, renamed).status;
        if (!probe.injected()) continue;
        ++injections;
        if (status == BYOC_OK)
          c.add("C4", renamed.name + ": it reports success all the same", "BYOC_OK", "the host's status, BYOC_LIMIT");
        else if (status != BYOC_LIMIT)
          c.add("C4", renamed.name + ": it does not hand the failure through", "status " + std::to_string(status),
                "the host's status, BYOC_LIMIT (" + std::to_string(BYOC_LIMIT) + ")");
      }
    }
  }
  c.findings.note(c.check, std::to_string(injections) + " failures");
}

void check_cancellation(Context& c) {
  if (skip_unless_claims(c)) return;
  const auto plugin = c.load();
  if (!plugin) return;
  const bool says = (plugin->table.caps & BYOC_CAP_CANCELLABLE) != 0;
  const std::vector<plugin::OptionValue> values = c.option_values(*plugin);
  std::size_t asked = 0;
  for (const Case* one : some_cases(c)) {
    Probe plain(*plugin, c.options.target, values, {}, c.stage, c.findings, c.check);
    if (plain.create() != BYOC_OK || run_course(plain, *one).status != BYOC_OK) continue;
    const std::size_t calls = plain.calls(Function::cancelled);
    if (calls == 0) continue;
    ++asked;
    for (const std::size_t from : {std::size_t{1}, calls}) {
      ProbeOptions how;
      how.cancel_from = from;
      Probe probe(*plugin, c.options.target, values, how, c.stage, c.findings, c.check);
      byoc_status_t status = probe.create();
      if (status == BYOC_OK) status = run_course(probe, *one).status;
      if (status == BYOC_CANCELLED || (status == BYOC_OK && !says)) continue;
      c.add("C9",
            one->name + ": it was cancelled when it asked for the " + (from == 1 ? "first" : "last") +
                " time, and goes on",
            "status " + std::to_string(status), "BYOC_CANCELLED (" + std::to_string(BYOC_CANCELLED) + ")");
    }
  }
  if (says && asked == 0) c.add("C9", "it says that it can be cancelled, and never asks");
  if (!says && asked == 0) return c.findings.skip(c.check, "it does not say that it can be cancelled");
  c.findings.note(c.check, std::to_string(asked) + " exports");
}

// Standard output and standard error, kept away from where they go.
class Muted {
 public:
  explicit Muted(int fd) : fd_(fd), saved_(::dup(fd)), file_(::memfd_create("output", MFD_CLOEXEC)) {
    std::fflush(nullptr);
    ::dup2(file_, fd_);
  }
  ~Muted() {
    ::dup2(saved_, fd_);
    ::close(saved_);
    ::close(file_);
  }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;
  [[nodiscard]] std::string text() const {
    std::fflush(nullptr);
    std::string out(200, '\0');
    const ssize_t n = ::pread(file_, out.data(), out.size(), 0);
    out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return out;
  }

 private:
  int fd_, saved_, file_;
};

void check_silence(Context& c) {
  std::string out, err;
  {
    const Muted output(STDOUT_FILENO), errors(STDERR_FILENO);
    const auto plugin = c.load();
    if (!plugin) return;
    const std::vector<plugin::OptionValue> values = c.option_values(*plugin);
    for (const Case* one : some_cases(c)) {
      Probe probe(*plugin, c.options.target, values, {}, c.stage, c.findings, c.check);
      if (probe.create() == BYOC_OK) (void)run_course(probe, *one);
    }
    out = output.text();
    err = errors.text();
  }
  const auto shown = [](const std::string& s) { return "'" + s.substr(0, s.find('\n')) + "'"; };
  if (!out.empty()) c.add("C5", "it writes to standard output", shown(out), "nothing");
  if (!err.empty()) c.add("C5", "it writes to standard error", shown(err), "nothing; byoc_host_t::log is for that");
}

bool is_resource(const std::string& what) {
  return what.starts_with("the open file") || what == "the number of threads";
}

void compare_states(Context& c, const std::map<std::string, std::string>& before,
                    const std::map<std::string, std::string>& after, const std::string& when, bool resources) {
  const auto differ = [&](const std::string& what, const std::string& was, const std::string& is) {
    if (is_resource(what) != resources) return;
    if (resources)
      c.findings.add({"leaks", "C8", "it keeps " + what + " " + when, is, was});
    else
      c.findings.add({"process", "C6", "it changes " + what + " in " + when, "'" + is + "'", "'" + was + "'"});
  };
  for (const auto& [what, is] : after) {
    const auto was = before.find(what);
    if (was == before.end())
      differ(what, "", is);
    else if (was->second != is)
      differ(what, was->second, is);
  }
  for (const auto& [what, was] : before)
    if (!after.contains(what)) differ(what, was, "");
}

void check_process(Context& c) {
  const auto plugin = c.load();
  if (!plugin) return;
  const std::vector<plugin::OptionValue> values = c.option_values(*plugin);
  const auto all = some_cases(c, 8);
  for (int round = 0; round < 2; ++round) {
    const auto before = process_state();
    {
      Probe probe(*plugin, c.options.target, values, {}, c.stage, c.findings, c.check);
      const byoc_status_t status = probe.create();
      compare_states(c, before, process_state(), "create", false);
      for (const Case* one : all) {
        if (status != BYOC_OK) break;
        const auto start = process_state();
        (void)run_course(probe, *one);
        compare_states(c, start, process_state(), "verdicts or compile", false);
      }
    }
    // The first time, caches of libraries that it uses may be opened for good.
    if (round == 1) compare_states(c, before, process_state_after(before), "after destroy", true);
  }
}

std::size_t allocated() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// The size of the smallest allocation, with its header: a leak is at least this large.
std::size_t smallest_allocation() {
  const std::unique_ptr<void, decltype(&std::free)> one(std::malloc(1), &std::free);
  return one ? ::malloc_usable_size(one.get()) + sizeof(std::size_t) : 1;
}

// Memory that grows by the same export again and again, once everything that is kept for good is there.
void check_leaks(Context& c) {
  const auto plugin = c.load();
  if (!plugin) return;
  const std::vector<plugin::OptionValue> values = c.option_values(*plugin);
  constexpr int kWarm = 3, kRounds = 6, kSpans = 5;
  // A thread's cache of freed memory counts as taken: each round is a thread's, and goes with it.
  ::mallopt(M_ARENA_MAX, 1);
  const auto grows = [&](const std::string& what, const auto& course) {
    const auto work = [&] { std::thread(course).join(); };
    for (int round = 0; round < kWarm; ++round) work();
    const std::size_t first = allocated();
    // Allocators keep some of what they are given back, and hand out blocks a little larger than what was asked for;
    // a leak goes on, round after round.
    const std::size_t least = kRounds * smallest_allocation();
    std::size_t last = first;
    for (int span = 0; span < kSpans; ++span) {
      for (int round = 0; round < kRounds; ++round) work();
      const std::size_t now = allocated();
      if (now < last + least) return;
      last = now;
    }
    c.add("C8", what + ": memory is taken and not given back with destroy",
          std::to_string((last - first) / (kSpans * kRounds)) + " bytes each time", "0");
  };
  for (const Case* one : some_cases(c, 6)) {
    const std::vector<codegen::Region> regions = one->regions();
    const codegen::Region model = plugin::make_region(one->graph).region;
    grows(one->name, [&] {
      Probe probe(*plugin, c.options.target, values, {}, c.stage, c.findings, c.check);
      probe.doing = one->name;
      if (probe.create() != BYOC_OK || probe.verdicts(model) != BYOC_OK) return;
      if (!one->matches.empty()) (void)probe.verdicts(model, one->matches);
      (void)probe.compile(regions);
    });
  }
  if (c.corpus.claimed.empty())
    grows("create and destroy", [&] {
      Probe probe(*plugin, c.options.target, values, {}, c.stage, c.findings, c.check);
      (void)probe.create();
    });
}

void check_resources(Context& c) {
  check_process(c);
  c.check = "leaks";
  check_leaks(c);
}

void check_newer_host(Context& c) {
  if (skip_unless_claims(c)) return;
  const auto plugin = c.load();
  if (!plugin) return;
  const std::vector<plugin::OptionValue> values = c.option_values(*plugin);
  for (const Case* one : some_cases(c)) {
    const auto run = [&](const ProbeOptions& how) {
      Probe probe(*plugin, c.options.target, values, how, c.stage, c.findings, c.check);
      return probe.create() == BYOC_OK ? run_course(probe, *one) : Course{"", "", BYOC_FAILED};
    };
    const Course plain = run({});
    const Course again = run({});
    // Another check reports results that differ between two equal runs.
    const bool steady = again.verdicts == plain.verdicts && again.compiled == plain.compiled;
    ProbeOptions newer;
    newer.showing.tail = 48;
    const Course longer = run(newer);
    if (longer.status != plain.status ||
        (steady && (longer.verdicts != plain.verdicts || longer.compiled != plain.compiled)))
      c.add("E7", one->name + ": it answers otherwise to a host whose structs have further members",
            longer.status == plain.status ? "other answers" : "status " + std::to_string(longer.status));
    for (std::uint32_t minor = plugin->table.min_host_minor; minor < plugin->table.abi_minor; ++minor) {
      ProbeOptions older;
      older.abi_minor = minor;
      if (plain.status == BYOC_OK && run(older).status != BYOC_OK)
        c.add("E7", one->name + ": it does not do for a host of ABI 1." + std::to_string(minor) +
                        " what it does for its own");
    }
  }
}

}  // namespace

std::string answers(Context& c, std::size_t shift) {
  if (shift != 0) {
    (void)::mmap(nullptr, shift << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    static std::vector<void*> holes;  // kept: they move what is allocated later
    for (std::size_t i = 0; i < 4000; ++i) holes.push_back(std::malloc(16 + (i * shift) % 500));
    for (std::size_t i = 0; i < holes.size(); i += 3) std::free(holes[i]);
  }
  const auto plugin = c.load();
  if (!plugin) return {};
  const std::vector<plugin::OptionValue> values = c.option_values(*plugin);
  Packer out;
  for (const Case* one : some_cases(c)) {
    Probe probe(*plugin, c.options.target, values, {}, c.stage, c.findings, c.check);
    const Course course = probe.create() == BYOC_OK ? run_course(probe, *one) : Course{};
    out.text(course.verdicts);
    out.text(course.compiled);
  }
  return std::move(out.bytes);
}

namespace {

// The first line that differs, shortened.
std::string first_difference(const std::string& a, const std::string& b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const std::size_t start = at == 0 ? 0 : a.rfind('\n', at - 1) + 1;
  std::string line = a.substr(start, a.find('\n', at) - start);
  if (line.size() > 100) line = line.substr(0, 100) + " ...";
  for (char& ch : line)
    if (static_cast<unsigned char>(ch) < 0x20) ch = ' ';
  return "'" + line + "'";
}

void check_same(Context& c) {
  if (skip_unless_claims(c)) {
    c.findings.skip("deterministic", "no graph of the kit's is claimed as a whole");
    return;
  }
  // Two processes of their own, before the plug-in is loaded in this one.
  const auto answers_of = [&](std::uint64_t shift) {
    return ask(Ask::answers, {c.options, c.library, c.manifest, &c.corpus, shift, c.check}, &c.stage);
  };
  const JobResult first = answers_of(0), second = answers_of(37);
  if (!first.bytes || !second.bytes) return;  // found by the checks before
  const auto plugin = c.load();
  if (!plugin) return;
  const bool says = (plugin->table.caps & BYOC_CAP_DETERMINISTIC) != 0;
  const auto differ = [&](const Case& one, bool verdicts, const std::string& when, const std::string& a,
                          const std::string& b) {
    if (a == b || (!verdicts && !says)) return;
    c.findings.add({verdicts ? "same-verdicts" : "deterministic", verdicts ? "V3" : "A15",
                    one.name + ": " + (verdicts ? "other verdicts" : "something else is handed over") + " " + when,
                    first_difference(b, a), first_difference(a, b)});
  };
  const std::vector<plugin::OptionValue> values = c.option_values(*plugin);
  Unpacker one_process(*first.bytes), another(*second.bytes);
  Probe reused(*plugin, c.options.target, values, {}, c.stage, c.findings, c.check);
  const bool created = reused.create() == BYOC_OK;
  for (const Case* one : some_cases(c)) {
    const std::string verdicts = one_process.text(), compiled = one_process.text();
    differ(*one, true, "in another process", verdicts, another.text());
    differ(*one, false, "in another process", compiled, another.text());
    if (!created) continue;
    const Course once = run_course(reused, *one);
    differ(*one, true, "of a codegen that was asked before", verdicts, once.verdicts);
    differ(*one, false, "by a codegen that has compiled before", compiled, once.compiled);
    const Course again = run_course(reused, *one);
    differ(*one, true, "at the second time", verdicts, again.verdicts);
    differ(*one, false, "at the second time", compiled, again.compiled);
  }
  if (!says) c.findings.skip("deterministic", "it does not say that it is deterministic");
}

void check_reentrant(Context& c) {
  if (skip_unless_claims(c)) return;
  const auto plugin = c.load();
  if (!plugin) return;
  if ((plugin->table.caps & BYOC_CAP_REENTRANT) == 0)
    return c.findings.skip(c.check, "it does not say that it is re-entrant");
  const std::vector<plugin::OptionValue> values = c.option_values(*plugin);
  const std::vector<const Case*> all = some_cases(c);
  std::vector<std::string> alone(all.size());
  const auto work = [&](std::size_t i, Findings& findings) {
    Probe probe(*plugin, c.options.target, values, {}, c.stage, findings, c.check);
    return probe.create() == BYOC_OK ? run_course(probe, *all[i]).compiled : std::string();
  };
  for (std::size_t i = 0; i < all.size(); ++i) alone[i] = work(i, c.findings);
  std::array<Findings, 2> findings;
  std::array<std::vector<std::string>, 2> found;
  const auto thread = [&](std::size_t which) {
    for (int round = 0; round < 4; ++round)
      for (std::size_t i = 0; i < all.size(); ++i) found[which].push_back(work(i, findings[which]));
  };
  std::thread other([&] { thread(1); });
  thread(0);
  other.join();
  for (std::size_t which = 0; which < 2; ++which)
    for (std::size_t i = 0; i < found[which].size(); ++i)
      if (found[which][i] != alone[i % all.size()])
        c.add("C10", all[i % all.size()]->name + ": it hands over something else while another codegen works");
}

}  // namespace

std::vector<Unit> call_units() {
  using Gate = Unit::Gate;
  const auto check = [](const char* name, const char* requirements, const char* title, void (*run)(Context&)) {
    return Unit{{{name, "calls", requirements, title}}, Gate::none, true, run};
  };
  std::vector<Unit> out;
  out.push_back({{{"course", "calls", "C1 C4", "exports run through, and failures say why"},
                  {"threads", "calls", "C2", "it calls the host in its calls only, from their thread"}},
                 Gate::lives,
                 true,
                 check_course});
  out.push_back(check("lifetime", "C3 C11", "it neither keeps nor changes what it is given", check_lifetime));
  out.push_back(check("failures", "C4", "it hands failures of the host through", check_failures));
  out.back().death = "C4";
  out.push_back(check("cancellation", "C9", "it stops when it is cancelled", check_cancellation));
  out.push_back(check("silence", "C5", "it writes nothing to standard output and standard error", check_silence));
  out.push_back({{{"process", "calls", "C6", "it leaves the process as it is"},
                  {"leaks", "calls", "C8", "it gives back memory, files and threads"}},
                 Gate::none,
                 true,
                 check_resources});
  out.push_back(check("newer-host", "E7", "it works with hosts whose structs are longer", check_newer_host));
  out.back().death = "E7";
  out.push_back({{{"same-verdicts", "verdicts", "V3", "the same question has the same answer"},
                  {"deterministic", "calls", "A15", "the same request gives the same bytes"}},
                 Gate::none,
                 true,
                 check_same});
  out.push_back(check("reentrant", "C10", "two of its codegens may work at the same time", check_reentrant));
  out.back().death = "C10";
  return out;
}

}  // namespace byoc::check
