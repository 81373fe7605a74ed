// Runs only in the caller's thread, without locks: the search polls twenty times a second, and the
// operating system buffers what arrives in between. libcurl resolves names in its own threads.
#include "operators/llm/client/transfers.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <map>

namespace ke {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// libcurl's global state; one per process.
struct CurlLibrary {
  CurlLibrary() { curl_global_init(CURL_GLOBAL_DEFAULT); }
  ~CurlLibrary() { curl_global_cleanup(); }
};

struct EasyEnd {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyEnd>;

/// Request headers, overwritten on destruction, since one of them holds the key.
class Headers {
 public:
  Headers() = default;
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;
  ~Headers() {
    for (curl_slist* at = list_; at != nullptr; at = at->next) {
      std::fill_n(static_cast<volatile char*>(at->data), std::char_traits<char>::length(at->data),
                  '\0');
    }
    curl_slist_free_all(list_);
  }
  void add(const std::string& line) { list_ = curl_slist_append(list_, line.c_str()); }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

struct Transfer {
  std::uint64_t id = 0;
  HttpRequest request;
  HttpSink sink;
  Headers headers;
  Easy easy;
  Clock::time_point deadline;
  milliseconds idle{0};   ///< observed time without a byte
  milliseconds stall{0};  ///< longest time without a byte
  bool moved = false;     ///< bytes arrived since the last check
  bool stopped = false;   ///< stopped by its sink

  int status() const {
    long code = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &code);
    return static_cast<int>(code);
  }
};

std::size_t on_bytes(char* bytes, std::size_t, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const char* type = nullptr;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_CONTENT_TYPE, &type);
  transfer.moved = true;
  const milliseconds more =
      transfer.sink(transfer.status(), type != nullptr ? type : "", {bytes, count});
  transfer.stall = std::min(transfer.request.stall, more);
  transfer.stopped = more == milliseconds(0);
  return transfer.stopped ? 0 : count;
}

void set_connection(CURL* easy, const HttpOptions& options) {
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect.count()));
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!options.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_PROXY, options.proxy.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
}

void set_request(Transfer& transfer, const ApiKey* key) {
  CURL* easy = transfer.easy.get();
  for (const std::string& line : transfer.request.headers) transfer.headers.add(line);
  transfer.headers.add("content-type: application/json");
  transfer.headers.add("expect:");
  if (key != nullptr) {
    std::string line = transfer.request.key_header;
    line.reserve(line.size() + key->reveal().size());
    line += key->reveal();
    transfer.headers.add(line);
    wipe(line);
  }
  curl_easy_setopt(easy, CURLOPT_URL, transfer.request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "kernelevolve");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers.get());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer.request.body.c_str());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(transfer.request.body.size()));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_bytes);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
}

HttpEnd end_of(const Transfer& transfer, HttpEnd::Kind kind) {
  HttpEnd end{transfer.id, kind, transfer.status()};
  curl_off_t wait_s = 0, sent_bytes = 0;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_RETRY_AFTER, &wait_s);
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_SIZE_UPLOAD_T, &sent_bytes);
  end.retry_after = std::chrono::seconds(std::clamp<std::int64_t>(wait_s, 0, 86'400));
  end.sent = sent_bytes > 0 || end.status != 0;
  return end;
}

}  // namespace

struct Transfers::Impl {
  explicit Impl(HttpOptions given) : options(std::move(given)) {
    static const CurlLibrary library;
    multi = curl_multi_init();
    KE_CHECK(multi != nullptr);
  }
  ~Impl() {
    while (!open.empty()) drop(open.begin());
    curl_multi_cleanup(multi);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  using Open = std::map<std::uint64_t, Transfer>;
  Open::iterator drop(Open::iterator at) {
    curl_multi_remove_handle(multi, at->second.easy.get());
    return open.erase(at);
  }
  void perform(std::vector<HttpEnd>& ends);
  void check_times(std::vector<HttpEnd>& ends);

  HttpOptions options;
  CURLM* multi = nullptr;
  Open open;
  Clock::time_point looked = Clock::now();
};

Transfers::Transfers(HttpOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Transfers::~Transfers() = default;

void Transfers::start(std::uint64_t id, HttpRequest request, const ApiKey* key, HttpSink sink) {
  Transfer& transfer = impl_->open[id];
  transfer.id = id;
  transfer.request = std::move(request);
  transfer.sink = std::move(sink);
  transfer.stall = transfer.request.stall;
  transfer.easy.reset(curl_easy_init());
  KE_CHECK(transfer.easy != nullptr);
  transfer.deadline = Clock::now() + transfer.request.total;
  set_connection(transfer.easy.get(), impl_->options);
  set_request(transfer, key);
  KE_CHECK(curl_multi_add_handle(impl_->multi, transfer.easy.get()) == CURLM_OK);
}

void Transfers::cancel(std::uint64_t id) {
  const auto at = impl_->open.find(id);
  if (at != impl_->open.end()) impl_->drop(at);
}

void Transfers::Impl::perform(std::vector<HttpEnd>& ends) {
  int running = 0;
  curl_multi_perform(multi, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
    const auto at = std::find_if(open.begin(), open.end(), [&](const auto& entry) {
      return entry.second.easy.get() == message->easy_handle;
    });
    if (message->msg != CURLMSG_DONE || at == open.end()) continue;
    const auto kind = at->second.stopped                 ? HttpEnd::Kind::stopped
                      : message->data.result == CURLE_OK ? HttpEnd::Kind::whole
                                                         : HttpEnd::Kind::broken;
    ends.push_back(end_of(at->second, kind));
    if (kind == HttpEnd::Kind::broken) ends.back().why = curl_easy_strerror(message->data.result);
    drop(at);
  }
  check_times(ends);
}

void Transfers::Impl::check_times(std::vector<HttpEnd>& ends) {
  constexpr milliseconds longest_gap(1000);  // a longer gap means that nobody polled
  const auto now = Clock::now();
  const auto passed = std::chrono::floor<milliseconds>(now - looked);
  looked += passed;
  for (auto at = open.begin(); at != open.end();) {
    Transfer& transfer = at->second;
    transfer.idle =
        transfer.moved ? milliseconds(0) : transfer.idle + std::min(passed, longest_gap);
    transfer.moved = false;
    const bool late = now >= transfer.deadline;
    const bool stalled = transfer.idle >= transfer.stall;
    if (late || stalled) {
      ends.push_back(end_of(transfer, late ? HttpEnd::Kind::timeout : HttpEnd::Kind::stalled));
    }
    at = late || stalled ? drop(at) : std::next(at);
  }
}

std::vector<HttpEnd> Transfers::poll(milliseconds wait) {
  std::vector<HttpEnd> ends;
  impl_->perform(ends);
  if (!ends.empty() || wait.count() <= 0) return ends;
  const auto until = Clock::now() + wait;
  while (ends.empty()) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    if (left.count() <= 0) break;
    const auto look = std::min(left, milliseconds(100));  // to detect stalls and deadlines
    curl_multi_poll(impl_->multi, nullptr, 0, static_cast<int>(look.count()), nullptr);
    impl_->perform(ends);
  }
  return ends;
}

}  // namespace ke
