#pragma once
// An HTTP server that only this machine can reach.

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>

#include "core/result.hpp"

namespace httplib {
class Server;
}

namespace ke {

/// Serves 127.0.0.1 from start() to the end of the object. Set handlers before start(); they run in
/// the server's threads, and a handler that waits must check stopping().
class LoopbackServer {
 public:
  /// `threads`: connections served at once.
  explicit LoopbackServer(std::size_t threads);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  httplib::Server& handlers() { return *server_; }
  /// `port` 0 = any free one. Failure::io if the port is taken.
  Result<void> start(int port);
  int port() const { return port_; }
  bool stopping() const { return stopping_; }

 private:
  std::unique_ptr<httplib::Server> server_;
  std::thread listener_;
  std::atomic<bool> stopping_ = false;
  int socket_ = -1;
  int port_ = 0;
};

}  // namespace ke
