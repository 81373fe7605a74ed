#include "fitness/host/check.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "fitness/content/unlisted.hpp"
#include "fitness/timing/clock.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr int address_slots =
    2;  // with two or more address sets: at least four places for a small shape
constexpr std::int64_t many_bytes = std::int64_t{24} << 20;
constexpr std::int64_t small_elements = 1 << 14;
constexpr std::int64_t chain_ns = 50'000'000;
constexpr double slow_ns = 2e8;
constexpr std::int64_t all_calls = 12;  // limit on all calls together, in limits of one call

enum class Kind { fresh, kept, drawn, varied, edited, chained, repeated, otherwise };

/// One planned call.
struct Item {
  std::size_t group = 0;
  Kind kind = Kind::fresh;
  std::size_t index = 0;  ///< case to draw, or entry of the pool
};

struct Group {
  const Workload* workload = nullptr;
  ContentPool* pool = nullptr;
  bool small = false;
  bool listed = true;
  std::vector<FreshContent> edits;   ///< for large shapes
  ContentPool* otherwise = nullptr;  ///< for large shapes with inputs that never change
};

/// An unlisted shape and the pool drawn for it.
struct Unlisted {
  Workload workload;
  ContentPool pool;
};

std::int64_t elements_of(const Shapes& shapes) {
  std::int64_t sum = 0;
  for (const TensorShape& tensor : shapes.tensors) sum += tensor.elements;
  return sum;
}

// Clearing pages is the most expensive part of a check. Sessions of few bytes are mapped at several
// addresses anyway, so one slot of a large shape appears at as many places as two slots did.
std::vector<int> slots_of(const std::vector<Group>& groups) {
  std::int64_t bytes = 0;
  for (const Group& group : groups) bytes += group.pool->shapes().bytes();
  std::vector<int> slots;
  for (const Group& group : groups) {
    slots.push_back(group.listed && (group.small || bytes > many_bytes) ? address_slots : 1);
  }
  return slots;
}

Result<std::vector<Group>> groups_of(const Bench& bench, Thoroughness thoroughness) {
  Contents& contents = *bench.contents;
  std::vector<Group> groups;
  for (const Workload* workload : checked_workloads(*bench.task, thoroughness, contents.random())) {
    KE_TRY(ContentPool* const pool, contents.mixed(*workload));
    const bool small = elements_of(pool->shapes()) <= small_elements && contents.quick(*workload);
    groups.push_back({workload, pool, small, true, {}});
    if (small) continue;
    KE_TRY(groups.back().otherwise, contents.otherwise(*workload));
    KE_TRY_VOID(contents.rotate(*workload));
    KE_TRY(groups.back().edits, contents.edits(*workload));
  }
  return groups;
}

Result<std::vector<Unlisted>> unlisted_shapes(const Bench& bench, Thoroughness thoroughness) {
  std::vector<Unlisted> list;
  for (Workload& workload :
       unlisted_workloads(*bench.task, purpose_of(thoroughness), {}, bench.contents->random())) {
    KE_TRY(ContentPool pool, bench.contents->passing(workload));
    list.push_back({std::move(workload), std::move(pool)});
  }
  return list;
}

std::size_t varied_draws(Thoroughness thoroughness) {
  return thoroughness == Thoroughness::full ? 4 : 2;
}

// Most small shapes come first, since they are cheap and find most errors. A kernel that keeps
// state may err only where a large shape came before a small one, or first of all.
std::vector<Item> small_first(std::vector<Item> small, std::vector<Item> large,
                              SecretRandom& random) {
  std::vector<Item> all;
  if (!large.empty() && random.below(2) == 0) {
    all.push_back(large.back());
    large.pop_back();
  }
  const auto later = small.end() - std::ssize(small) / 8;
  all.insert(all.end(), small.begin(), later);
  all.insert(all.end(), large.begin(), large.end());
  all.insert(all.end(), later, small.end());
  return all;
}

