#include "fitness/gpu/gpu_contents.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "fitness/content/rounding_room.hpp"
#include "fitness/gpu/python_server.hpp"
#include "fitness/host/baseline_layout.hpp"

namespace ke::gpu {
namespace {

constexpr std::int64_t least_elements = std::int64_t{1} << 22;  // fewer take milliseconds on a host
constexpr std::int64_t most_on_host = std::int64_t{1} << 28;
/// The request about a content, whose inputs it puts into the shared memory.
Result<Json> request_for(const Content& content, const DeviceContent& tensors, GpuMemory& memory) {
  const Shapes& shapes = *content.shapes;
  Json request = request_at(*content.task, shapes), offsets = Json::array();
  KE_TRY_VOID(memory.share(tensors.memory, tensors.input_bytes()));
  for (const DeviceContent::Part& input : tensors.inputs) {
    offsets.push_back(input.at - tensors.memory);
  }
  request["offsets"] = offsets;
  request["row"] = shapes.row;
  request["one_scale"] = shapes.one_scale;
  request["least_rms"] = tensors.least_rms;
  return request;
}

}  // namespace

GpuOracle::GpuOracle(const Task& task, std::shared_ptr<const PythonHome> python, int index,
                     GpuMemory& memory)
    : task_(task), python_(std::move(python)), index_(index), memory_(memory) {}

GpuOracle::~GpuOracle() = default;

bool GpuOracle::wants(std::int64_t elements) const {
  if (!python_) return false;
  return elements > (given_up_ ? most_on_host : least_elements);
}

Error GpuOracle::failed(const std::string& why) const {
  return Error{ke::Failure::reference, fmt::format("{}: the reference does not run on GPU {}: {}",
                                                   task_.reference_file, index_, why)};
}

Result<void> GpuOracle::fetch(const char* part, std::size_t output, const DeviceContent::Part& to) {
  for (std::int64_t at = 0; at < to.bytes;) {
    const std::int64_t size = std::min(to.bytes - at, memory_.bytes());
    const Json answer = server_->ask(
        {{"ask", "fetch"}, {"part", part}, {"output", output}, {"from", at}, {"bytes", size}});
    if (answer.contains("failure")) return failed(answer.value("failure", ""));
    KE_TRY_VOID(memory_.fetch(to.at + static_cast<Address>(at), size));
    at += size;
  }
  return {};
}

Result<void> GpuOracle::start() {
  if (server_ && server_->running()) return {};
  KE_TRY(server_, PythonServer::start(*python_, "serve_gpu_reference.py", task_.reference_source,
                                      {{"tensors", baseline_tensors(task_)}}, index_, memory_));
  return {};
}

Result<void> GpuOracle::answer(Content& content, std::span<const double> least_rms) {
  KE_TRY_VOID(start());
  KE_TRY_VOID(server_->ready());
  const Shapes& shapes = *content.shapes;
  KE_TRY(auto tensors, DeviceContent::allocate(memory_.driver(), task_, shapes));
  tensors->least_rms.assign(least_rms.begin(), least_rms.end());
  for (std::size_t t = 0; t < shapes.inputs; ++t) {
    KE_TRY_VOID(tensors->upload(content.inputs[t], tensors->inputs[t]));
    content.inputs[t] = {};
  }
  KE_TRY(Json request, request_for(content, *tensors, memory_));
  request["ask"] = "compute";
  const Json answer = server_->ask(request);
  if (answer.contains("failure")) return failed(answer.value("failure", ""));
  for (std::size_t o = 0; o < tensors->expected.size(); ++o) {
    KE_TRY_VOID(fetch("expected", o, tensors->expected[o]));
    KE_TRY_VOID(fetch("rms", o, tensors->rms[o]));
    KE_TRY_VOID(fetch("clean", o, tensors->clean[o]));
  }
  server_->ask({{"ask", "forget"}});
  for (const Json& one : answer.at("magnitudes")) {
    content.magnitudes.push_back({one.at(0).get<double>(), one.at(1).get<double>()});
    content.drawn_most.push_back(content.magnitudes.back().most);
  }
  for (const Json& one : answer.at("facts")) {
    OutputFacts facts;
    facts.row = shapes.row;
    facts.unit = one.at("unit").get<double>();
    facts.sum_squares = one.at("sum_squares").get<double>();
    facts.largest = one.at("largest").get<double>();
    facts.row_rms = one.at("row_rms").get<std::vector<double>>();
    content.facts.push_back(std::move(facts));
  }
  content.expected.resize(content.facts.size());
  content.integers.resize(content.facts.size());
  content.on_device = std::move(tensors);
  return {};
}

Result<bool> GpuOracle::measure_room(const Content& content) {
  auto& tensors = static_cast<DeviceContent&>(*content.on_device);
  tensors.room_squares.assign(content.facts.size(), 0.0);  // tried once
  const Shapes& shapes = *content.shapes;
  const double scale = shapes.tolerance_factor * task_.tolerance.scale;
  if (scale <= 0 || !server_ || !server_->running()) return false;
  const RoomRule rule = room_rule(task_, shapes);
  KE_TRY(Json request, request_for(content, tensors, memory_));
  request.update({{"ask", "widen"},
                  {"scale", scale},
                  {"draws", rule.draws},
                  {"far_smaller_draws", rule.far_smaller_draws},
                  {"far_smaller", rule.far_smaller},
                  {"proportional", rule.proportional},
                  {"of_formula", rule.of_formula},
                  {"least_looked_at", rule.least_looked_at},
                  {"measured", rule.measured},
                  {"factor", rule.factor},
                  {"single", rule.single}});
  const Json answer = server_->ask(request);
  if (answer.contains("failure")) return false;
  for (std::size_t o = 0; o < tensors.rms.size(); ++o) {
    KE_TRY_VOID(fetch("rms", o, tensors.rms[o]));
  }
  server_->ask({{"ask", "forget"}});
  tensors.room_squares = answer.at("squares").get<std::vector<double>>();
  return true;
}

namespace {

constexpr std::int64_t small_elements = 1 << 18;
constexpr std::int64_t large_elements = 48 << 20;
constexpr std::int64_t large_on_device = std::int64_t{1} << 28;

PoolOptions options_for(std::int64_t elements, bool plain) {
  PoolOptions options{.entries = 3, .cases = {}, .unchanging_anew = true};
  if (plain) options = {.entries = 2, .cases = {0}, .twins = 1};
  if (plain && elements > small_elements) options.twins = 0;
  if (elements > large_elements) options.entries = 1;
  return options;
}

std::size_t entries_on_device(std::int64_t elements, bool plain) {
  return plain && elements <= large_on_device ? 2 : 1;
}

/// There is one content that is not plain, of a random class but the first.
PoolOptions options_on_device(const Task& task, std::int64_t elements, bool plain,
                              DeviceOracle& oracle, SecretRandom& random) {
  PoolOptions options{.entries = entries_on_device(elements, plain), .cases = {0}};
  if (!plain) {
    const std::size_t others = ContentPool::cases(task) - 1;
    const bool varies = others == 0 || random.below(2) == 0;
    options.cases = {varies ? varied_case : 1 + random.below(others)};
    options.unchanging_anew = true;
  }
  options.device = &oracle;
  return options;
}

}  // namespace

GpuContents::~GpuContents() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

std::int64_t GpuContents::elements(const Shapes& shapes) {
  std::int64_t sum = 0;
  for (const TensorShape& tensor : shapes.tensors) sum += tensor.elements;
  return sum;
}

bool GpuContents::small(const Shapes& shapes) { return elements(shapes) <= small_elements; }

void GpuContents::add_large(Role role) {
  for (const Workload& workload : task_.workloads) {
    const auto shapes = resolve_shapes(task_, workload);
    const bool is_large = shapes && !small(*shapes);
    if (workload.role == role && is_large && !on_device(*shapes)) slot(workload, true);
  }
}

void GpuContents::draw_ahead(unsigned threads) {
  const std::lock_guard lock(mutex_);
  for (const Role role : {Role::bench, Role::test, Role::validation, Role::holdout}) {
    add_large(role);
  }
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { draw_waiting(); });
}

