#include "fitness/host/pair.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fitness/host/session.hpp"
#include "fitness/timing/clock.hpp"
#include "fitness/timing/contention.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr int most_slots = 256;
constexpr int most_rounds = 8;
constexpr int least_slots = 4;
// Thresholds for a kernel that remembers answers: its gain on known contents, in ratio and per
// round, is larger than the variation of stops.
constexpr double remembered_gain = 1.5;
constexpr double remembered_ns = 20'000;
constexpr std::size_t most_probes = 9;   ///< for remembered answers; one that clears is enough
constexpr std::size_t usual_probes = 3;  ///< of those, probes among the timed quads
constexpr std::uint64_t most_wait = 4;   ///< rounds between drawing new contents and their probe
constexpr double most_slowdown = 3;  ///< largest slowdown by other processes that excuses a kernel
constexpr std::size_t twins_every = 4;  ///< quads of a pair that probes for remembered answers
constexpr std::int64_t quiet_within_ns = 6'000'000'000;  // afterwards a pair keeps disturbed quads

/// The empty rounds of a block; their lower quartile is a round's cost without its calls.
class EmptyRounds {
 public:
  void add(std::int64_t span_ns) { spans_.push_back(static_cast<double>(span_ns)); }
  std::int64_t quartile() const {
    return spans_.empty() ? 0 : static_cast<std::int64_t>(lower_quartile(spans_));
  }

 private:
  std::vector<double> spans_;
};

/// One sample before its empty rounds are subtracted.
struct RawSample {
  std::int64_t span_ns = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t waited_ns = 0;
  std::int64_t calls = 0;
  std::int64_t rounds = 0;
};

using RawQuad = std::array<RawSample, 4>;

/// Times one workload within an open session.
class Block {
 public:
  Block(const Bench& bench, Session& session, int group, const TimedWorkload& plan,
        ContentPool& plain, ContentPool& mixed, std::int64_t begin_ns, PairResult& result)
      : bench_(bench),
        session_(session),
        group_(group),
        plan_(plan),
        plain_(plain),
        mixed_(mixed),
        begin_ns_(begin_ns),
        result_(result),
        random_(bench.contents->random()) {}

  /// False when a finding ended it.
  bool run() {
    if (!load_libraries()) return false;
    const int most = plan_.quads * 6;
    for (int tried = 0; static_cast<int>(quads_.size()) < plan_.quads && tried < most; ++tried) {
      for (const int arm : arms_in_turn()) empty_[arm].add(session_.empty_round(arm));
      const char first = random_.below(2) == 0 ? 'A' : 'B';
      RawQuad quad;
      if (!take(first, quad)) return false;
      const bool again = tried + 1 < most && now_ns() - begin_ns_ < quiet_within_ns;
      if (again && disturbed(quad)) continue;
      quads_.push_back(quad);
      orders_.push_back(first);
    }
    record();
    return !plan_.unseen || !remembers();
  }

 private:
  // A baseline loads its library in the first call of a process; that call is not timed.
  bool load_libraries() {
    for (int arm = 0; arm < 2; ++arm) {
      if (!session_.trusted(arm)) continue;
      const std::vector<Placed> placed = contents(any_side(), true);
      session_.place(placed);
      const std::int64_t limit_ns = session_.first_call_ns(arm, plan_.call_limit_ns);
      if (!judged(arm, std::span(placed).first(1), {.limit_ns = limit_ns, .inspect = false})) {
        return false;
      }
    }
    return true;
  }

  // Runs a judged but untimed round with contents of other classes. A kernel cannot tell it from
  // other rounds: same number of calls, same places, at any point of a quad.
  bool surprise(Side side) {
    std::vector<Placed> placed = contents(side, true);
    const std::size_t both = std::min(batch_[0], batch_[1]);
    for (std::uint64_t odd = 1 + random_.below(3); odd > 0; --odd) {
      placed[random_.below(both)].content = mixed_.any();
    }
    session_.place(placed);
    for (const int arm : arms_in_turn()) {
      // Libraries behind trusted baselines may treat odd inputs by other rules.
      if (session_.trusted(arm)) continue;
      if (!judged(arm, std::span(placed).first(batch_[arm]), false, true)) return false;
    }
    return true;
  }

  // The first arm finds the caches as the previous round left them, so the order is random.
  std::array<int, 2> arms_in_turn() {
    const int first = static_cast<int>(random_.below(2));
    return {first, 1 - first};
  }

  // Edited contents may take a kernel far less time than all drawn ones, new or known. Probes
  // compare drawn contents, so some quads, always including the first, use no edited ones.
  bool has_twins(std::size_t quad) const { return quad % twins_every == twins_at_; }

