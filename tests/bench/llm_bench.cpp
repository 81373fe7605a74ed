// Cost of talking to language models in this process: 64 streams of 50 tokens/s each from one
// thread, as a share of a core, and one call that is answered at once. Counts the CPU time of the
// client's process only; the server is a second process.

#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "operators/llm/client/http_client.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;

constexpr const char* head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
constexpr const char* token =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n";
constexpr const char* tail =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":9}}\n\n"
    "data: [DONE]\n\n";

double clock_s(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void write_all(int socket, std::string_view text) {
  // A line always fits into the socket's buffer.
  if (send(socket, text.data(), text.size(), MSG_NOSIGNAL) < 0) return;
}

/// Answers each connection with `tokens` events, one every `pace` (0 = all at once), until killed.
[[noreturn]] void serve(int listener, int tokens, milliseconds pace) {
  struct Stream {
    std::string request;
    int left;
  };
  std::map<int, Stream> streams;
  double next = clock_s(CLOCK_MONOTONIC);
  for (;;) {
    std::vector<pollfd> sockets{{listener, POLLIN, 0}};
    for (const auto& [socket, stream] : streams) sockets.push_back({socket, POLLIN, 0});
    const double wait = std::max(0.0, next - clock_s(CLOCK_MONOTONIC));
    poll(sockets.data(), sockets.size(), static_cast<int>(wait * 1000) + 1);
    if (sockets[0].revents != 0) streams[accept(listener, nullptr, nullptr)] = {"", -1};
    for (std::size_t i = 1; i < sockets.size(); ++i) {
      if (sockets[i].revents == 0) continue;
      Stream& stream = streams[sockets[i].fd];
      char bytes[4096];
      const ssize_t got = recv(sockets[i].fd, bytes, sizeof bytes, 0);
      stream.request.append(bytes, static_cast<std::size_t>(std::max<ssize_t>(0, got)));
      const bool asked = stream.left < 0 && stream.request.ends_with("}");
      if (asked) stream.left = tokens;
      if (asked) write_all(sockets[i].fd, head);
    }
    if (clock_s(CLOCK_MONOTONIC) < next) continue;
    next += static_cast<double>(pace.count()) / 1000;
    for (auto at = streams.begin(); at != streams.end();) {
      auto& [socket, stream] = *at;
      for (int burst = pace.count() == 0 ? tokens : 1; stream.left > 0 && burst > 0; --burst) {
        write_all(socket, token);
        --stream.left;
      }
      const bool done = stream.left == 0;
      if (done) write_all(socket, tail);
      if (done) close(socket);
      at = done ? streams.erase(at) : std::next(at);
    }
  }
}

/// The server's process.
class Server {
 public:
  Server(int tokens, milliseconds pace) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       listen(listener, 128) == 0 &&
                       getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    if (bound) port_ = ntohs(address.sin_port);
    process_ = bound ? fork() : -1;
    if (process_ == 0) serve(listener, tokens, pace);
    close(listener);
  }
  ~Server() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }

 private:
  int port_ = 0;
  pid_t process_ = -1;
};

HttpClientOptions options_for(const Server& server, std::size_t concurrency) {
  HttpClientOptions options;
  LlmEndpoint endpoint;
  endpoint.base_url = server.url();
  endpoint.model = "bench";
  options.endpoints = {endpoint};
  options.concurrency = concurrency;
  return options;
}

/// Sends `calls` prompts of 8 KiB and waits for all answers; returns how many were complete.
std::size_t converse(HttpLlmClient& client, std::size_t calls) {
  for (std::size_t i = 0; i < calls; ++i) {
    LlmRequest request;
    request.messages = {{"user", std::to_string(i) + std::string(8192, 'x')}};
    if (!client.submit(digest_of(request), request)) return 0;
  }
  std::size_t whole = 0;
  for (std::size_t answered = 0; answered < calls;) {
    for (const Exchange& exchange : client.poll(milliseconds(1000))) {
      ++answered;
      whole += exchange.status == "ok" ? 1 : 0;
    }
  }
  return whole;
}

void streams(benchmark::State& state) {
  const auto calls = static_cast<std::size_t>(state.range(0));
  constexpr int tokens = 250;  // 5 s at 50 a second
  const Server server(tokens, milliseconds(20));
  double cpu = 0, wall = 0;
  for (auto _ : state) {
    HttpLlmClient client(options_for(server, calls));
    const double cpu_start = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    const double wall_start = clock_s(CLOCK_MONOTONIC);
    if (converse(client, calls) != calls) return state.SkipWithError("a reply was not whole");
    cpu += clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
    wall += clock_s(CLOCK_MONOTONIC) - wall_start;
  }
  const double all = static_cast<double>(calls * tokens) * static_cast<double>(state.iterations());
  state.counters["cpu_us_per_token"] = cpu / all * 1e6;
  // Share of a core at the nominal rate: a slow server would make the share of wall time look
  // small.
  state.counters["share_of_core"] = cpu / all * static_cast<double>(calls) * 50;
  state.counters["tokens_per_s"] = all / wall;
}
BENCHMARK(streams)->Arg(64)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

void call(benchmark::State& state) {
  constexpr std::size_t calls = 500;
  const Server server(20, milliseconds(0));
  double cpu = 0;
  for (auto _ : state) {
    HttpLlmClient client(options_for(server, 8));
    const double start = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    if (converse(client, calls) != calls) return state.SkipWithError("a reply was not whole");
    cpu += clock_s(CLOCK_PROCESS_CPUTIME_ID) - start;
  }
  state.counters["cpu_ms_per_call"] =
      cpu * 1e3 / static_cast<double>(calls) / static_cast<double>(state.iterations());
}
BENCHMARK(call)->Iterations(3)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace ke