GpuContents::Drawn& GpuContents::slot(const Workload& workload, bool plain) {
  const auto known = std::ranges::find_if(drawn_, [&](const Drawn& one) {
    return one.workload->label == workload.label && one.plain == plain;
  });
  if (known != drawn_.end()) return *known;
  return drawn_.emplace_back(&workload, plain);
}

void GpuContents::draw(Drawn& drawn) const {
  auto random = SecretRandom::from_system();
  if (!random) {
    drawn.error = random.error();
    return;
  }
  drawn.random.emplace(*std::move(random));
  const auto shapes = resolve_shapes(task_, *drawn.workload);
  if (!shapes) {
    drawn.error = shapes.error();
    return;
  }
  const std::int64_t size = elements(*shapes);
  const bool there = drawn.on_device > 0;
  const PoolOptions options =
      there ? options_on_device(task_, size, drawn.plain, *device_.oracle, *drawn.random)
            : options_for(size, drawn.plain);
  auto pool = ContentPool::create(task_, *drawn.workload, reference_, *drawn.random, options);
  if (!pool && there) {
    device_.oracle->give_up();
    if (on_device(*shapes)) {  // too large for the host
      drawn.error = pool.error();
      return;
    }
    drawn.on_device = 0;
    return draw(drawn);
  }
  if (pool)
    drawn.pool = std::make_unique<ContentPool>(*std::move(pool));
  else
    drawn.error = pool.error();
}

