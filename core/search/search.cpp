#include "core/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/feedback_record.hpp"
#include "core/search/final_verification.hpp"
#include "core/search/plan.hpp"
#include "core/search/role_figure.hpp"
#include "core/validation.hpp"

namespace ke {
namespace {

// Determines which operators of an island have work at the time of one ask.

class IslandAbilities final : public Abilities {
 public:
  /// `context` is what the operators' `start` would get now. Both must outlive this object.
  IslandAbilities(const IslandPlan& island, const Context& context)
      : island_(island), context_(context) {}

  bool suits(const OperatorChoice& choice, const Candidate& first) const override {
    return op(choice).can_start(context_, &first);
  }

  /// Sets `idle` for operators that suit no elite, or that need no parent and have no work.
  void mark_idle(std::vector<OperatorChoice>& choices) const {
    for (OperatorChoice& choice : choices) choice.idle = is_idle(choice);
  }

 private:
  const Operator& op(const OperatorChoice& choice) const {
    const auto found = std::ranges::find(island_.operators, choice.name, &NamedOperator::name);
    KE_CHECK(found != island_.operators.end());
    return *found->op;
  }

  bool is_idle(const OperatorChoice& choice) const {
    if (choice.weight == 0) return false;
    if (choice.arity == 0) return !op(choice).can_start(context_, nullptr);
    return std::ranges::none_of(island_.archive->elites(), [&](const Elite& elite) {
      return suits(choice, *elite.candidate);
    });
  }

  const IslandPlan& island_;
  const Context& context_;
};

}  // namespace

Search::Search(SearchPlan plan, SearchParts parts)
    : plan_(std::move(plan)),
      parts_(parts),
      evaluator_(parts.evaluator, parts.facts),
      dispatcher_(evaluator_, parts.facts, parts.llm),
      budget_(plan_.limits),
      migration_(plan_),
      asked_(plan_.islands.size(), 0),
      committed_(plan_.islands.size(), 0) {
  KE_CHECK(!plan_.islands.empty() && plan_.passive && plan_.topology && !plan_.devices.empty());
  for (std::size_t d = 0; d < plan_.devices.size(); ++d) {
    devices_.emplace_back(JobMaker(parts.evaluator.device_info(d), plan_.devices[d].task_hash, d),
                          dispatcher_, parts.stop);
  }
  for (const IslandPlan& island : plan_.islands) {
    auto& choices = choices_.emplace_back();
    bool learns = false;
    for (const auto& named : island.operators) {
      choices.push_back({named.name, named.op->arity(), named.weight, named.op->asks()});
      learns = learns || (named.weight > 0 && named.op->learns());
    }
    learns_.push_back(learns);
    judged_.emplace_back();
  }
}

Search::~Search() = default;

Result<StopRecord> Search::run() {
  KE_TRY_VOID(parts_.history.begin(plan_.header));
  hash_ = plan_.header.first_hash();
  KE_TRY(stored_steps_, parts_.history.committed_steps());
  if (plan_.stop_exhausted) points_ = PointsLeft::of(plan_);
  parts_.observer.on_phase("search");
  KE_TRY_VOID(ask_all());
  while (!in_flight_.empty()) {
    if (parts_.safety.stop_requested()) return stop(std::string(parts_.safety_reason));
    const auto head = in_flight_.begin();
    KE_TRY(std::string why, wait_for(head->second));
    if (!why.empty()) return stop(std::move(why));
    auto node = in_flight_.extract(head);
    KE_TRY(const bool committed, commit(node.key(), node.mapped()));
    if (!committed) return stop("interrupted");
    KE_TRY_VOID(ask_all());
  }
  return stop(std::string(goal().empty() ? "budget" : goal()));
}

std::string_view Search::goal() const {
  if (plan_.target > 0 && status_.best_objective >= plan_.target) return "target";
  if (plan_.headroom > 0 && 1 - best_floor_share_ <= plan_.headroom) return "headroom";
  if (exhausted()) return "exhausted";
  const std::int64_t barren = budget_.proposals() - last_improvement_;
  return plan_.stagnation > 0 && barren >= plan_.stagnation ? "stagnation" : "";
}

bool Search::may_ask() const {
  return goal().empty() && dispatcher_.shortage().empty() &&
         budget_.fits(plan_.exact_budget ? plan_.repeats : plan_.batch * plan_.repeats);
}

Result<void> Search::ask_all() {
  if (plan_.schedule) {
    std::int64_t most = 0;
    for (const IslandPlan& island : plan_.islands) most += island.lag + 1;
    while (std::ssize(in_flight_) < most && may_ask()) KE_TRY_VOID(ask(plan_.schedule->next()));
    return {};
  }
  // One ask per island in turn, so that the islands share a tight budget evenly.
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t i = 0; i < plan_.islands.size(); ++i) {
      if (asked_[i] > committed_[i] + plan_.islands[i].lag || !may_ask()) continue;
      KE_TRY_VOID(ask(i));
      progress = true;
    }
  }
  return {};
}

