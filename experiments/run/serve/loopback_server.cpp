#include "experiments/run/serve/loopback_server.hpp"

#include <fmt/format.h>
#include <httplib.h>

namespace ke {

LoopbackServer::LoopbackServer(std::size_t threads) : server_(std::make_unique<httplib::Server>()) {
  server_->new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
  server_->set_keep_alive_timeout(1);
  server_->set_tcp_nodelay(true);
  server_->set_socket_options([this](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    socket_ = socket;
  });
}

LoopbackServer::~LoopbackServer() {
  stopping_ = true;
  server_->stop();
  if (listener_.joinable()) listener_.join();
}

Result<void> LoopbackServer::start(int port) {
  const char* const here = "127.0.0.1";
  port_ =
      port == 0 ? server_->bind_to_any_port(here) : (server_->bind_to_port(here, port) ? port : -1);
  if (port_ <= 0) {
    return Error{Failure::io, fmt::format("port {} of this machine cannot be served", port)};
  }
  // The library's backlog is 5, and a sixth simultaneous connection loses a second.
  ::listen(socket_, 256);
  listener_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();
  return {};
}

}  // namespace ke
