#pragma once
// Serves the report's page to this machine while its runs continue.

#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Serves, from `start` to the end of the object and to 127.0.0.1 alone:
///   /?token=T        the page of `report`, which follows /events
///   /data?token=T    its index of runs, as of now
///   /run?token=T&number=N  run N of the index, packed as in PageData
///   /events?token=T  server-sent events: one `change` for each change of a run
/// Requests of another method, with another token or for another host are refused (405, 403, 403).
class WatchServer {
 public:
  /// `port` 0 = any free one. Errors: the port is taken, there is no run, the page was not built.
  static Result<std::unique_ptr<WatchServer>> start(std::vector<std::string> runs, int port);
  ~WatchServer();
  WatchServer(const WatchServer&) = delete;
  WatchServer& operator=(const WatchServer&) = delete;

  /// The page's address with its token.
  std::string url() const;

 private:
  struct Impl;
  explicit WatchServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ke