  // Contents recur under transforms, which a kernel could undo to answer from memory, but not for
  // new contents. So new ones must take about as long as known ones in the next round, and as the
  // timed calls, early or late in the block. Both arms see both; the limit scales with the
  // opponent's slowdown on new ones.
  struct Probe {
    double known_ns[2] = {}, new_ns[2] = {};  ///< CPU time of a call, by arm
    double calls = 1;
  };

  // A kernel cannot tell a probe from other rounds: same number of calls, same places, at any point
  // of a quad. Drawing new contents causes a pause, so it happens some rounds before the probe.
  bool probe_in_turn(Side side) {
    if (!plan_.unseen || probes_.size() >= (timing_ ? usual_probes : most_probes)) return true;
    if (stock_.empty()) {
      const int rounds = timing_ ? std::max(1, plan_.quads * plan_.rounds / 4) : 1;
      if (random_.below(static_cast<std::uint64_t>(rounds)) == 0) draw_stock();
      return true;
    }
    return wait_-- > 0 || probe(side);
  }

  void draw_stock() {
    const int extra = std::max(plan_.calls[0], plan_.calls[1]) / 4;
    const int most = std::min(plan_.calls[0] + extra, plan_.slots);
    for (int i = 0; i < most; ++i) stock_.push_back(plain_.new_draw());
    wait_ = 1 + static_cast<int>(random_.below(most_wait));
  }