bool Search::asks_model(std::size_t island, const Proposal& proposal) const {
  if (proposal.kernel) return false;
  return std::ranges::any_of(plan_.islands[island].operators, [&](const NamedOperator& named) {
    return named.name == proposal.operator_name && named.op->asks();
  });
}

/// Slots per proposal: a model can answer one prompt in several ways, other operators in only one.
std::int64_t Search::repeats_of(std::size_t island, const Proposal& proposal) const {
  return asks_model(island, proposal) ? plan_.repeats : 1;
}

void Search::stop_asking(std::size_t island) {
  const auto& operators = plan_.islands[island].operators;
  for (std::size_t k = 0; k < operators.size(); ++k) {
    if (operators[k].op->asks()) choices_[island][k].idle = true;
  }
}

Search::Order Search::next_order(std::size_t island) {
  const std::int64_t step = asked_[island]++;
  const std::int64_t turn = turns_++;
  return {plan_.schedule ? turn : step / plan_.islands[island].rate,
          static_cast<std::int64_t>(island), step};
}

std::int64_t Search::round_of(const Order& order) const {
  return plan_.schedule ? order.turn / std::ssize(plan_.islands) : order.turn;
}

/// Migrants from other devices go first; the strategy is asked when none is due.
Proposal Search::propose(const Order& order, std::int64_t number) {
  const std::int64_t id = order.island, step = order.step;
  const auto i = static_cast<std::size_t>(id);
  IslandPlan& island = plan_.islands[i];
  while (const auto migrant = migration_.next_of_other_device(id, step, round_of(order))) {
    if (device_of(i).seen.contains((*migrant)->genome_hash)) continue;
    return {std::string(migration_operator), {{*migrant, ParentRole::parent}}, (*migrant)->kernel};
  }
  RandomStream random(
      {static_cast<std::uint64_t>(plan_.header.seed), id, step, number, Purpose::ask});
  IslandView view{step, plan_.device_of(id).seeds.size(), *island.archive, choices_[i],
                  island.selection.get()};
  const Context context = context_at(i, {step, id, number});
  const IslandAbilities abilities(island, context);
  if (island.skip_idle) {
    abilities.mark_idle(choices_[i]);
    view.abilities = &abilities;
  }
  if (plan_.limits.asks > 0 && asks_ >= plan_.limits.asks) stop_asking(i);
  return island.strategy->ask(view, random);
}

/// The context for an operator of island `i` that starts slot `id`.
Context Search::context_at(std::size_t i, const LogicalId& id) {
  const DevicePlan& device = plan_.devices[plan_.islands[i].device];
  Context context{device.seeds, device.task_text, id};
  context.hardware = device_of(i).jobs.device_class();
  context.language = device.language.get();
  context.seen = &device_of(i).seen;
  context.judged = judged_[i];
  context.lessons = plan_.lessons.get();
  return context;
}

