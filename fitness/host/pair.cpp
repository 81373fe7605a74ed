#include "fitness/host/pair.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "fitness/host/session.hpp"
#include "fitness/timing/clock.hpp"
#include "fitness/timing/cluster.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr int most_slots = 256;
constexpr int least_slots = 4;
constexpr int most_contents = 1024;   ///< new ones for one half of a quad
constexpr int quads_a_known_one = 6;  ///< for each so many quads, one on known contents is added
constexpr int spare_quads = 2;        ///< new contents for quads that are taken again
constexpr std::int64_t quiet_within_ns = 6'000'000'000;  // afterwards a pair keeps disturbed quads

constexpr int enough_quads = 5;  ///< on new contents; with fewer, figures need the known ones too

/// Quads of a block by their contents. Figures come from contents that the processes meet for the
/// first time, since a kernel can remember nothing of them. Contents that recur under transforms
/// show whether it would.
struct Shares {
  int fresh = 0;
  int known = 0;
};

Shares shares_of(int quads, std::size_t supply, std::size_t contents_of_quad) {
  const int affordable = static_cast<int>(
      std::min<std::size_t>(supply / contents_of_quad, static_cast<std::size_t>(quads)));
  const int added = std::max(1, quads / quads_a_known_one);
  const bool few = affordable < std::min(quads, enough_quads);
  return {affordable, few ? std::max(added, quads - affordable) : added};
}

int most_calls(const TimedWorkload& plan) {
  const int larger = std::max(plan.calls[0], plan.calls[1]);
  return std::min(larger + larger / 4, plan.slots);
}

/// Contents of both halves of a quad.
std::size_t contents_of_quad(const TimedWorkload& plan) {
  return static_cast<std::size_t>(2 * most_calls(plan) * plan.rounds);
}

/// One sample before its empty rounds are subtracted.
struct RawSample {
  std::int64_t span_ns = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t waited_ns = 0;
  std::int64_t calls = 0;
  std::int64_t rounds = 0;
  std::int64_t own_switches = 0;  ///< see Round
  bool suspended = false;
};

struct RawQuad {
  std::array<RawSample, 4> samples;
  char first = 'A';
  bool fresh = false;  ///< on new contents
  int arm(std::size_t sample) const {
    const bool outer = sample == 0 || sample == 3;
    return outer == (first == 'A') ? 0 : 1;
  }
};

/// The contents of one workload.
struct Pools {
  ContentPool* plain = nullptr;
  ContentPool* mixed = nullptr;
  ContentPool* unseen = nullptr;
};

/// Times one workload within an open session.
class Block {
 public:
  Block(const Bench& bench, Session& session, int group, const TimedWorkload& plan,
        const Pools& pools, std::int64_t begin_ns, PairResult& result)
      : bench_(bench),
        session_(session),
        group_(group),
        plan_(plan),
        pools_(pools),
        begin_ns_(begin_ns),
        result_(result),
        random_(bench.contents->random()) {
    stock_.resize(pools.unseen == nullptr ? 0 : pools.unseen->entries().size());
    std::iota(stock_.begin(), stock_.end(), std::size_t{0});
    shuffle(stock_, random_);
  }

  /// False when a finding ended it.
  bool run() {
    if (!load_libraries()) return false;
    const std::vector<bool> order = order_of_quads();
    std::size_t tries = order.size() * 6;
    for (const bool fresh : order) {
      for (;;) {
        for (const int arm : arms_in_turn()) {
          empty_[arm].push_back(static_cast<double>(session_.empty_round(arm)));
        }
        RawQuad quad{{}, random_.below(2) == 0 ? 'A' : 'B', fresh && has_stock()};
        if (!take(quad)) return false;
        --tries;
        count(quad);
        const bool again = tries > 0 && now_ns() - begin_ns_ < quiet_within_ns;
        if (suspended(quad) && tries > 0) continue;
        if (again && disturbed(quad) && (!quad.fresh || has_stock())) continue;
        quads_.push_back(quad);
        break;
      }
    }
    record();
    return true;
  }

 private:
  // The first quad of a process is dropped, so it is one of those that count, unless there is but
  // one on new contents: that one tells what the kernel remembers.
  std::vector<bool> order_of_quads() {
    const Shares shares = shares_of(plan_.quads, stock_.size(), contents_of_quad(plan_));
    std::vector<bool> order(static_cast<std::size_t>(shares.fresh + shares.known), false);
    std::fill_n(order.begin(), shares.fresh, true);
    for (std::size_t i = order.size(); i > 2; --i) {
      std::vector<bool>::swap(order[1 + random_.below(i - 1)], order[i - 1]);
    }
    if (shares.fresh == 1) {  // there are known ones too
      std::vector<bool>::swap(order[0], order[1 + random_.below(order.size() - 1)]);
    }
    return order;
  }

