#include "experiments/view/watch/watch_server.hpp"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "archive/run_reader.hpp"
#include "core/hash.hpp"
#include "core/result.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/run/serve/loopback_server.hpp"
#include "experiments/study/summary/run_summary.hpp"
#include "experiments/view/report/report_page.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds pause{250};
constexpr milliseconds shortest_gap{500};
constexpr int share_of_time = 50;

/// Size and modification time of every file that changes with a run.
using Stamps = std::map<std::string, std::tuple<off_t, time_t, long>>;

Stamps stamps_of(const std::vector<std::string>& arguments) {
  Stamps stamps;
  const auto files = find_run_files(arguments);
  if (!files) return stamps;
  for (const std::string& file : *files) {
    for (const char* suffix : {"", "-wal"}) {
      struct stat info;
      if (stat((file + suffix).c_str(), &info) != 0) continue;
      stamps[file + suffix] = {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    }
  }
  return stamps;
}

/// Requests that lie unanswered in the mailboxes of the runs: [{folder, letters}].
Json open_letters(const std::vector<std::string>& arguments) {
  namespace fs = std::filesystem;
  std::set<fs::path> folders;
  const auto files = find_run_files(arguments);
  for (const std::string& file : files ? *files : std::vector<std::string>()) {
    const auto reader = RunReader::open(file);
    const auto header = reader ? (*reader)->header() : reader.error();
    if (!header || config_value(header->config_text, "llm.kind") != "mailbox") continue;
    folders.insert(fs::path(file).parent_path() / config_value(header->config_text, "llm.folder"));
  }
  Json list = Json::array();
  std::error_code none;
  for (const fs::path& folder : folders) {
    const auto is_request = [](const auto& entry) {
      return entry.path().string().ends_with(".request.json");
    };
    const auto count = std::count_if(fs::directory_iterator(folder, none), {}, is_request);
    if (count > 0) list.push_back({{"folder", folder.string()}, {"letters", count}});
  }
  return list;
}

/// Detects changes of run files and reads them on request.
/// Checks size and time of the files of RUN arguments four times a second. Opens them only on
/// request, so that a page without viewers costs a run nothing. Runs may be killed, resumed and
/// added meanwhile.
class RunWatcher {
 public:
  explicit RunWatcher(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
    thread_ = std::thread([this] { look(); });
  }
  ~RunWatcher() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;

  /// Number of reported changes. Reports are at least half a second apart, and rare enough that
  /// reading takes a fiftieth of the time.
  std::uint64_t version() const {
    const std::lock_guard lock(mutex_);
    return version_;
  }
  /// Waits until version() is above `seen` or `wait` has passed; returns the version.
  std::uint64_t wait_beyond(std::uint64_t seen, milliseconds wait) const {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, wait, [&] { return version_ > seen; });
    return version_;
  }
  struct Data {
    std::string index;              ///< JSON text of PageData::index
    std::vector<std::string> runs;  ///< PageData::runs
  };
  /// The page's data, no older than version(). Error if it cannot be read now, or if the folder
  /// holds no runs.
  Result<std::shared_ptr<const Data>> data() {
    const std::lock_guard reading(reading_);
    const std::uint64_t now = version();
    if (data_ && read_version_ >= now) return data_;
    const auto start = Clock::now();
    KE_TRY(PageData page, page_data(arguments_));
    page.index["live"] = {{"letters", open_letters(arguments_)}};
    data_ = std::make_shared<const Data>(Data{json_text(page.index), std::move(page.runs)});
    read_version_ = now;
    const std::lock_guard lock(mutex_);
    cost_ = Clock::now() - start;
    return data_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  void look() {
    Stamps told = stamps_of(arguments_);
    Clock::time_point last = Clock::now();
    for (;;) {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, pause, [&] { return ending_; })) return;
      const auto gap = std::max<Clock::duration>(shortest_gap, share_of_time * cost_);
      if (Clock::now() - last < gap) continue;
      lock.unlock();
      Stamps now = stamps_of(arguments_);
      if (now == told) continue;
      told = std::move(now);
      last = Clock::now();
      lock.lock();
      ++version_;
      lock.unlock();
      changed_.notify_all();
    }
  }
  const std::vector<std::string> arguments_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t version_ = 1;
  bool ending_ = false;
  std::mutex reading_;  ///< held while a run file is read
  Clock::duration cost_{};
  std::uint64_t read_version_ = 0;
  std::shared_ptr<const Data> data_;
  std::thread thread_;
};

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
    at.Get("/run",
           [this](const Request& request, Response& response) { send_run(request, response); });
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
    const auto page = data ? live_page((*data)->index) : Result<std::string>(data.error());
    if (!page) return refuse(response, 503, page.error().message.c_str());
    response.set_content(*page, "text/html; charset=utf-8");
  }

  void send_data(Response& response) {
    const auto data = watcher.data();
    if (!data) return refuse(response, 503, data.error().message.c_str());
    response.set_content((*data)->index, "application/json");
  }

  void send_run(const Request& request, Response& response) {
    const auto data = watcher.data();
    if (!data) return refuse(response, 503, data.error().message.c_str());
    const std::string text = request.get_param_value("number");
    std::size_t number = (*data)->runs.size();
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (number >= (*data)->runs.size()) return refuse(response, 404, "no such run");
    response.set_content((*data)->runs[number], "text/plain");
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
  KE_TRY_VOID(live_page(data->index));
  KE_TRY(impl->token, make_token());
  KE_TRY_VOID(impl->server.start(port));
  return std::unique_ptr<WatchServer>(new WatchServer(std::move(impl)));
}

std::string WatchServer::url() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", impl_->server.port(), impl_->token);
}

}  // namespace ke