// Small shapes get every class, varied contents, an edit and a repetition. Large ones get one
// content of the pool, or all of them, and several edits; bench shapes also get a repetition.
// Unlisted ones get varied contents or a random class.
std::vector<Item> items_of(const Bench& bench, const std::vector<Group>& groups,
                           Thoroughness thoroughness) {
  std::vector<Item> small, large;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!groups[g].listed) {
      (groups[g].small ? small : large).push_back({g, Kind::kept, 0});
    } else if (groups[g].small) {
      for (std::size_t c = 0; c < ContentPool::cases(*bench.task); ++c) {
        small.push_back({g, Kind::drawn, c});
      }
      small.insert(small.end(), varied_draws(thoroughness), {g, Kind::varied, 0});
      for (const Kind kind : {Kind::edited, Kind::repeated}) small.push_back({g, kind, 0});
    } else {
      const bool bench_shape = groups[g].workload->role == Role::bench;
      if (thoroughness == Thoroughness::full) {
        const std::size_t kept = groups[g].pool->entries().size();
        for (std::size_t i = 0; i < kept; ++i) large.push_back({g, Kind::kept, i});
      } else if (!bench_shape) {
        large.push_back({g, Kind::fresh, 0});
      }
      if (bench_shape) large.push_back({g, Kind::repeated, 0});
      large.push_back({g, Kind::chained, 0});
      if (groups[g].otherwise != nullptr) large.push_back({g, Kind::otherwise, 0});
    }
  }
  shuffle(small, bench.contents->random());
  shuffle(large, bench.contents->random());
  return small_first(std::move(small), std::move(large), bench.contents->random());
}

/// Runs the calls of one check.
class Checker {
 public:
  Checker(const Bench& bench, Session& session, const std::vector<Group>& groups)
      : bench_(bench), session_(session), groups_(groups) {}

  void run(const Item& item) {
    const Group& group = groups_[item.group];
    SecretRandom& random = bench_.contents->random();
    const auto slots = static_cast<std::uint64_t>(session_.slots(static_cast<int>(item.group)));
    const Seat seat{static_cast<int>(item.group), static_cast<int>(random.below(slots)),
                    random_side(random), static_cast<int>(random.below(session_.sets()))};
    switch (item.kind) {
      case Kind::drawn: call(group, seat, group.pool->new_draw(item.index)); break;
      case Kind::fresh: call(group, seat, group.pool->fresh()); break;
      case Kind::kept:
        if (!slow(group)) call(group, seat, group.pool->fresh(item.index));
        break;
      case Kind::edited: {  // directly after the original content, in the same place
        const FreshContent base = group.pool->fresh();
        if (call(group, seat, base)) call(group, seat, group.pool->edited(base));
        break;
      }
      case Kind::chained: chain(group, seat); break;
      case Kind::varied: call(group, seat, group.pool->varied()); break;
      case Kind::otherwise: both(group, seat); break;
      case Kind::repeated: repeat(group, seat, group.pool->fresh()); break;
    }
  }

  bool failed() const { return report.finding.has_value(); }
  CheckReport report;
  std::map<std::string, std::vector<double>> spans_ns;  ///< of calls by workload label
  Seat last;

 private:
  bool call(const Group& group, const Seat& seat, const FreshContent& content) {
    const Placed placed{seat, content};
    last = seat;
    session_.place({&placed, 1});
    const RoundRules rules{bench_.call_limit_ns, true, group.small && group.listed};
    const Sample sample = session_.run(0, {&placed, 1}, *group.workload, rules);
    if (sample.finding) {
      report.finding = sample.finding;
      if (sample.finding->mismatch) report.wrong = {*group.workload, content};
      return false;
    }
    if (session_.spent_ns(0) > all_calls * bench_.call_limit_ns) {
      report.finding = Finding{Verdict::timeout, "check_timeout",
                               "each call ended in time, but all of the check took too long"};
      return false;
    }
    if (!group.listed) return true;
    spans_ns[group.workload->label].push_back(static_cast<double>(sample.span_ns));
    return true;
  }

