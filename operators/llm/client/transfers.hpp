#pragma once
// HTTP requests under way, all in the thread of the caller.

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
  std::string key_header;  ///< what stands before the key, e.g. "authorization: Bearer "
  std::string body;
  std::chrono::milliseconds stall{60'000};   ///< how long nothing may come
  std::chrono::milliseconds total{600'000};  ///< how long all of it may take
};

/// Takes bytes of a reply as they come; false ends the transfer.
using HttpSink =
    std::function<bool(int status, std::string_view content_type, std::string_view bytes)>;

/// How a transfer ended.
struct HttpEnd {
  enum class Kind { whole, broken, stalled, timeout, stopped };
  std::uint64_t id = 0;
  Kind kind = Kind::broken;
  int status = 0;     ///< of HTTP; 0 = no reply began
  bool sent = false;  ///< whether the request may have reached the other side
  std::chrono::milliseconds retry_after{0};
  std::string why = {};  ///< of a broken one, in words; "" = unknown
};

struct HttpOptions {
  std::chrono::milliseconds connect{10'000};
  std::string ca_file;  ///< "" = the system's certificates
  std::string proxy;    ///< "" = none: the environment is not asked
};

/// POST requests over http and https; certificates are verified, redirects are not followed,
/// HTTP/2 is used where TLS offers it. Time in which nobody polls does not count as a stall.
class Transfers {
 public:
  explicit Transfers(HttpOptions options);
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  /// `key` may be null; it is read during this call only.
  void start(std::uint64_t id, HttpRequest request, const ApiKey* key, HttpSink sink);
  void cancel(std::uint64_t id);
  /// The transfers that ended; waits for the first at most `wait`.
  std::vector<HttpEnd> poll(std::chrono::milliseconds wait);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ke