  bool has_stock() const { return stock_.size() >= contents_of_quad(plan_); }

  // A baseline loads its library in the first call of a process; that call is not timed.
  bool load_libraries() {
    for (int arm = 0; arm < 2; ++arm) {
      if (!session_.trusted(arm)) continue;
      const std::vector<Placed> placed = contents(random_side(random_), true);
      session_.place(placed);
      const std::int64_t limit_ns = session_.first_call_ns(arm, plan_.call_limit_ns);
      if (!judged(arm, std::span(placed).first(1), {.limit_ns = limit_ns, .inspect = false})) {
        return false;
      }
    }
    return true;
  }

  // Runs a judged but untimed round with contents of other classes, and stops it once on the way. A
  // kernel cannot tell it from other rounds: same number of calls, same places, at any point of a
  // quad.
  bool surprise(Side side) {
    std::vector<Placed> placed = contents(side, true);
    const std::size_t both = std::min(batch_[0], batch_[1]);
    for (std::uint64_t odd = 1 + random_.below(3); odd > 0; --odd) {
      placed[random_.below(both)].content = pools_.mixed->any();
    }
    session_.place(placed);
    for (const int arm : arms_in_turn()) {
      // Libraries behind trusted baselines may treat odd inputs by other rules.
      if (session_.trusted(arm)) continue;
      RoundRules rules = rules_for(batch_[arm]);
      const double expected_ns = usual_ns_[arm] * static_cast<double>(batch_[arm]);
      rules.interrupt_ns = static_cast<std::int64_t>(expected_ns * random_.uniform());
      if (!judged(arm, std::span(placed).first(batch_[arm]), rules)) return false;
    }
    return true;
  }

  // The first arm finds the caches as the previous round left them, so the order is random.
  std::array<int, 2> arms_in_turn() {
    const int first = static_cast<int>(random_.below(2));
    return {first, 1 - first};
  }

