#pragma once
// Concurrent HTTP requests in the caller's thread.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operators/llm/client/api_key.hpp"

namespace ke {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;
  std::string key_header;  ///< header text before the key, e.g. "authorization: Bearer "
  std::string body;
  std::chrono::milliseconds stall{60'000};   ///< maximum time without data
  std::chrono::milliseconds total{600'000};  ///< maximum total time
};

/// Receives bytes of a reply as they arrive. Returns how long the next bytes may take, if less than
/// HttpRequest::stall; 0 ends the transfer.
using HttpSink = std::function<std::chrono::milliseconds(int status, std::string_view content_type,
                                                         std::string_view bytes)>;

/// Result of a transfer.
struct HttpEnd {
  enum class Kind { whole, broken, stalled, timeout, stopped };
  std::uint64_t id = 0;
  Kind kind = Kind::broken;
  int status = 0;     ///< HTTP status; 0 = no reply began
  bool sent = false;  ///< whether the request may have reached the server
  std::chrono::milliseconds retry_after{0};
  std::string why = {};  ///< description for `broken`; "" = unknown
};

struct HttpOptions {
  std::chrono::milliseconds connect{10'000};
  std::string ca_file;  ///< "" = the system's certificates
  std::string proxy;    ///< "" = none; ignores the environment
};

/// POST requests over http and https. Verifies certificates, does not follow redirects, uses HTTP/2
/// where TLS offers it. Time without polling does not count as a stall.
class Transfers {
 public:
  explicit Transfers(HttpOptions options);
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  /// `key` may be null; it is read only during this call.
  void start(std::uint64_t id, HttpRequest request, const ApiKey* key, HttpSink sink);
  void cancel(std::uint64_t id);
  /// The transfers that ended; waits at most `wait` for the first.
  std::vector<HttpEnd> poll(std::chrono::milliseconds wait);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ke