  // False when an answer was wrong.
  bool probe(Side side) {
    std::vector<Placed> known = contents(side, false);
    known.resize(std::min(batch_[0], stock_.size()));
    std::vector<Placed> drawn = known;
    for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i].content = stock_[i];
    stock_.clear();
    Probe made;
    made.calls = static_cast<double>(known.size());
    const bool new_first = random_.below(2) == 0;
    for (const bool is_new : {new_first, !new_first}) {
      if (!probe_round(is_new ? drawn : known, is_new ? made.new_ns : made.known_ns)) return false;
    }
    probes_.push_back(made);
    return true;
  }

  bool probe_round(const std::vector<Placed>& placed, double (&ns)[2]) {
    session_.place(placed);
    for (const int arm : arms_in_turn()) {
      const auto own = std::span(placed).first(std::min(batch_[arm], placed.size()));
      const auto sample = judged(arm, own, true, random_.below(4) == 0);
      if (!sample) return false;
      ns[arm] = static_cast<double>(sample->cpu_ns) / static_cast<double>(own.size());
    }
    return true;
  }

  bool clears(const Probe& probe) const {
    const auto limit_ns = [&](const double(&usual)[2]) {
      return remembered_gain * usual[0] *
             std::clamp(probe.new_ns[1] / usual[1], 1.0, most_slowdown);
    };
    const double timed[2] = {timed_cpu_ns(0), timed_cpu_ns(1)};
    return probe.new_ns[0] <
           std::min(limit_ns(probe.known_ns), limit_ns(timed)) + remembered_ns / probe.calls;
  }

  // One clear probe exonerates the kernel; tries several, because other processes disturb single
  // probes. Further probes run among rounds like the timed ones.
  bool remembers() {
    timing_ = false;
    while (std::ranges::none_of(probes_, [this](const Probe& probe) { return clears(probe); })) {
      if (probes_.size() >= most_probes) {
        Finding finding{Verdict::suspicious, "remembers_inputs",
                        "calls on contents seen before were far faster than calls on new ones"};
        locate(finding, *plan_.workload, plain_.entries()[0]->label, "any", session_.calls(0));
        result_.challenger = std::move(finding);
        return true;
      }
      RawQuad unrecorded;
      if (!take(random_.below(2) == 0 ? 'A' : 'B', unrecorded)) return true;
    }
    return false;
  }

  // The arm's least CPU time of a timed call in quads where it came first and found the caches as
  // the judge left them. The least, because a kernel may remember only for a while.
  double timed_cpu_ns(int arm) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t q = 0; q < quads_.size(); ++q) {
      if (has_twins(q)) continue;
      const bool first = (orders_[q] == 'A') == (arm == 0);
      const RawSample& sample = quads_[q][first ? 0 : 2];
      const auto calls = static_cast<double>(std::max<std::int64_t>(sample.calls, 1));
      least = std::min(least, static_cast<double>(sample.cpu_ns) / calls);
    }
    return least;
  }

  // Both arms of a half see the same contents in the same places; the second half has new contents.
  bool take(char first, RawQuad& quad) {
    const int a = first == 'A' ? 0 : 1;
    const std::array<int, 4> arms{a, 1 - a, 1 - a, a};
    const Side side = any_side();
    const bool twins = !plan_.unseen || has_twins(quads_.size());
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t at = half * 2;
      for (int round = 0; round < plan_.rounds; ++round) {
        // On average, every second quad has a surprise.
        const auto rounds = static_cast<std::uint64_t>(4 * plan_.rounds);
        if (random_.below(rounds) == 0 && !surprise(side)) return false;
        if (!probe_in_turn(side)) return false;
        const std::vector<Placed> placed = contents(side, twins);
        session_.place(placed);
        for (std::size_t i = at; i < at + 2; ++i) {
          if (!add_round(arms[i], placed, quad[i])) return false;
        }
      }
    }
    return true;
  }

  bool add_round(int arm, const std::vector<Placed>& placed, RawSample& sum) {
    const auto count = std::min<std::size_t>(placed.size(), batch_[arm]);
    const auto sample = judged(arm, std::span(placed).first(count), true, random_.below(4) == 0);
    if (!sample) return false;
    sum.span_ns += sample->span_ns;
    sum.cpu_ns += sample->cpu_ns;
    sum.waited_ns += sample->waited_ns;
    sum.calls += static_cast<std::int64_t>(count);
    ++sum.rounds;
    return true;
  }

  std::optional<Sample> judged(int arm, std::span<const Placed> placed, bool timed, bool inspect) {
    RoundRules rules;
    rules.limit_ns = plan_.call_limit_ns * static_cast<std::int64_t>(placed.size());
    rules.inspect = inspect;
    rules.spots = timed && random_.below(8) != 0;
    rules.cold = timed && bench_.cold;
    return judged(arm, placed, rules);
  }

  std::optional<Sample> judged(int arm, std::span<const Placed> placed, const RoundRules& rules) {
    Sample sample = session_.run(arm, placed, *plan_.workload, rules);
    if (!sample.finding) return sample;
    (arm == 0 ? result_.challenger : result_.opponent) = sample.finding;
    return std::nullopt;
  }

  // Fresh contents, with edited ones among them if `twins`, in random slots; the number of calls is
  // random.
  std::vector<Placed> contents(Side side, bool twins) {
    const int extra = static_cast<int>(random_.below(
        static_cast<std::uint64_t>(1 + std::max(plan_.calls[0], plan_.calls[1]) / 4)));
    std::vector<int> order(static_cast<std::size_t>(plan_.slots));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    shuffle(order, random_);
    for (int arm = 0; arm < 2; ++arm) {
      batch_[arm] = static_cast<std::size_t>(std::min(plan_.calls[arm] + extra, plan_.slots));
    }
    std::vector<Placed> placed;
    for (std::size_t i = 0; i < std::max(batch_[0], batch_[1]); ++i) {
      placed.push_back({seat(order[i], side), twins ? plain_.fresh() : plain_.fresh_drawn()});
    }
    return placed;
  }

  bool disturbed(const RawQuad& quad) {
    return bench_.threads() > 1 ? threads_waited(quad) : clocks_disagree(quad);
  }

  // Threads that wake each other always wait a little, in proportion to the calls. A wait well
  // beyond the least one per call is due to other processes.
  bool threads_waited(const RawQuad& quad) {
    for (const RawSample& sample : quad) {
      const double calls = static_cast<double>(std::max<std::int64_t>(sample.calls, 1));
      const double a_call = static_cast<double>(sample.waited_ns) / calls;
      least_wait_ns_ = std::min(least_wait_ns_.value_or(a_call), a_call);
      const double beyond = static_cast<double>(sample.waited_ns) - 2 * calls * *least_wait_ns_;
      if (beyond > 0.03 * static_cast<double>(sample.span_ns) + 30'000) return true;
    }
    return false;
  }

  // Wall and CPU clock differ by more than the cost of stops and starts: something else ran.
  bool clocks_disagree(const RawQuad& quad) {
    const std::int64_t empty = std::min(empty_[0].quartile(), empty_[1].quartile());
    std::vector<ClockSample> clocks;
    for (const RawSample& sample : quad) {
      clocks.push_back({sample.span_ns - empty * (sample.rounds - 1), sample.cpu_ns});
    }
    // Linux reserves 50 ms of every second for threads that are not real-time; long samples include
    // that.
    const bool long_samples = quad[0].span_ns > 100'000'000;
    return clock_disagreement(clocks, long_samples ? 0.08 : 0.03, 30'000) > 0;
  }

  void record() {
    // Both arms subtract the cheaper figure, so that making empty rounds expensive gains nothing. A
    // trusted arm uses its own: a Python process needs longer to stop.
    const std::int64_t cheaper = std::min(empty_[0].quartile(), empty_[1].quartile());
    std::int64_t empty[2] = {cheaper, cheaper};
    for (int arm = 0; arm < 2; ++arm) {
      if (session_.trusted(arm)) empty[arm] = empty_[arm].quartile();
    }
    result_.empty_ns = static_cast<double>(cheaper);
    Cluster cluster;
    int bad = 0;
    for (std::size_t q = 0; q < quads_.size(); ++q) {
      const std::string_view arms = orders_[q] == 'A' ? "ABBA" : "BAAB";
      cluster.order += arms;
      bad += disturbed(quads_[q]) ? 1 : 0;
      for (std::size_t i = 0; i < 4; ++i) {
        const RawSample& raw = quads_[q][i];
        const std::int64_t net = raw.span_ns - empty[arms[i] == 'A' ? 0 : 1] * raw.rounds;
        cluster.samples_ns.push_back(net / std::max<std::int64_t>(raw.calls, 1));
        cluster.cpu_ns.push_back(raw.cpu_ns / std::max<std::int64_t>(raw.calls, 1));
      }
    }
    std::optional<Noise> noise;
    if (static_cast<int>(quads_.size()) < plan_.quads || bad * 2 > plan_.quads)
      noise = {"contended", "something else ran on the lane", true};
    if (short_samples()) noise = {short_sample, short_text};
    result_.clusters.push_back(std::move(cluster));
    result_.noise.push_back(std::move(noise));
  }

  // A few short samples are chance; many mean that the plan was made in a busy moment.
  bool short_samples() const {
    std::size_t short_ones = 0;
    for (const RawQuad& quad : quads_) {
      for (const RawSample& raw : quad) {
        short_ones += static_cast<double>(raw.span_ns) < 0.5 * least_sample_ns ? 1 : 0;
      }
    }
    return short_ones > quads_.size();  // more than one in each quad of four
  }

  Seat seat(int slot, Side side) const { return {group_, slot, side}; }
  Side any_side() { return random_.below(2) == 0 ? Side::start : Side::end; }

  const Bench& bench_;
  Session& session_;
  int group_;
  const TimedWorkload& plan_;
  ContentPool& plain_;
  ContentPool& mixed_;
  const std::int64_t begin_ns_;  ///< start of the pair
  PairResult& result_;
  SecretRandom& random_;
  const std::size_t twins_at_ = 1 + random_.below(twins_every - 1);
  std::vector<FreshContent> stock_;  ///< new contents for the next probe
  int wait_ = 0;                     ///< rounds until that probe
  std::vector<Probe> probes_;
  bool timing_ = true;  ///< quads are recorded
  EmptyRounds empty_[2];
  std::optional<double> least_wait_ns_;  ///< per call, over both arms
  std::size_t batch_[2] = {1, 1};
  std::vector<RawQuad> quads_;
  std::vector<char> orders_;
};

}  // namespace