Result<void> Search::ask(std::size_t i) {
  IslandPlan& island = plan_.islands[i];
  Device& device = device_of(i);
  const Order order = next_order(i);
  Step step{order.step, {}};
  const std::int64_t room = plan_.exact_budget ? budget_.room() : plan_.batch * plan_.repeats;
  const auto left = [&] { return room - static_cast<std::int64_t>(step.slots.size()); };
  for (std::int64_t number = 0; number < plan_.batch && left() >= plan_.repeats; ++number) {
    const Proposal proposal = propose(order, number);
    if (const auto failure = island.strategy->failure()) return *failure;
    const std::int64_t repeats = repeats_of(i, proposal);
    if (asks_model(i, proposal)) asks_ += repeats;
    const Slot* first = nullptr;
    for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
      const auto slot = static_cast<std::int64_t>(step.slots.size());
      step.slots.push_back(std::make_unique<Slot>(
          Slot::Parts{plan_, island, device.jobs, dispatcher_, device.seen, judged_[i]},
          LogicalId{order.step, order.island, slot}, proposal, first));
      if (repeat == 0) first = step.slots.back().get();
    }
  }
  budget_.ask(static_cast<std::int64_t>(step.slots.size()));
  for (const auto& slot : step.slots) slot->admit(budget_.reserve(slot->wanted_trials()));
  for (const auto& slot : step.slots) KE_TRY_VOID(slot->start());
  in_flight_.emplace(order, std::move(step));
  return {};
}

std::string Search::asked_to_stop() const {
  if (parts_.stop.stop_requested()) return "interrupted";
  return parts_.safety.stop_requested() ? std::string(parts_.safety_reason) : "";
}

Result<std::string> Search::wait_for(const Step& step) {
  for (const auto& slot : step.slots) {
    while (!slot->ready()) {
      if (std::string why = asked_to_stop(); !why.empty()) return why;
      KE_TRY_VOID(dispatcher_.pump());
      if (slot->is_unpaid()) return std::string("budget");
      // All steps that may be asked are in flight, and this one is the next to commit.
      const bool stuck = parts_.until_waiting && !slot->ready() && dispatcher_.open_letters();
      if (stuck) return std::string("waiting");
    }
  }
  return std::string(parts_.stop.stop_requested() ? "interrupted" : "");
}

void Search::settle(Candidate& candidate) {
  if (candidate.outcome != OutcomeKind::kernel) return;
  const auto twin = [&](const std::unordered_map<Digest, CandidatePtr>& known, const Digest& hash,
                        std::string_view kind) {
    const auto found = known.find(hash);
    if (found == known.end() || hash.is_zero() || candidate.duplicate_of) return;
    candidate.outcome = OutcomeKind::duplicate;
    candidate.duplicate_of = found->second->id;
    candidate.duplicate_kind = kind;
    candidate.evaluation = found->second->evaluation;  // same noise sample
    candidate.evaluation.measured = false;
  };
  const Device& device = device_of(static_cast<std::size_t>(candidate.id.island));
  twin(device.by_genome, candidate.genome_hash, "genome");
  twin(device.by_build, candidate.evaluation.build_hash, "build");
}

Result<bool> Search::commit(const Order& order, const Step& step) {
  const auto island = static_cast<std::size_t>(order.island);
  StepRecord record;
  record.index = status_.steps;
  record.step = order.step;
  record.island = order.island;
  for (const auto& slot : step.slots) {
    std::vector<Digest> facts = slot->fact_keys();
    std::shared_ptr<Candidate> made = slot->take();
    settle(*made);
    budget_.settle(slot->trials_spent(*made) + (made->evaluation.measured ? 1 : 0),
                   slot->admitted_trials());
    const CandidatePtr candidate = made;
    record.candidates.push_back(candidate);
    KE_TRY(const bool offered, offer(island, made, *slot, record, facts));
    if (!offered) return false;
    record.fact_keys.push_back(std::move(facts));
    remember(candidate);
    if (points_) points_->settle(*candidate);
  }
  KE_TRY(const bool received, receive_migrants(order, record));
  if (!received) return false;
  KE_TRY_VOID(store(record));
  ++committed_[island];
  migration_.depart(record, round_of(order));
  if (const auto failure = plan_.islands[island].strategy->failure()) return *failure;
  update_status(record);
  return true;
}

