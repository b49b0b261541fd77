#include "sdk/app/check/findings.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace byoc::check {
namespace {

constexpr std::size_t kShown = 3;

template <std::size_t n>
void put(char (&to)[n], std::string_view from) {
  const std::size_t size = std::min(from.size(), n - 1);
  std::memcpy(to, from.data(), size);
  to[size] = 0;
}

}  // namespace

void Findings::add(Finding finding) {
  const auto alike = std::count_if(list.begin(), list.end(), [&](const Finding& f) {
    return f.check == finding.check && f.requirement == finding.requirement;
  });
  if (static_cast<std::size_t>(alike) < kShown)
    list.push_back(std::move(finding));
  else
    ++more[finding.check];
}

void Findings::merge(const Findings& other) {
  for (const Finding& f : other.list) add(f);
  for (const auto& [check, n] : other.more) more[check] += n;
  for (const auto& [check, why] : other.skipped) skipped[check] = why;
  for (const auto& [check, text] : other.notes) notes[check] = text;
  table.insert(table.end(), other.table.begin(), other.table.end());
  blocks = blocks || other.blocks;
}

std::string Findings::encode() const {
  Packer out;
  out.number(list.size());
  for (const Finding& f : list)
    for (const std::string* s : {&f.check, &f.requirement, &f.message, &f.found, &f.expected}) out.text(*s);
  for (const auto* texts : {&skipped, &notes}) {
    out.number(texts->size());
    for (const auto& [check, text] : *texts) {
      out.text(check);
      out.text(text);
    }
  }
  out.number(more.size());
  for (const auto& [check, n] : more) {
    out.text(check);
    out.number(n);
  }
  out.number(blocks ? 1 : 0);
  out.number(table.size());
  for (const std::string& line : table) out.text(line);
  return std::move(out.bytes);
}

bool Findings::decode(std::string_view text) {
  Unpacker in(text);
  for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) {
    Finding f;
    for (std::string* s : {&f.check, &f.requirement, &f.message, &f.found, &f.expected}) *s = in.text();
    list.push_back(std::move(f));
  }
  for (auto* texts : {&skipped, &notes})
    for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) {
      const std::string check = in.text();
      (*texts)[check] = in.text();
    }
  for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) {
    const std::string check = in.text();
    more[check] = in.number();
  }
  blocks = in.number() != 0;
  for (std::uint64_t n = in.number(); n > 0 && in.ok(); --n) table.push_back(in.text());
  return in.ok();
}

void Packer::text(std::string_view s) {
  const std::uint64_t n = s.size();
  bytes.append(reinterpret_cast<const char*>(&n), sizeof n);
  bytes += s;
}

std::string Unpacker::text() {
  std::uint64_t n = 0;
  if (rest_.size() >= sizeof n) std::memcpy(&n, rest_.data(), sizeof n);
  ok_ = ok_ && rest_.size() >= sizeof n && rest_.size() - sizeof n >= n;
  if (!ok_) return {};
  std::string out(rest_.substr(sizeof n, static_cast<std::size_t>(n)));
  rest_.remove_prefix(sizeof n + static_cast<std::size_t>(n));
  return out;
}

std::uint64_t Unpacker::number() {
  const std::string s = text();
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out);
  ok_ = ok_ && error == std::errc() && end == s.data() + s.size();
  return ok_ ? out : 0;
}

Stage::Stage() : Stage(::memfd_create("byoc-stage", MFD_CLOEXEC)) {}

Stage::Stage(int descriptor) : descriptor_(descriptor), page_(nullptr) {
  void* page = MAP_FAILED;
  if (descriptor >= 0 && ::ftruncate(descriptor, sizeof(Page)) == 0)
    page = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (page == MAP_FAILED)  // a death is then laid at no door
    page = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  page_ = static_cast<Page*>(page);
}

Stage::~Stage() {
  ::munmap(page_, sizeof(Page));
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Stage::enter(std::string_view check, std::string_view doing) {
  put(page_->check, check);
  put(page_->doing, doing);
}

void Stage::blame(const char* requirement, const char* what) noexcept {
  put(page_->requirement, requirement);
  put(page_->what, what);
}

void Stage::clear() { *page_ = {}; }

std::string Stage::check() const { return page_->check; }
std::string Stage::doing() const { return page_->doing; }
std::string Stage::requirement() const { return page_->requirement; }
std::string Stage::what() const { return page_->what; }

}  // namespace byoc::check