  // A kernel with such slow calls is no competitor, so not every class needs checking.
  bool slow(const Group& group) const {
    const auto spans = spans_ns.find(group.workload->label);
    return spans != spans_ns.end() && std::ranges::min(spans->second) > slow_ns;
  }

  // Calls contents whose inputs that never change are others than before, each with its twin, which
  // differs in one element: nothing that was prepared for earlier ones may be used.
  void both(const Group& group, const Seat& seat) {
    const std::size_t count = group.otherwise->entries().size();
    const std::size_t first = bench_.contents->random().below(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!call(group, seat, group.otherwise->fresh((first + i) % count))) return;
    }
  }

  // A slow kernel gets two edits, others all of them.
  void chain(const Group& group, const Seat& seat) {
    const std::int64_t before = now_ns();
    for (std::size_t i = 0; i < group.edits.size(); ++i) {
      if (i >= 2 && now_ns() - before > chain_ns) return;
      if (!call(group, seat, group.edits[i])) return;
    }
  }

  void repeat(const Group& group, const Seat& seat, const FreshContent& content) {
    const Placed placed{seat, content};
    if (!call(group, seat, content)) return;
    const auto first = session_.written(0, placed, group.pool->shapes());
    if (!call(group, seat, content)) return;
    // Threads may add in any order; a single thread must be deterministic.
    if (bench_.threads() > 1 || first == session_.written(0, placed, group.pool->shapes())) return;
    report.finding = differs_when_repeated();
    locate(*report.finding, *group.workload, content.entry->label, name(seat.side),
           session_.calls(0));
  }

  const Bench& bench_;
  Session& session_;
  const std::vector<Group>& groups_;
};

}  // namespace

std::optional<Finding> OpenCheck::again() {
  const Placed placed{seat, report.wrong->content};
  return session.run(0, {&placed, 1}, report.wrong->workload, {.limit_ns = limit_ns}).finding;
}

Result<OpenCheck> check_kernel(const Bench& bench, const Library& library,
                               Thoroughness thoroughness) {
  KE_TRY(std::vector<Group> groups, groups_of(bench, thoroughness));
  KE_TRY(std::vector<Unlisted> unlisted, unlisted_shapes(bench, thoroughness));
  for (Unlisted& shape : unlisted) {
    const bool small = elements_of(shape.pool.shapes()) <= small_elements;
    groups.push_back({&shape.workload, &shape.pool, small, false, {}});
  }
  const std::vector<int> slots = slots_of(groups);
  std::vector<SlotRequest> requests;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    requests.push_back({std::make_shared<const Shapes>(groups[g].pool->shapes()), slots[g]});
  }
  KE_TRY(Session session, Session::open(bench, requests, {library}));
  Checker checker(bench, session, groups);
  checker.report.finding = session.load_finding(0);
  for (const Item& item : items_of(bench, groups, thoroughness)) {
    if (checker.failed()) break;
    checker.run(item);
  }
  checker.report.margin = session.margin();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto ns = session.preparation_ns(0, static_cast<int>(g));
    if (!ns || groups[g].workload->role != Role::bench) continue;
    checker.report.preparation_ns[groups[g].workload->label] = static_cast<double>(*ns);
  }
  checker.report.unchecked_registers = session.unchecked(0);
  std::map<std::string, double> call_ns;
  for (const auto& [label, spans] : checker.spans_ns) call_ns[label] = median_of(spans);
  return OpenCheck{std::move(checker.report), std::move(call_ns), std::move(session), checker.last,
                   bench.call_limit_ns};
}

Result<std::optional<Finding>> call_once(const Bench& bench, const Library& library,
                                         const WrongCall& wrong) {
  KE_TRY(Session session, Session::open(bench, {{wrong.content.entry->shapes, 1}}, {library}));
  if (session.load_finding(0)) return session.load_finding(0);
  const Placed placed{{0, 0, Side::start, 0}, wrong.content};
  session.place({&placed, 1});
  const RoundRules rules{session.first_call_ns(0, bench.call_limit_ns)};
  return session.run(0, {&placed, 1}, wrong.workload, rules).finding;
}

}  // namespace ke