void Search::remember(const CandidatePtr& candidate) {
  if (candidate->outcome != OutcomeKind::kernel) return;
  Device& device = device_of(static_cast<std::size_t>(candidate->id.island));
  if (!is_judged(candidate->evaluation.verdict)) return device.seen.forget(candidate->genome_hash);
  device.seen.propose(candidate->genome_hash);
  device.by_genome.emplace(candidate->genome_hash, candidate);
  if (candidate->evaluation.build_hash.is_zero()) return;
  device.by_build.emplace(candidate->evaluation.build_hash, candidate);
}

void Search::tell(std::size_t island, const Commit& told) {
  IslandPlan& plan = plan_.islands[island];
  plan.strategy->tell(told);
  if (plan.selection && !told.repeat) plan.selection->tell(told);
  if (plan.models.selection && !told.repeat) plan.models.selection->tell(told);
  if (plan_.schedule) plan_.schedule->tell(island, told);
  const Candidate& candidate = *told.candidate;
  const bool judged =
      candidate.outcome == OutcomeKind::kernel && is_judged(candidate.evaluation.verdict);
  if (judged && learns_[island]) judged_[island].push_back(told.candidate);
}

Result<bool> Search::offer(std::size_t island, const std::shared_ptr<Candidate>& made,
                           const Slot& slot, StepRecord& record, std::vector<Digest>& facts) {
  const CandidatePtr candidate = made;
  std::optional<OfferResult> added = OfferResult{};
  const bool is_kernel = candidate->outcome != OutcomeKind::no_child;
  if (is_kernel && candidate->evaluation.verdict == Verdict::ok) {
    KE_TRY(const bool validated, validate(island, *made, facts));
    if (!validated) return false;
  }
  if (is_kernel && candidate->evaluation.verdict == Verdict::ok) {
    const Contest& contest = device_of(island).contest;
    const bool migrant = candidate->operator_name == migration_operator;
    if (!migrant || migration_.may_enter(static_cast<std::int64_t>(island), *candidate)) {
      KE_TRY(added, contest.offer(*plan_.islands[island].archive, "island", candidate, record,
                                  facts, &made->evaluation));
      if (!added) return false;
    }
    // Specialists have cells on the islands only; the common archive counts the other kernels.
    if (candidate->outcome != OutcomeKind::duplicate && !is_specialist(candidate->evaluation)) {
      KE_TRY_VOID(
          contest.offer(*plan_.passive, "passive", candidate, record, facts, &made->evaluation));
    }
  }
  const Commit told{candidate, *added, slot.use(), slot.is_repeat()};
  tell(island, told);
  if (plan_.hints) plan_.hints->tell(told, slot.parents(), slot.hint_edit());
  return true;
}

/// Whether some archive may accept the candidate, judging by its bench figure.
bool Search::may_enter(std::size_t island, const Candidate& candidate) const {
  return plan_.islands[island].archive->may_enter(candidate) || plan_.passive->may_enter(candidate);
}

/// Also screens a candidate that may enter an archive at the validation workloads. False when a
/// stop was requested.
Result<bool> Search::validate(std::size_t island, Candidate& made, std::vector<Digest>& facts) {
  const std::size_t device = plan_.islands[island].device;
  const bool wanted = plan_.devices[device].validates &&
                      parts_.evaluator.device_info(device).noisy &&
                      !has_validation(made.evaluation);
  if (!wanted || !may_enter(island, made)) return true;
  KE_TRY(const std::optional<Fact> fact, devices_[device].contest.validation_screen(made, facts));
  if (!fact) return false;
  take_validation(*fact, plan_.devices[device].mean, plan_.min_gain, made.evaluation);
  add_timings(made.evaluation.feedback, fact->feedback);
  return true;
}