TimedWorkload plan_samples(const Workload& workload, const double (&call_ns)[2], std::size_t bytes,
                           std::size_t budget_bytes) {
  TimedWorkload plan;
  plan.workload = &workload;
  const auto fitting = static_cast<int>(budget_bytes / std::max<std::size_t>(bytes, 1));
  const int most = std::clamp(fitting, least_slots, most_slots);
  for (int arm = 0; arm < 2; ++arm) {
    const double wanted = std::ceil(1.1 * least_sample_ns / std::max(call_ns[arm], 1.0));
    plan.calls[arm] = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(most)));
  }
  // Arms of similar speed get equal batches, so that they differ only in code.
  const double ratio = call_ns[0] / call_ns[1];
  if (ratio > 0.5 && ratio < 2)
    plan.calls[0] = plan.calls[1] = std::max(plan.calls[0], plan.calls[1]);
  const int larger = std::max(plan.calls[0], plan.calls[1]);
  plan.slots = std::clamp(larger + std::max(larger / 4, 1), least_slots, most);
  const double fastest = std::min(call_ns[0] * plan.calls[0], call_ns[1] * plan.calls[1]);
  plan.rounds = static_cast<int>(
      std::clamp(std::ceil(least_sample_ns / std::max(fastest, 1.0)), 1.0, double{most_rounds}));
  return plan;
}

Result<PairResult> measure_pair(const Bench& bench, const Library& challenger,
                                const Library& opponent, const std::vector<TimedWorkload>& plan) {
  const std::int64_t begin_ns = now_ns();
  PairResult result;
  std::vector<SlotRequest> requests;
  std::vector<ContentPool*> plain, mixed;
  for (const TimedWorkload& timed : plan) {
    KE_TRY(plain.emplace_back(), bench.contents->plain(*timed.workload));
    KE_TRY(mixed.emplace_back(), bench.contents->mixed(*timed.workload));
    requests.push_back({std::make_shared<const Shapes>(plain.back()->shapes()), timed.slots});
  }
  KE_TRY(Session session, Session::open(bench, requests, {challenger, opponent}));
  result.challenger = session.load_finding(0);
  result.opponent = session.load_finding(1);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (result.challenger || result.opponent) break;
    Block(bench, session, static_cast<int>(i), plan[i], *plain[i], *mixed[i], begin_ns, result)
        .run();
  }
  result.unchecked_registers = session.unchecked(0);
  return result;
}

}  // namespace ke
