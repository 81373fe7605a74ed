#include "experiments/view/watch/watch_server.hpp"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/random.h>

#include <array>

#include "core/hash.hpp"
#include "experiments/run/serve/loopback_server.hpp"
#include "experiments/view/report/report_page.hpp"
#include "experiments/view/watch/run_watcher.hpp"

namespace ke {
namespace {

using httplib::Request;
using httplib::Response;
using Handled = httplib::Server::HandlerResponse;

constexpr std::size_t most_connections = 32;
constexpr std::chrono::milliseconds heartbeat{500};  // also the longest delay of the server's end

/// 128 secret bits as text.
Result<std::string> make_token() {
  std::array<unsigned char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return Error{Failure::io, "the system gives no random bytes"};
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// Compares in constant time, by hashes instead of the secrets.
bool equals_secret(const std::string& text, const std::string& secret) {
  return sha256(text) == sha256(secret);
}

void refuse(Response& response, int status, const char* why) {
  response.status = status;
  response.set_content(std::string(why) + "\n", "text/plain");
}

}  // namespace

struct WatchServer::Impl {
  explicit Impl(std::vector<std::string> runs) : watcher(std::move(runs)) {
    httplib::Server& at = server.handlers();
    at.set_default_headers({{"Cache-Control", "no-store"},
                            {"Referrer-Policy", "no-referrer"},
                            {"X-Content-Type-Options", "nosniff"},
                            {"X-Frame-Options", "DENY"}});
    at.set_pre_routing_handler([this](const Request& request, Response& response) {
      return admit(request, response) ? Handled::Unhandled : Handled::Handled;
    });
    at.Get("/", [this](const Request&, Response& response) { send_page(response); });
    at.Get("/data", [this](const Request&, Response& response) { send_data(response); });
    at.Get("/events", [this](const Request&, Response& response) { send_events(response); });
  }

  /// Refuses a foreign Host header, i.e. a name rebound to this address (DNS rebinding).
  bool admit(const Request& request, Response& response) const {
    const std::string host = request.get_header_value("Host");
    const bool ours = host == fmt::format("127.0.0.1:{}", server.port()) ||
                      host == fmt::format("localhost:{}", server.port());
    if (request.method != "GET") {
      refuse(response, 405, "only GET is served");
    } else if (!ours) {
      refuse(response, 403, "wrong host");
    } else if (!equals_secret(request.get_param_value("token"), token)) {
      refuse(response, 403, "wrong token: open the address that kernelevolve watch printed");
    } else {
      return true;
    }
    return false;
  }

  void send_page(Response& response) {
    const auto data = watcher.data();
    const auto page = data ? live_page(**data) : Result<std::string>(data.error());
    if (!page) return refuse(response, 503, page.error().message.c_str());
    response.set_content(*page, "text/html; charset=utf-8");
  }

  void send_data(Response& response) {
    const auto data = watcher.data();
    if (!data) return refuse(response, 503, data.error().message.c_str());
    response.set_content(**data, "application/json");
  }

  void send_events(Response& response) {
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, seen = watcher.version()](std::size_t, httplib::DataSink& sink) mutable {
          if (server.stopping()) return false;
          const std::uint64_t now = watcher.wait_beyond(seen, heartbeat);
          const std::string event =
              now > seen ? fmt::format("event: change\ndata: {}\n\n", now) : ": still here\n\n";
          seen = now;
          return sink.write(event.data(), event.size());
        });
  }

  std::string token;
  RunWatcher watcher;
  // last, so that its threads end before the members that they use
  LoopbackServer server{most_connections};
};

WatchServer::WatchServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WatchServer::~WatchServer() = default;

Result<std::unique_ptr<WatchServer>> WatchServer::start(std::vector<std::string> runs, int port) {
  auto impl = std::make_unique<Impl>(std::move(runs));
  KE_TRY(const auto data, impl->watcher.data());
  KE_TRY_VOID(live_page(*data));
  KE_TRY(impl->token, make_token());
  KE_TRY_VOID(impl->server.start(port));
  return std::unique_ptr<WatchServer>(new WatchServer(std::move(impl)));
}

std::string WatchServer::url() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", impl_->server.port(), impl_->token);
}

}  // namespace ke
