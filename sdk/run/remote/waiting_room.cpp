#include "sdk/run/remote/waiting_room.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>

namespace byoc::remote {
namespace {

// The machine at the other end; of IPv6 its network, of which one machine may have any number of addresses.
std::string address_of(int fd) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return {};
  if (peer.ss_family == AF_INET6) {
    constexpr std::size_t kNetwork = 8;
    const auto& six = reinterpret_cast<const sockaddr_in6&>(peer);
    return {reinterpret_cast<const char*>(six.sin6_addr.s6_addr), kNetwork};
  }
  const auto& four = reinterpret_cast<const sockaddr_in&>(peer);
  return {reinterpret_cast<const char*>(&four.sin_addr), sizeof four.sin_addr};
}

}  // namespace

bool send_now(int fd, const std::string& bytes) {
  return ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

WaitingRoom::~WaitingRoom() {
  for (const Waiting& w : waiting_) ::close(w.arrival.fd);
}

void WaitingRoom::admit(int fd, unsigned number) {
  Waiting w;
  w.arrival = {.fd = fd, .number = number, .since = Clock::now()};
  w.address = address_of(fd);
  w.until = w.arrival.since + kProofTime;
  make_room(w.address);
  if (!tls_) {
    w.hello = {kProtocolVersion, this_machine(), make_nonce()};
    if (!send_now(fd, framed(write(w.hello)))) {
      ::close(fd);
      departures_.push_back({number, "the connection was closed"});
      return;
    }
  }
  waiting_.push_back(std::move(w));
}

void WaitingRoom::make_room(const std::string& address) {
  std::map<std::string_view, std::size_t> count;
  std::size_t all = 0;
  for (const Waiting& w : waiting_)
    if (!w.ready) ++count[w.address], ++all;
  std::string_view from = address;
  if (count[from] < kMostOfAddress) {
    if (all < kMostWaiting) return;
    from = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
             return a.second < b.second;
           })->first;
  }
  const auto oldest =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return !w.ready && w.address == from; });
  if (oldest != waiting_.end()) leave(oldest, "made room for others without having shown the token");
}

void WaitingRoom::leave(std::list<Waiting>::iterator at, const std::string& reason) {
  ::close(at->arrival.fd);
  departures_.push_back({at->arrival.number, reason});
  waiting_.erase(at);
}

void WaitingRoom::wait(int listener, std::chrono::milliseconds within) {
  std::vector<pollfd> polls{{listener, POLLIN, 0}};
  auto left = within;
  for (const Waiting& w : waiting_) {
    const bool speaks = !w.ready && w.refusal.empty();
    polls.push_back({speaks ? w.arrival.fd : -1, POLLIN, 0});
    if (!w.ready) left = std::min(left, std::chrono::ceil<std::chrono::milliseconds>(w.until - Clock::now()));
  }
  ::poll(polls.data(), polls.size(), static_cast<int>(std::max<long long>(left.count(), 0)));
  std::size_t i = 1;
  for (auto at = waiting_.begin(); at != waiting_.end(); ++i) {
    const auto next = std::next(at);
    if (polls[i].revents != 0) look_at(*at);
    if (at->arrival.fd < 0)
      waiting_.erase(at);
    else if (!at->ready && Clock::now() >= at->until)
      refuse(at);
    at = next;
  }
}

void WaitingRoom::refuse(std::list<Waiting>::iterator at) {
  if (at->refusal.empty()) return leave(at, "did not show the token in time");
  (void)send_now(at->arrival.fd, framed(write(Welcome{at->refusal, {}, options_.limits})));
  leave(at, at->refusal);
}

// Reads as much as was sent, without waiting for more.
void WaitingRoom::look_at(Waiting& w) {
  const auto end = [&](const std::string& reason) {
    ::close(std::exchange(w.arrival.fd, -1));
    departures_.push_back({w.arrival.number, reason});
  };
  if (tls_) {
    w.ready = true;
    return;
  }
  while (w.frame.missing() != 0) {
    std::array<char, kLongestGreeting> bytes;
    const ssize_t n = ::recv(w.arrival.fd, bytes.data(), std::min(bytes.size(), w.frame.missing()), MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0) return end(n == 0 ? "the connection was closed" : std::strerror(errno));
    w.frame.add({bytes.data(), static_cast<std::size_t>(n)});
  }
  const auto message = w.frame.message();
  if (!message) return end(w.frame.problem());
  judge(w, *message);
}

// The answer is the same for every error in the proof, and takes its time.
void WaitingRoom::judge(Waiting& w, const std::string& message) {
  const Welcome welcome = welcome_of(message, w.hello, options_.token, options_.limits);
  if (welcome.refusal.empty()) {
    w.arrival.welcome = framed(write(welcome));
    w.ready = true;
    return;
  }
  w.refusal = welcome.refusal;
  w.until = Clock::now() + kWrongTime;
}

std::optional<Arrival> WaitingRoom::take() {
  const auto at = std::find_if(waiting_.begin(), waiting_.end(), [](const Waiting& w) { return w.ready; });
  if (at == waiting_.end()) return std::nullopt;
  Arrival out = std::move(at->arrival);
  waiting_.erase(at);
  return out;
}

}  // namespace byoc::remote
