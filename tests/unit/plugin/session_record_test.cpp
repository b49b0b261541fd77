// Recorded sessions: what was said is in the file, what is read back is what was written, anything else is refused, and
// another codegen is asked the same and compared with what was recorded.
#include "sdk/codegen/plugin/record/session_record.hpp"

#include <cstdlib>
#include <fstream>
#include <random>

#include "sdk/codegen/plugin/record/recording_codegen.hpp"
#include "sdk/codegen/plugin/record/replay.hpp"
#include "tests/unit/plugin/border.hpp"

namespace byoc::plugin {
namespace {

// Of the two nodes; what it does otherwise than usual is named.
class Codec final : public codegen::Codegen {
 public:
  explicit Codec(std::string otherwise) : otherwise_(std::move(otherwise)) {}
  std::string_view id() const override { return "test.codec"; }
  std::string_view version() const override { return "2"; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    std::vector<codegen::Verdict> out(r.nodes.size(), {true, codegen::Reason::none, {}});
    if (is("verdict")) out[1] = {false, codegen::Reason::unsupported_op, "no Add"};
    if (is("no verdicts")) out.clear();
    return out;
  }
  std::vector<codegen::Group> groups(const codegen::Region&, const TargetSpec&,
                                     std::span<const codegen::Match>) override {
    if (is("groups")) return {};
    return {{{0, 1}, {true, codegen::Reason::none, {}}, codegen::kNoPattern}};
  }
  bool compile(const codegen::Request& request, codegen::Host& host) override {
    const codegen::Region& r = request.regions[0];
    seen = {r.values[2].data.begin(), r.values[2].data.end()};
    host.source({.name = host.claim("code")}, is("source") ? "int y;" : "int x;");
    host.constant({.symbol = host.claim("c")}, std::vector<std::byte>(8, std::byte(is("bytes") ? 2 : 1)));
    const std::uint32_t own = host.private_value({64, 4, {}});
    const codegen::Operand out{r.outputs[0], 0}, in{r.inputs[0], 0}, inner{codegen::kNoValue, own};
    if (!is("step"))
      host.step(r, {.symbol = is("refused") ? "printf" : host.claim("s"), .inputs = {in}, .outputs = {inner, out}});
    if (is("more")) host.alias(r, r.outputs[0], r.inputs[0]);
    if (is("error")) host.diag(codegen::Severity::error, r, 1, "the licence is over");
    return !is("error") && host.errors() == 0;
  }

  bool takes_open_dims() const override { return !is("static"); }

  std::vector<std::byte> seen;  // of the constant