bool GpuContents::on_device(const Shapes& shapes) const {
  return device_.oracle != nullptr && device_.oracle->wants(elements(shapes));
}

void GpuContents::make_room(std::int64_t bytes) {
  for (;;) {
    std::int64_t sum = bytes;
    auto oldest = drawn_.end();
    for (auto one = drawn_.begin(); one != drawn_.end(); ++one) {
      if (one->on_device == 0 || one->pool == nullptr) continue;
      sum += one->on_device;
      if (oldest == drawn_.end() || one->used < oldest->used) oldest = one;
    }
    if (sum <= device_.bytes || oldest == drawn_.end()) return;
    drawn_.erase(oldest);
  }
}

void GpuContents::finish(Drawn& drawn, std::unique_lock<std::mutex>& lock) {
  drawn.state = Drawn::State::drawing;
  lock.unlock();
  draw(drawn);
  lock.lock();
  drawn.state = Drawn::State::done;
  done_.notify_all();
}

void GpuContents::draw_waiting() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    const auto next = std::ranges::find(drawn_, Drawn::State::waiting, &Drawn::state);
    if (next == drawn_.end()) return;
    finish(*next, lock);
  }
}

Result<ContentPool> GpuContents::passing(const Workload& workload) const {
  return ContentPool::of_one_case(task_, workload, reference_, random_);
}

Result<ContentPool> GpuContents::passing_all(const Workload& workload) const {
  return ContentPool::create(task_, workload, reference_, random_,
                             {.entries = 1, .cases = {}, .unchanging_anew = true});
}

Result<ContentPool*> GpuContents::pool(const Workload& workload, bool plain) {
  std::unique_lock lock(mutex_);
  Drawn& drawn = slot(workload, plain);
  drawn.used = ++asked_;
  if (drawn.state == Drawn::State::waiting) {
    KE_TRY(const Shapes shapes, resolve_shapes(task_, workload));
    if (on_device(shapes)) {
      const std::size_t entries = entries_on_device(elements(shapes), plain);
      drawn.on_device = static_cast<std::int64_t>(entries) * DeviceContent::bytes_of(task_, shapes);
      make_room(drawn.on_device);
    }
    finish(drawn, lock);
  }
  done_.wait(lock, [&] { return drawn.state == Drawn::State::done; });
  if (drawn.error) return *drawn.error;
  return drawn.pool.get();
}

}  // namespace ke::gpu
