// Connections that have not shown the token yet. Each costs a descriptor and no process, has five seconds for all of
// its proof, and takes no place from those that have shown it.
#pragma once

#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sdk/run/remote/frames.hpp"
#include "sdk/run/remote/session.hpp"

namespace byoc::remote {

inline constexpr std::size_t kMostWaiting = 512;    // of them all
inline constexpr std::size_t kMostOfAddress = 256;  // of one machine

// A connection on its way to a process of its own.
struct Arrival {
  int fd = -1;  // the taker's
  unsigned number = 0;
  std::chrono::steady_clock::time_point since;
  std::string welcome = {};  // to be sent first; "": it has shown nothing yet, and does so over TLS
};
// A connection that was ended, and why.
struct Departure {
  unsigned number = 0;
  std::string reason;
};

// Sends what fits the buffer of a connection on which nothing was sent before, as greetings do. False: it is of no use.
[[nodiscard]] bool send_now(int fd, const std::string& bytes);

class WaitingRoom {
 public:
  using Clock = std::chrono::steady_clock;

  // `tls`: the proof is left to the connection's process, which begins once the client has begun.
  WaitingRoom(const SessionOptions& options, bool tls) : options_(options), tls_(tls) {}
  ~WaitingRoom();
  WaitingRoom(const WaitingRoom&) = delete;
  WaitingRoom& operator=(const WaitingRoom&) = delete;

  // Takes ownership. Where there are too many, the one that waits longest goes, of the address that has the most.
  void admit(int fd, unsigned number);
  // Waits until one of them, or `listener` (-1: none), has something to say, for `within` at most.
  void wait(int listener, std::chrono::milliseconds within);
  // Takes one that is to be served.
  [[nodiscard]] std::optional<Arrival> take();
  [[nodiscard]] std::vector<Departure> take_departures() { return std::exchange(departures_, {}); }
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    Arrival arrival;
    std::string address;
    Hello hello;
    FrameParser frame{kLongestGreeting};
    bool ready = false;        // to be taken
    std::string refusal = {};  // said at `until`
    Clock::time_point until;   // it has to leave
  };
  void make_room(const std::string& address);
  void look_at(Waiting& w);
  void judge(Waiting& w, const std::string& message);
  void refuse(std::list<Waiting>::iterator at);
  void leave(std::list<Waiting>::iterator at, const std::string& reason);

  const SessionOptions& options_;
  bool tls_;
  std::list<Waiting> waiting_;  // those that wait longest first
  std::vector<Departure> departures_;
};

}  // namespace byoc::remote