Result<bool> Search::receive_migrants(const Order& order, StepRecord& record) {
  const std::int64_t to = order.island;
  const auto island = static_cast<std::size_t>(to);
  Archive& archive = *plan_.islands[island].archive;
  for (const auto& migrant : migration_.arrive(to, order.step, round_of(order))) {
    record.migrations.push_back({migrant.from, to, migrant.candidate->id, migrant.chosen_at});
    std::optional<OfferResult> added = OfferResult{};
    if (migration_.may_enter(to, *migrant.candidate)) {
      KE_TRY(added, device_of(island).contest.offer(archive, "island", migrant.candidate, record,
                                                    record.fact_keys.back()));
      if (!added) return false;
    }
    tell(island, {migrant.candidate, *added});
  }
  return true;
}

Result<void> Search::store(StepRecord& record) {
  record.history_hash = record.chained(hash_);
  hash_ = record.history_hash;
  if (record.index >= stored_steps_) return parts_.history.commit(record);
  KE_TRY(const std::optional<Digest> stored, parts_.history.hash_at(record.index));
  if (!stored || *stored != hash_) {
    return Error{Failure::store,
                 fmt::format("replay differs from the stored history at step {} of island {} "
                             "(commit {}): the record was made by another version or was changed",
                             record.step, record.island, record.index)};
  }
  return {};
}

void Search::update_status(const StepRecord& record) {
  for (const ArchiveEvent& event : record.events) {
    if (has_entered(event.status)) last_improvement_ = budget_.proposals();
  }
  for (const auto& candidate : record.candidates) {
    const Evaluation& evaluation = candidate->evaluation;
    if (candidate->outcome == OutcomeKind::no_child) {
      ++status_.failures[candidate->no_child_reason];
    } else if (evaluation.verdict != Verdict::ok) {
      ++status_.failures[std::string(to_string(evaluation.verdict))];
    } else {
      status_.best_objective = std::max(status_.best_objective, worth(evaluation));
      const double share = is_specialist(evaluation) ? 0 : evaluation.floor_share;
      best_floor_share_ = std::max(best_floor_share_, share);
    }
  }
  status_.replayed = status_.steps < stored_steps_;
  ++status_.steps;
  status_.proposals = budget_.proposals();
  status_.evaluations = budget_.evaluations();
  status_.in_flight = budget_.in_flight();
  status_.coverage = coverage(*plan_.passive);
  status_.qd_score = qd_score(*plan_.passive);
  parts_.observer.on_commit(record, status_);
}

Result<StopRecord> Search::stop(std::string reason) {
  StopRecord record;
  record.reason = std::move(reason);
  record.proposals = budget_.proposals();
  record.evaluations = budget_.evaluations();
  record.history_hash = hash_;
  if (record.reason == "interrupted" || record.reason == "waiting") return record;
  KE_TRY(const bool complete, finish_devices(record));
  if (!complete) {
    record.reason = "interrupted";
    return record;
  }
  record.history_hash = record.chained(hash_);
  KE_TRY_VOID(parts_.history.finish(record));
  return record;
}

/// False when a stop was requested.
Result<bool> Search::finish_devices(StopRecord& record) {
  std::vector<std::optional<LogicalId>> champions;
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    FinalVerification finals({plan_, d, parts_.evaluator.device_info(d), devices_[d].jobs,
                              dispatcher_, parts_.history, parts_.observer, parts_.stop});
    KE_TRY(const bool complete, finals.run());
    if (!complete) return false;
    champions.emplace_back();
    if (finals.champion()) champions.back() = finals.champion()->id;
  }
  record.champion = champions.front();
  if (champions.size() > 1) record.device_champions = std::move(champions);
  return true;
}

}  // namespace ke
