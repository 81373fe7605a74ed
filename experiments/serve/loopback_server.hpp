#pragma once
// An HTTP server that this machine alone can reach.

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>

#include "core/result.hpp"

namespace httplib {
class Server;
}

namespace ke {

/// Serves 127.0.0.1 from start() to the end of the object. Handlers are set before start() and run
/// in threads of the server's own; one that waits looks at stopping() meanwhile.
class LoopbackServer {
 public:
  /// `threads`: connections served at once.
  explicit LoopbackServer(std::size_t threads);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  httplib::Server& handlers() { return *server_; }
  /// `port` 0 = any free one. Failure::io when it is taken.
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