  // Both arms of a half see the same contents in the same places; the second half has others.
  bool take(RawQuad& quad) {
    const Side side = random_side(random_);
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t at = half * 2;
      for (int round = 0; round < plan_.rounds; ++round) {
        // On average, every second quad has a surprise.
        const auto rounds = static_cast<std::uint64_t>(4 * plan_.rounds);
        if (random_.below(rounds) == 0 && !surprise(side)) return false;
        std::vector<Placed> placed = contents(side, false);
        if (quad.fresh) renew(placed);
        session_.place(placed);
        for (std::size_t i = at; i < at + 2; ++i) {
          if (!add_round(quad.arm(i), placed, quad.samples[i])) return false;
        }
      }
    }
    return true;
  }

  void renew(std::vector<Placed>& placed) {
    for (Placed& one : placed) {
      one.content = pools_.unseen->fresh(stock_.back());
      stock_.pop_back();
    }
  }

  bool add_round(int arm, const std::vector<Placed>& placed, RawSample& sum) {
    const auto count = std::min<std::size_t>(placed.size(), batch_[arm]);
    RoundRules rules = rules_for(count);
    rules.inspect = random_.below(4) == 0;
    rules.spots = random_.below(8) != 0;
    rules.cold = bench_.cold;
    const auto sample = judged(arm, std::span(placed).first(count), rules);
    if (!sample) return false;
    sum.span_ns += sample->span_ns;
    sum.cpu_ns += sample->cpu_ns;
    sum.waited_ns += sample->waited_ns;
    sum.own_switches += sample->own_switches;
    sum.suspended = sum.suspended || sample->suspended;
    sum.calls += static_cast<std::int64_t>(count);
    ++sum.rounds;
    usual_ns_[arm] = static_cast<double>(sample->span_ns) / static_cast<double>(count);
    return true;
  }

  RoundRules rules_for(std::size_t calls) const {
    return {.limit_ns = plan_.call_limit_ns * static_cast<std::int64_t>(calls)};
  }

  std::optional<Sample> judged(int arm, std::span<const Placed> placed, const RoundRules& rules) {
    Sample sample = session_.run(arm, placed, *plan_.workload, rules);
    if (!sample.finding) return sample;
    (arm == 0 ? result_.challenger : result_.opponent) = sample.finding;
    return std::nullopt;
  }

  // Known contents under new transforms, with edited ones among them if `twins`, in random slots;
  // the number of calls is random.
  std::vector<Placed> contents(Side side, bool twins) {
    const int extra = static_cast<int>(random_.below(
        static_cast<std::uint64_t>(1 + std::max(plan_.calls[0], plan_.calls[1]) / 4)));
    std::vector<int> order(static_cast<std::size_t>(plan_.slots));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, random_);
    for (int arm = 0; arm < 2; ++arm) {
      batch_[arm] = static_cast<std::size_t>(std::min(plan_.calls[arm] + extra, plan_.slots));
    }
    std::vector<Placed> placed;
    for (std::size_t i = 0; i < std::max(batch_[0], batch_[1]); ++i) {
      placed.push_back(
          {{group_, order[i], side}, twins ? pools_.plain->fresh() : pools_.plain->fresh_drawn()});
    }
    return placed;
  }

  static bool suspended(const RawQuad& quad) {
    return std::ranges::any_of(quad.samples, &RawSample::suspended);
  }

  // A quad is taken again for what others did, never for what an arm can bring about: it would
  // choose its samples.
  bool disturbed(const RawQuad& quad) {
    return bench_.threads() > 1 ? threads_waited(quad) : clocks_disagree(quad);
  }

  // Threads that wake each other always wait a little, in proportion to the calls. A wait well
  // beyond the least one per call may be due to other processes or to the arm; if both arms show
  // one, it was no arm's choice.
  bool threads_waited(const RawQuad& quad) {
    bool waited[2] = {false, false};
    for (std::size_t i = 0; i < quad.samples.size(); ++i) {
      const RawSample& sample = quad.samples[i];
      const double calls = static_cast<double>(std::max<std::int64_t>(sample.calls, 1));
      const double a_call = static_cast<double>(sample.waited_ns) / calls;
      least_wait_ns_ = std::min(least_wait_ns_.value_or(a_call), a_call);
      const double beyond = static_cast<double>(sample.waited_ns) - 2 * calls * *least_wait_ns_;
      if (beyond > 0.03 * static_cast<double>(sample.span_ns) + 30'000) waited[quad.arm(i)] = true;
    }
    return waited[0] && waited[1];
  }

  // Wall and CPU clock differ by more than the cost of stops and starts, and the worker did not
  // give up its processor: something else ran.
  bool clocks_disagree(const RawQuad& quad) {
    return std::ranges::any_of(quad.samples, [this](const RawSample& sample) {
      return sample.own_switches == 0 && lost_time(sample);
    });
  }

  /// The cost of a round without its calls.
  std::int64_t empty_ns(int arm) const {
    return empty_[arm].empty() ? 0 : static_cast<std::int64_t>(lower_quartile(empty_[arm]));
  }

  bool lost_time(const RawSample& sample) const {
    const std::int64_t empty = std::min(empty_ns(0), empty_ns(1));
    const std::int64_t wall_ns = sample.span_ns - empty * (sample.rounds - 1);
    // Linux reserves 50 ms of every second for threads that are not real-time; long samples include
    // that.
    const bool is_long = sample.span_ns > 100'000'000;
    return clocks_differ(wall_ns, sample.cpu_ns, is_long ? 0.08 : 0.03, 30'000);
  }

  void count(const RawQuad& quad) {
    for (std::size_t i = 0; i < quad.samples.size(); ++i) {
      Waits& waits = result_.waits[quad.arm(i)];
      ++waits.samples;
      if (quad.samples[i].own_switches > 0 && lost_time(quad.samples[i])) ++waits.own;
    }
  }

  void record() {
    result_.empty_ns = static_cast<double>(std::min(empty_ns(0), empty_ns(1)));
    std::vector<RawQuad> fresh, known;
    for (const RawQuad& quad : quads_) (quad.fresh ? fresh : known).push_back(quad);
    const Cluster of_fresh = cluster_of(fresh), of_known = cluster_of(known);
    result_.recall.push_back(recall_of(of_fresh, of_known));
    const bool all = std::ssize(fresh) < std::min(plan_.quads, enough_quads);
    const std::vector<RawQuad>& kept = all ? quads_ : fresh;
    result_.clusters.push_back(all ? cluster_of(quads_) : of_fresh);
    std::optional<Noise> noise;
    const auto bad = std::ranges::count_if(
        kept, [this](const auto& quad) { return disturbed(quad) || suspended(quad); });
    if (bad * 2 > std::ssize(kept)) noise = {"contended", "something else ran on the lane", true};
    if (short_samples(kept)) noise = {short_sample, short_text};
    result_.noise.push_back(std::move(noise));
  }

  Cluster cluster_of(const std::vector<RawQuad>& quads) const {
    // Both arms subtract the cheaper figure, so that making empty rounds expensive gains nothing. A
    // trusted arm uses its own: a Python process needs longer to stop.
    const std::int64_t cheaper = std::min(empty_ns(0), empty_ns(1));
    std::int64_t empty[2] = {cheaper, cheaper};
    for (int arm = 0; arm < 2; ++arm) {
      if (session_.trusted(arm)) empty[arm] = empty_ns(arm);
    }
    Cluster cluster;
    for (const RawQuad& quad : quads) {
      cluster.order += quad.first == 'A' ? "ABBA" : "BAAB";
      for (std::size_t i = 0; i < quad.samples.size(); ++i) {
        const RawSample& raw = quad.samples[i];
        const std::int64_t calls = std::max<std::int64_t>(raw.calls, 1);
        cluster.samples_ns.push_back((raw.span_ns - empty[quad.arm(i)] * raw.rounds) / calls);
        cluster.cpu_ns.push_back(raw.cpu_ns / calls);
      }
    }
    return cluster;
  }

  // The very first quad is dropped, as in figures.
  std::optional<ClusterEstimate> recall_of(const Cluster& fresh, const Cluster& known) const {
    auto of_fresh = quads_of(fresh), of_known = quads_of(known);
    if (!of_fresh || !of_known) return std::nullopt;
    auto& with_first = quads_.front().fresh ? *of_fresh : *of_known;
    if (with_first.size() < 2) return std::nullopt;
    with_first.erase(with_first.begin());
    return compare_quads(*of_known, *of_fresh);
  }

  // A few short samples are chance; many mean that the plan was made in a busy moment.
  bool short_samples(const std::vector<RawQuad>& quads) const {
    std::size_t short_ones = 0;
    for (const RawQuad& quad : quads) {
      for (const RawSample& raw : quad.samples) {
        short_ones += static_cast<double>(raw.span_ns) < 0.5 * least_sample_ns ? 1 : 0;
      }
    }
    return short_ones > quads.size();  // more than one in each quad of four
  }

  const Bench& bench_;
  Session& session_;
  int group_;
  const TimedWorkload& plan_;
  const Pools& pools_;
  const std::int64_t begin_ns_;  ///< start of the pair
  PairResult& result_;
  SecretRandom& random_;
  std::vector<std::size_t> stock_;       ///< entries of `unseen` that no quad had
  std::vector<double> empty_[2];         ///< spans of the empty rounds, by arm
  std::optional<double> least_wait_ns_;  ///< per call, over both arms
  std::size_t batch_[2] = {1, 1};
  double usual_ns_[2] = {0, 0};  ///< of a call, by arm
  std::vector<RawQuad> quads_;
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
  const int most_rounds = std::max(most_contents / most_calls(plan), 1);
  plan.rounds = static_cast<int>(std::clamp(std::ceil(least_sample_ns / std::max(fastest, 1.0)),
                                            1.0, static_cast<double>(most_rounds)));
  return plan;
}

Result<PairResult> measure_pair(const Bench& bench, const Library& challenger,
                                const Library& opponent, const std::vector<TimedWorkload>& plan) {
  const std::int64_t begin_ns = now_ns();
  PairResult result;
  std::vector<SlotRequest> requests;
  std::vector<Pools> pools;
  for (const TimedWorkload& timed : plan) {
    Pools of;
    KE_TRY(of.plain, bench.contents->plain(*timed.workload));
    KE_TRY(of.mixed, bench.contents->mixed(*timed.workload));
    if (timed.workload->role == Role::bench) {
      const auto quads = static_cast<std::size_t>(timed.quads + spare_quads);
      KE_TRY(of.unseen, bench.contents->unseen(*timed.workload, quads * contents_of_quad(timed)));
    }
    pools.push_back(of);
    requests.push_back({std::make_shared<const Shapes>(of.plain->shapes()), timed.slots});
  }
  KE_TRY(Session session, Session::open(bench, requests, {challenger, opponent}));
  result.challenger = session.load_finding(0);
  result.opponent = session.load_finding(1);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (result.challenger || result.opponent) break;
    Block(bench, session, static_cast<int>(i), plan[i], pools[i], begin_ns, result).run();
  }
  result.unchecked_registers = session.unchecked(0);
  return result;
}

}  // namespace ke