 private:
  bool is(const char* what) const { return otherwise_ == what; }
  std::string otherwise_;
};

SessionRecord session_of(const std::string& otherwise, std::uint64_t kept = 0) {
  const ir::Graph g = two_nodes();
  const BoundRegion region = make_region(g);
  TargetSpec target;
  target.name = "board";
  target.pools = {{"ram", PoolKind::ram, 4096, {"tcm"}, ""}};
  SessionRecord out;
  auto codegen = record_codegen(std::make_unique<Codec>(otherwise), target, {{"o", "1"}}, kept,
                                [&](SessionRecord r) { out = std::move(r); });
  (void)codegen->verdicts(region.region, target);
  (void)codegen->groups(region.region, target, {});
  NameTable names;
  Compilation made;
  Diagnostics diags;
  (void)compile_regions(*codegen, {&region, 1}, {g, target, Objective::size, "m", "m_i.h"}, names, made, diags);
  codegen.reset();
  return out;
}

std::string refused_record(std::string_view bytes) {
  Diagnostics diags;
  EXPECT_FALSE(read_record(bytes, "s.byocrec", diags));
  return diags.all().empty() ? "" : to_string(diags.all()[0]);
}

SessionRecord read_back(const SessionRecord& record) {
  Diagnostics diags;
  auto out = read_record(write_record(record), "s.byocrec", diags);
  EXPECT_TRUE(out) << (diags.all().empty() ? "" : to_string(diags.all()[0]));
  return out ? std::move(*out) : SessionRecord();
}

TEST(SessionRecord, isReadAsItWasWritten) {
  const SessionRecord record = session_of("");
  ASSERT_EQ(record.calls.size(), 4u);  // verdicts, groups, update, compile
  EXPECT_EQ(record.regions.size(), 1u);
  EXPECT_EQ(record.calls[0].verdicts.size(), 2u);
  EXPECT_EQ(record.calls[1].groups.size(), 1u);
  ASSERT_EQ(record.calls[3].said.size(), 7u);
  EXPECT_EQ(record.calls[3].said[0].label, "claim 'code'");
  EXPECT_EQ(record.calls[3].said[0].answer, "m_code");
  EXPECT_EQ(record.calls[3].said[6].label, "step 'm_s'");
  EXPECT_EQ(record.calls[3].objective, Objective::size);
  const SessionRecord read = read_back(record);
  EXPECT_EQ(write_record(read), write_record(record));
  EXPECT_EQ(read.target.name, "board");
  EXPECT_EQ(read.target.pools[0].attributes, (std::vector<std::string>{"tcm"}));
  EXPECT_EQ(read.options, (OptionTexts{{"o", "1"}}));
  if (const char* folder = std::getenv("BYOC_KEEP_MODELS"))
    std::ofstream(std::string(folder) + "/seed-session.byocrec", std::ios::binary) << write_record(record);
}

TEST(SessionRecord, contentsOfConstantsAreHashesUnlessAskedFor) {
  const std::string sevens(16, '\7'), ones(8, '\1');
  const std::string without = write_record(session_of("")), with = write_record(session_of("", 16));
  EXPECT_FALSE(has(without, sevens));
  EXPECT_FALSE(has(write_record(session_of("", 15)), sevens));
  EXPECT_TRUE(has(with, sevens));
  EXPECT_FALSE(has(with, ones));  // what the plug-in made of them is only compared
  const SessionRecord record = session_of("");
  ASSERT_EQ(record.regions[0].constants.size(), 1u);
  EXPECT_EQ(record.regions[0].constants[0].identity, identify(two_nodes().values[3].constant->bytes.bytes()));
  EXPECT_TRUE(withholds(record.regions[0]));
  EXPECT_FALSE(withholds(session_of("", 16).regions[0]));
}

TEST(SessionRecord, whatIsNoRecordIsRefused) {
  const std::string good = write_record(session_of(""));
  EXPECT_EQ(refused_record("x"), "s.byocrec: error: is no recorded session");
  std::string bad = good;
  bad[8] = 7;
  EXPECT_TRUE(has(refused_record(bad), "is of another version (found 7, expected 1)"));
  EXPECT_TRUE(
      has(refused_record(std::string_view(good).substr(0, good.size() - 1)), "does not have the size that it states"));
  EXPECT_TRUE(has(refused_record(good + "x"), "does not have the size that it states"));
  for (std::size_t at = 32; at < good.size(); at += 7) {
    bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    EXPECT_TRUE(has(refused_record(bad), "its checksum is another")) << at;
  }
}

// Whatever stands in a file that is whole: it is read, or refused.
TEST(SessionRecord, whatContradictsItselfIsRefused) {
  const std::string good = write_record(session_of("", 16));
  const std::string body = good.substr(32);
  ASSERT_EQ(frame_record(body), good);
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string bad = body;
    for (unsigned n = random() % 3 + 1; n > 0; --n) {
      const std::size_t at = random() % bad.size();
      bad[at] = random() % 2 != 0 ? static_cast<char>(random()) : '\xff';
    }
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    Diagnostics diags;
    const auto read = read_record(frame_record(bad), "s.byocrec", diags);
    EXPECT_NE(bool(read), diags.has_errors());
    if (!read) ++refused;
    if (read) (void)write_record(*read);
  }
  EXPECT_GT(refused, 1000u);
  SessionRecord wrong = session_of("");
  wrong.regions[0].region.nodes[0].inputs[0] = 99;
  EXPECT_TRUE(has(refused_record(write_record(wrong)), "contradicts itself"));
  wrong = session_of("");
  wrong.calls[0].regions[0] = 1;
  EXPECT_TRUE(has(refused_record(write_record(wrong)), "contradicts itself"));
  wrong = session_of("");
  wrong.regions[0].constants[0].identity.size = 5;
  EXPECT_TRUE(has(refused_record(write_record(wrong)), "contradicts itself"));
  // An address of the memory of whoever wrote it.
  wrong = session_of("");
  wrong.regions[0].region.values[2].data = std::as_bytes(std::span("x"));
  EXPECT_TRUE(has(refused_record(write_record(wrong)), "contradicts itself"));
}

struct Replayed {
  std::vector<ReplayedCall> calls;
  std::string said;
  std::vector<std::byte> seen;
};

Replayed replay_to(const SessionRecord& record, const std::string& otherwise) {
  const SessionRecord read = read_back(record);
  Diagnostics diags;
  const auto regions = ReplayedRegions::create(read, "s.byocrec", diags);
  EXPECT_TRUE(regions);
  auto codec = std::make_unique<Codec>(otherwise);
  Replayed out;
  out.calls = replay(read, *regions, std::move(codec), "s.byocrec", diags);
  for (const Diagnostic& d : diags.all()) out.said += to_string(d) + "\n";
  return out;
}

// What is said otherwise in the last call.
std::string difference(const std::string& otherwise, std::uint64_t kept = 16) {
  const Replayed r = replay_to(session_of("", kept), otherwise);
  std::string out;
  for (const ReplayedCall& c : r.calls)
    for (const std::string& d : c.differences) out += (out.empty() ? "" : "; ") + d;
  return out;
}

TEST(Replay, theSameCodegenSaysTheSame) {
  for (const std::uint64_t kept : {0, 16}) {
    const Replayed r = replay_to(session_of("", kept), "");
    ASSERT_EQ(r.calls.size(), 4u);
    EXPECT_EQ(r.said, "");
    for (const ReplayedCall& c : r.calls) {
      EXPECT_TRUE(c.ok && c.was_ok) << c.name;
      EXPECT_TRUE(c.differences.empty()) << c.name << ": " << c.differences[0];
    }
    EXPECT_EQ(r.calls[0].name, "verdicts() on 2 nodes");
    EXPECT_EQ(r.calls[3].name, "compile() of 1 region");
  }
}

TEST(Replay, whatIsSaidOtherwiseIsTold) {
  EXPECT_EQ(difference("verdict"), "Add '': now it refuses it (no Add), recorded is that it claims it");
  EXPECT_EQ(difference("groups"), "offers other groups (now 0, recorded are 1)");
  EXPECT_EQ(difference("source"), "C source 'm_code': is not what was recorded");
  EXPECT_EQ(difference("bytes"), "constant 'm_c': has other bytes than recorded (now 8, recorded are 8)");
  EXPECT_EQ(difference("bytes", 0), "");  // it may have made them of constants that are zeros here
  EXPECT_EQ(difference("step"), "claim 's': is not handed over any more; step 'm_s': is not handed over any more");
  EXPECT_EQ(difference("more"), "alias 'y': was not recorded");
}

TEST(Replay, failuresAreFailuresAgain) {
  Replayed r = replay_to(session_of("error"), "error");
  EXPECT_TRUE(has(r.said, "s.byocrec: error: 'Add '': codegen 'test.codec': the licence is over\n") ||
              has(r.said, "codegen 'test.codec': the licence is over"));
  ASSERT_EQ(r.calls.size(), 4u);
  EXPECT_FALSE(r.calls[3].ok || r.calls[3].was_ok);
  EXPECT_TRUE(r.calls[3].differences.empty());
  // A new build that is mended.
  r = replay_to(session_of("error"), "");
  EXPECT_EQ(r.said, "");
  EXPECT_TRUE(r.calls[3].ok);
  EXPECT_FALSE(r.calls[3].was_ok);
  // What byoc refused is refused again.
  r = replay_to(session_of("refused"), "refused");
  EXPECT_TRUE(has(r.said, "byoc refused this when it was recorded: step 'printf'"));
  EXPECT_FALSE(r.calls[3].ok);
  EXPECT_TRUE(replay_to(session_of("refused"), "").calls[3].ok);
  // One that says nothing at all.
  r = replay_to(session_of(""), "no verdicts");
  EXPECT_EQ(r.calls.size(), 1u);
  EXPECT_FALSE(r.calls[0].ok);
}

// The record with all values but the constant as long as a run says.
SessionRecord record_of_open_dims() {
  SessionRecord out = session_of("", 16);
  out.regions[0].region.symbols = {"N"};
  for (codegen::Value& v : out.regions[0].region.values)
    if (!v.is_constant) v.dims = {-1};
  return out;
}

TEST(SessionRecord, dimsThatOnlyARunKnowsHaveNames) {
  const SessionRecord record = record_of_open_dims();
  const SessionRecord read = read_back(record);
  EXPECT_EQ(write_record(read), write_record(record));
  EXPECT_EQ(read.regions[0].region.values[0].dims, (std::vector<std::int64_t>{-1}));
  SessionRecord wrong = record;
  wrong.regions[0].region.symbols.clear();
  EXPECT_TRUE(has(refused_record(write_record(wrong)), "contradicts itself"));
  wrong = record;
  wrong.regions[0].region.values[0].dims = {-2};
  EXPECT_TRUE(has(refused_record(write_record(wrong)), "contradicts itself"));
  wrong = record;
  wrong.regions[0].region.values[0].dims = {INT64_MIN};
  EXPECT_TRUE(has(refused_record(write_record(wrong)), "contradicts itself"));
  // A constant has a size.
  wrong = record;
  wrong.regions[0].region.values[2].dims = {-1};
  EXPECT_TRUE(has(refused_record(write_record(wrong)), "contradicts itself"));
}

TEST(Replay, dimsThatOnlyARunKnowsAreForThoseThatTakeThem) {
  Replayed r = replay_to(record_of_open_dims(), "");
  ASSERT_EQ(r.calls.size(), 4u);
  EXPECT_EQ(r.said, "");
  EXPECT_TRUE(r.calls[3].ok);
  r = replay_to(record_of_open_dims(), "static");
  ASSERT_EQ(r.calls.size(), 1u);
  EXPECT_FALSE(r.calls[0].ok);
  EXPECT_TRUE(has(r.said,
                  "s.byocrec: error: codegen 'test.codec': takes no dims that only a run knows, and took some "
                  "when recorded"))
      << r.said;
}

TEST(Replay, constantsAreTheirContentsOrZeros) {
  const SessionRecord kept = read_back(session_of("", 16)), hashed = read_back(session_of(""));
  Diagnostics diags;
  const auto bytes = [&](const SessionRecord& record) {
    const auto regions = ReplayedRegions::create(record, "s", diags);
    const std::span<const std::byte> data = regions->at(0).values[2].data;
    return std::vector<std::byte>(data.begin(), data.end());
  };
  EXPECT_EQ(bytes(kept), std::vector<std::byte>(16, std::byte{7}));
  EXPECT_EQ(bytes(hashed), std::vector<std::byte>(16, std::byte{0}));
  SessionRecord large = hashed;
  large.regions[0].constants[0].identity.size = std::uint64_t{1} << 33;
  EXPECT_FALSE(ReplayedRegions::create(large, "s", diags));
  EXPECT_TRUE(has(to_string(diags.all().back()), "too large to be stood in for"));
}

}  // namespace
}  // namespace byoc::plugin
