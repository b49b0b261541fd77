// Steps that are watched: firmware/watch.c runs them, here is what comes of it.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/run/simulate/dump.hpp"
#include "sdk/run/simulate/execute.hpp"

namespace byoc {
namespace {

// firmware/harness.h says what they are.
struct Record {
  std::uint32_t kind, step, role, index;
  std::int64_t detail;
};
enum RecordKind : std::uint32_t { kReturned = 1, kBeside = 2, kChanged = 3 };

std::string operand(const Record& r) {
  constexpr const char* kRoles[] = {"input ", "output ", "workspace "};
  return kRoles[std::min<std::uint32_t>(r.role, 2)] + std::to_string(r.index);
}

std::string text_of(const Record& r) {
  switch (r.kind) {
    case kReturned: return "returned " + std::to_string(r.detail) + ", expected 0";
    case kBeside:
      return "writes beside its " + operand(r) + ": " +
             (r.detail < 0 ? std::to_string(-r.detail) + " bytes before its start"
                           : std::to_string(r.detail + 1) + " bytes behind its end");
    case kChanged: return "changes its " + operand(r);
    default: return "";
  }
}

// The first of each step, as both kinds of junk and all runs find the same.
std::map<std::size_t, std::string> read_findings(std::span<const std::byte> file) {
  std::map<std::size_t, std::string> out;
  for (std::size_t at = 0; at + sizeof(Record) <= file.size(); at += sizeof(Record)) {
    Record r;
    std::memcpy(&r, file.data() + at, sizeof r);
    if (const std::string text = text_of(r); !text.empty()) out.emplace(r.step, text);
  }
  return out;
}

// Compares the elements, without the bytes between them.
bool same_elements(const DumpPiece& piece, std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(gather(a, *piece.tensor), gather(b, *piece.tensor));
}

Result<void> write_feed(const std::string& path, const std::vector<std::vector<std::byte>>& feed, Diagnostics& diags) {
  OutputSet files(diags);
  const auto write = [&](int fd) {
    return std::all_of(feed.begin(), feed.end(), [&](const auto& piece) { return write_all(fd, piece); });
  };
  if (!files.add(path, write)) return failure;
  return files.commit();
}

// dump.bin: the runs with the first junk, then those with the second.
Result<void> read_pieces(std::span<const std::byte> file, const std::vector<DumpPiece>& pieces, std::size_t runs,
                         bool fed, WatchedRun& out, std::map<std::size_t, std::string>& findings, Diagnostics& diags) {
  std::uint64_t each = 0;
  for (const DumpPiece& p : pieces) each += p.bytes;
  if (file.size() != 2 * runs * each)
    return diags.error("dump.bin", {}, "is not what the program that watches should have written",
                       std::to_string(file.size()) + " bytes", std::to_string(2 * runs * each) + " bytes");
  std::size_t at = 0;
  bool differs = false;
  for (std::size_t run = 0; run < runs; ++run)
    for (const DumpPiece& p : pieces) {
      const auto bytes = file.subspan(at, p.bytes), other = file.subspan(runs * each + at, p.bytes);
      at += p.bytes;
      // If steps are fed, a difference in one step is not caused by another step.
      if ((fed || !differs) && !same_elements(p, bytes, other)) {
        differs = true;
        findings.emplace(p.step,
                         "gives something else where other bytes were in its memory before: it reads what "
                         "nothing has written, or beside what it was given");
      }
      out.pieces.emplace_back(bytes.begin(), bytes.end());
      out.dumps.push_back(with_all_channels(*p.tensor, gather(bytes, *p.tensor)));
    }
  return {};
}

Result<void> read_watched(const SimulateRequest& request, const std::string& directory,
                          const std::vector<DumpPiece>& pieces, bool fed, WatchedRun& out, Diagnostics& diags) {
  auto found = MappedFile::open(directory + "/findings.bin", diags);
  auto file = found ? MappedFile::open(directory + "/dump.bin", diags) : failure;
  if (!file) return failure;
  std::map<std::size_t, std::string> findings = read_findings((*found)->bytes());
  const std::size_t runs = run_count(request.model, request.inputs.size());
  if (!read_pieces((*file)->bytes(), pieces, runs, fed, out, findings, diags)) return failure;
  for (const auto& [step, text] : findings)
    if (step < request.model.steps.size()) out.findings.push_back({step, text});
  return {};
}

}  // namespace

Result<WatchedRun> watch(const SimulateRequest& request, const Workbench& bench,
                         const std::vector<std::vector<std::byte>>& feed, Diagnostics& diags) {
  WatchedRun out;
  if (request.model.bound_bytes != 0) {
    out.possible = false;
    return out;
  }
  const std::vector<DumpPiece> pieces = dump_pieces(request.model);
  RunPlan plan{true, run_count(request.model, request.inputs.size()), request.reset};
  plan.watched = true;
  plan.fed = !feed.empty();
  const std::string directory = bench.folder(plan.fed ? "fed" : "watched");
  auto program = link_for(request, bench, directory, request.traced_archive, plan, pieces, diags);
  if (!program || (plan.fed && !write_feed(directory + "/feed.bin", feed, diags))) return failure;
  const auto run = execute(request, bench.machine, program->path, directory, {}, diags, false);
  if (!run) {
    // A finding from before the failure may be the reason for it.
    Diagnostics none;
    std::error_code ignored;
    const std::string path = directory + "/findings.bin";
    if (!std::filesystem::exists(path, ignored)) return failure;
    if (const auto file = MappedFile::open(path, none))
      for (const auto& [step, text] : read_findings((*file)->bytes()))
        if (step < request.model.steps.size()) out.findings.push_back({step, text});
    report_findings(request.model, out.findings, diags);
    return failure;
  }
  if (!read_watched(request, directory, pieces, plan.fed, out, diags)) return failure;
  return out;
}

std::string describe_step(const ModelInterface& model, std::size_t step) {
  const StepInfo& s = model.steps[step];
  std::string nodes;
  for (const std::string& n : s.nodes) nodes += (nodes.empty() ? " (" : ", ") + n;
  return "step '" + s.symbol + "' of codegen '" + s.codegen + "'" + nodes + (nodes.empty() ? "" : ")");
}

void report_findings(const ModelInterface& model, const std::vector<StepFinding>& findings, Diagnostics& diags) {
  for (const StepFinding& f : findings) diags.error({}, model.name, describe_step(model, f.step) + " " + f.text);
}

}  // namespace byoc
