#include "core/search/slot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/strategies/choose.hpp"

namespace ke {
namespace {

/// Key of an exchange: equal prompts of different slots or seeds are different exchanges.
Digest exchange_key(const RunHeader& run, const LlmRequest& request, const LogicalId& id,
                    std::int64_t number) {
  Encoder out;
  out("exchange/1")(run.seed)(request)(id)(number);
  return out.digest();
}

}  // namespace

std::int64_t SlotTrials::spent(const Digest& own) const {
  return static_cast<std::int64_t>(timed_.size() - timed_.count(own));
}

Result<void> SlotTrials::run(HashedKernel kernel, TrialKind kind, Then then) {
  Job job = jobs_.build(kernel.kernel, kernel.genome_hash);
  Open open{std::move(kernel.kernel), kind, {}, std::move(then)};
  return submit(std::move(job), [this, open = std::move(open)](const Fact& fact) mutable {
    open.facts.build = fact;
    return on_build(std::move(open));
  });
}

Result<void> SlotTrials::submit(Job job, Dispatcher::OnFact then) {
  fact_keys_.push_back(job.key);
  return dispatcher_.submit(std::move(job), std::move(then));
}

Result<void> SlotTrials::on_build(Open open) {
  const bool built = open.facts.build.verdict == Verdict::ok;
  const bool nothing_to_ask =
      open.kind == TrialKind::build || (open.kind == TrialKind::profile && !jobs_.sanitizes());
  if (!built || nothing_to_ask) return open.then(open.facts);
  return judge(std::move(open));
}

Job SlotTrials::job_of(const Open& open) const {
  const Digest& build = open.facts.build.build_hash;
  switch (open.kind) {
    case TrialKind::time: return jobs_.screen(open.kernel, build, open.look);
    case TrialKind::profile: return jobs_.sanitize(open.kernel, build);
    default: return jobs_.check(open.kernel, build);
  }
}

Result<void> SlotTrials::judge(Open open) {
  Job job = job_of(open);
  return submit(std::move(job), [this, open = std::move(open)](const Fact& fact) mutable {
    open.facts.judged = fact;
    return on_judged(std::move(open));
  });
}

Result<void> SlotTrials::on_judged(Open open) {
  const Verdict verdict = open.facts.judged->verdict;
  const bool timed = open.kind == TrialKind::time;
  if (timed && is_worth_asking_again(verdict) && open.look + 1 < max_screen_looks) {
    ++open.look;
    return judge(std::move(open));
  }
  if (timed && is_judged(verdict)) timed_.insert(open.facts.build.build_hash);
  return open.then(open.facts);
}

// Equal streams give equal prompts; the ids, and hence the keys of the exchanges, differ.
Slot::Slot(Parts parts, LogicalId id, Proposal proposal, const Slot* first)
    : parts_(parts),
      id_(id),
      first_(first),
      proposal_(std::move(proposal)),
      random_({static_cast<std::uint64_t>(parts.plan.header.seed), id.island, id.step,
               first == nullptr ? id.slot : first->id_.slot, Purpose::vary}),
      candidate_(std::make_shared<Candidate>()),
      trials_(parts.jobs, parts.dispatcher) {
  candidate_->id = id;
  candidate_->operator_name = proposal_.operator_name;
  for (const Parent& parent : proposal_.parents) {
    candidate_->ancestors.push_back({parent.candidate->id, parent.role});
  }
}

const Operator& Slot::op() const {
  for (const auto& named : parts_.island.operators) {
    if (named.name == proposal_.operator_name) return *named.op;
  }
  const bool strategy_named_a_known_operator = false;
  KE_CHECK(strategy_named_a_known_operator);
  return *parts_.island.operators.front().op;
}

Context Slot::context() const {
  Context context{device().seeds, device().task_text, candidate_->id};
  context.hardware = parts_.jobs.device_class();
  context.language = device().language.get();
  context.contract = device().contract.get();
  context.sheet = device().sheet ? device().sheet.get() : &parts_.jobs.sheet();
  if (!device().interface.kernel.name.empty()) context.interface = &device().interface;
  context.judged = std::span(parts_.judged).first(judged_at_ask_);
  context.elites = elites_at_ask_;
  context.timed_trials = admitted_;
  return context;
}

std::int64_t Slot::wanted_trials() const { return proposal_.kernel ? 0 : op().most_timed(); }

bool Slot::is_unpaid() const {
  return !ready() && std::ranges::any_of(fact_keys_, [&](const Digest& key) {
    return parts_.dispatcher.is_unpaid(key);
  });
}

std::vector<Digest> Slot::fact_keys() const {
  std::vector<Digest> keys = fact_keys_;
  for (const Digest& key : trials_.fact_keys()) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

void Slot::add_own_parents(const Context& at_ask) {
  if (!proposal_.parents.empty()) return;
  for (Parent& parent : op().own_parents(at_ask)) {
    candidate_->ancestors.push_back({parent.candidate->id, parent.role});
    proposal_.parents.push_back(std::move(parent));
  }
}

Result<void> Slot::start() {
  if (proposal_.kernel) return take_ready(*std::move(proposal_.kernel));
  judged_at_ask_ = parts_.judged.size();
  if (op().asks()) elites_at_ask_ = parts_.island.archive->elites();
  Context at_ask = context();
  at_ask.seen = &parts_.seen;
  at_ask.lessons = parts_.plan.lessons.get();
  add_own_parents(at_ask);
  RandomStream hints({static_cast<std::uint64_t>(parts_.plan.header.seed), id_.island, id_.step,
                      id_.slot, Purpose::hint});
  if (parts_.plan.hints && op().takes_hint()) draw_hint(hints);
  if (hint_) at_ask.hint = &*hint_;
  Outcome outcome = op().start(proposal_.parents, at_ask, random_);
  const bool known_now = std::holds_alternative<HashedKernel>(outcome);
  const auto* letter = std::get_if<Request>(&outcome);
  const bool edits = hint_ && first_ == nullptr && letter != nullptr && parts_.dispatcher.has_llm();
  // Before the letter: exchanges of a slot are numbered in the same order when it is resumed.
  if (edits && hints.uniform() < parts_.plan.hints->rate()) {
    KE_TRY_VOID(ask_edit(letter->request.model));
  }
  KE_TRY_VOID(handle(std::move(outcome)));
  if (known_now) parts_.seen.propose(candidate_->genome_hash);
  return {};
}

Result<void> Slot::take_ready(Kernel kernel) {
  for (const Parent& parent : proposal_.parents) {
    const Candidate& known = *parent.candidate;
    const bool declared = known.space && known.kernel.source == kernel.source;
    if (declared && !known.space->admits(kernel)) {
      no_child({"constraints"});
      return {};
    }
  }
  KE_TRY_VOID(build(std::move(kernel)));
  parts_.seen.propose(candidate_->genome_hash);
  return {};
}

Result<void> Slot::handle(Outcome outcome) {
  if (auto* made = std::get_if<HashedKernel>(&outcome)) return build(std::move(*made));
  if (auto* request = std::get_if<Request>(&outcome)) return ask_model(std::move(*request));
  if (auto* trial = std::get_if<Trial>(&outcome)) return try_out(std::move(*trial));
  no_child(std::get<NoChild>(std::move(outcome)));
  return {};
}

/// Runs once per slot, before its first request. Operators start in the order of asks, which is the
/// same on every machine.
void Slot::draw_model(LlmRequest& request) {
  const ModelPlan& plan = parts_.island.models;
  if (!request.model.empty() || plan.models.empty()) return;
  if (first_ != nullptr) use_.model = first_->use_.model;
  if (use_.model.empty()) {
    RandomStream random({static_cast<std::uint64_t>(parts_.plan.header.seed), candidate_->id.island,
                         candidate_->id.step, candidate_->id.slot, Purpose::model});
    const OperatorChoice* drawn = plan.selection ? plan.selection->draw(plan.models, 0, random)
                                                 : draw_operator(plan.models, 0, random);
    if (drawn != nullptr) use_.model = drawn->name;
  }
  request.model = use_.model;
}

void Slot::add_settings(LlmRequest& request) const {
  const auto& settings = parts_.island.models.settings;
  auto given = settings.find(request.model);
  if (given == settings.end()) given = settings.find("");
  if (given != settings.end()) {
    request.settings.insert(given->second.begin(), given->second.end());
  }
}

/// A repeated prompt has the hint of the first.
void Slot::draw_hint(RandomStream& random) {
  hint_ = first_ != nullptr ? first_->hint_ : parts_.plan.hints->draw(random);
  use_.hint = hint_->id;
}

Result<void> Slot::ask_edit(const std::string& model) {
  HintPool& pool = *parts_.plan.hints;
  LlmRequest request = pool.editor().request(*hint_, pool.credit(*hint_));
  request.model = model;
  editing_ = true;
  return send(std::move(request), [this](const Exchange& exchange) -> Result<void> {
    hint_edit_ = parts_.plan.hints->editor().read(exchange);
    editing_ = false;
    return {};
  });
}

Result<void> Slot::send(LlmRequest request, Dispatcher::OnExchange then) {
  draw_model(request);
  add_settings(request);
  const ExchangePlace place{candidate_->id, exchanges_++};
  const Digest key = exchange_key(parts_.plan.header, request, place.slot, place.number);
  fact_keys_.push_back(key);
  return parts_.dispatcher.submit(key, request, place,
                                  [this, then = std::move(then)](const Exchange& exchange) {
                                    ++use_.answers;
                                    use_.tokens += exchange.input_tokens + exchange.output_tokens;
                                    use_.dollars += exchange.dollars;
                                    return then(exchange);
                                  });
}

Result<void> Slot::ask_model(Request asking) {
  if (!parts_.dispatcher.has_llm()) {
    no_child({"no_model"});
    return {};
  }
  if (letters_ == op().most_requests()) {
    no_child({"too_many_exchanges"});
    return {};
  }
  ++letters_;
  return send(std::move(asking.request), [this, state = asking.state](const Exchange& exchange) {
    return handle(op().resume(state, exchange, proposal_.parents, context(), random_));
  });
}

Result<void> Slot::try_out(Trial trial) {
  if (trial.kind == TrialKind::time) KE_CHECK(trials_.spent({}) < admitted_);
  return trials_.run(
      std::move(trial.kernel), trial.kind,
      [this, state = std::move(trial.state)](const TrialFacts& facts) {
        return handle(op().resume(state, facts, proposal_.parents, context(), random_));
      });
}

Result<void> Slot::build(HashedKernel made) {
  Kernel& kernel = made.kernel;
  candidate_->genome_hash = made.genome_hash;
  for (const Seed& seed : device().seeds) {
    if (seed.kernel.source == kernel.source) candidate_->space = seed.space;
  }
  for (const Parent& parent : proposal_.parents) {
    if (parent.candidate->kernel.source == kernel.source)
      candidate_->space = parent.candidate->space;
  }
  if (!candidate_->space) {
    auto space = parse_kernel_space(kernel.name, kernel.source);
    if (space) candidate_->space = std::make_shared<const KernelSpace>(*std::move(space));
  }
  candidate_->kernel = std::move(kernel);
  Job job = parts_.jobs.build(candidate_->kernel, candidate_->genome_hash);
  fact_keys_.push_back(job.key);
  return parts_.dispatcher.submit(std::move(job),
                                  [this](const Fact& fact) { return on_build(fact); });
}

Result<void> Slot::on_build(const Fact& fact) {
  Evaluation& evaluation = candidate_->evaluation;
  evaluation.build_hash = fact.build_hash;
  evaluation.measures = fact.measures;
  if (fact.verdict != Verdict::ok) {
    finish(fact);
    return {};
  }
  return screen(0);
}

Result<void> Slot::screen(std::int64_t look) {
  Job job = parts_.jobs.screen(candidate_->kernel, candidate_->evaluation.build_hash, look);
  fact_keys_.push_back(job.key);
  return parts_.dispatcher.submit(std::move(job),
                                  [this, look](const Fact& fact) { return on_screen(fact, look); });
}

Result<void> Slot::on_screen(const Fact& fact, std::int64_t look) {
  const bool again = is_worth_asking_again(fact.verdict);
  if (again && look + 1 < max_screen_looks) return screen(look + 1);
  Evaluation& evaluation = candidate_->evaluation;
  evaluation.measured = is_judged(fact.verdict);
  if (fact.comparison) {
    evaluation.objective = fact.comparison->speedup;
    evaluation.interval = fact.comparison->ci;
    evaluation.floor_share = floor_share(*fact.comparison, device().mean);
  }
  for (const auto& [name, value] : fact.measures) evaluation.measures[name] = value;
  finish(fact);
  return {};
}

void Slot::finish(const Fact& fact) {
  candidate_->evaluation.take(fact);
  ready_ = true;
}

void Slot::no_child(NoChild why) {
  candidate_->outcome = OutcomeKind::no_child;
  candidate_->no_child_reason = std::move(why.reason);
  candidate_->evaluation.message = std::move(why.message);
  ready_ = true;
}

}  // namespace ke
