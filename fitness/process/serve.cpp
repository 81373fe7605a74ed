#include <poll.h>

#include <set>

#include "fitness/process/frame.hpp"
#include "fitness/process/message.hpp"
#include "fitness/process/process_evaluator.hpp"

namespace ke {
namespace {

/// Handles one message of the owner. Drops unreadable ones; their jobs end as `lost` at the
/// deadline.
void handle(Evaluator& evaluator, const std::string& frame, int out_fd,
            std::set<Digest>& in_flight) {
  auto message = decode<ToWorker>(frame);
  if (!message) return;
  if (message->kind == ToWorker::Kind::cancel) {
    evaluator.cancel(message->job.key);
    in_flight.erase(message->job.key);
    return;
  }
  in_flight.insert(message->job.key);
  if (const auto taken = evaluator.submit(message->job); !taken) {
    FromWorker refusal;
    refusal.kind = FromWorker::Kind::fact;
    refusal.fact.key = message->job.key;
    refusal.fact.verdict = Verdict::lost;
    refusal.fact.reason = "refused";
    refusal.fact.message = taken.error().message;
    write_frame(out_fd, encode(refusal));
    in_flight.erase(message->job.key);
  }
}

bool readable(int fd, int wait_ms) {
  pollfd in{fd, POLLIN, 0};
  return poll(&in, 1, wait_ms) > 0;
}

}  // namespace

void serve_evaluator(Evaluator& evaluator, int in_fd, int out_fd) {
  FromWorker hello;
  hello.info = evaluator.info();
  if (!write_frame(out_fd, encode(hello))) return;
  FrameReader reader(in_fd);
  std::set<Digest> in_flight;
  for (;;) {
    if (readable(in_fd, in_flight.empty() ? 1000 : 0)) {
      if (!reader.fill()) return;
      while (auto frame = reader.next()) handle(evaluator, *frame, out_fd, in_flight);
    }
    if (in_flight.empty()) continue;
    for (Fact& fact : evaluator.poll(std::chrono::milliseconds(2))) {
      in_flight.erase(fact.key);
      FromWorker answer;
      answer.kind = FromWorker::Kind::fact;
      answer.fact = std::move(fact);
      if (!write_frame(out_fd, encode(answer))) return;
    }
  }
}

}  // namespace ke
