#include "fitness/gpu/gpu_oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fitness/content/rounding_room.hpp"

namespace ke::gpu {
namespace {

constexpr std::int64_t least_elements = std::int64_t{1} << 22;  // fewer take milliseconds on a host
constexpr std::int64_t most_on_host = std::int64_t{1} << 28;

}  // namespace

bool GpuOracle::wants(std::int64_t elements) const {
  return server_.possible() && elements > (given_up_ ? most_on_host : least_elements);
}

Result<Json> GpuOracle::request_for(const Content& content, const DeviceContent& tensors) {
  const Shapes& shapes = *content.shapes;
  Json request = server_.request_at(shapes), offsets = Json::array();
  KE_TRY_VOID(memory_.share(tensors.memory, tensors.input_bytes()));
  for (const DeviceContent::Part& input : tensors.inputs) {
    offsets.push_back(input.at - tensors.memory);
  }
  request["offsets"] = offsets;
  request["row"] = shapes.row;
  request["one_scale"] = shapes.one_scale;
  request["least_rms"] = tensors.least_rms;
  return request;
}

Error GpuOracle::failed(const std::string& why) const {
  return Error{ke::Failure::reference, fmt::format("{}: the reference does not run on GPU {}: {}",
                                                   task_.reference_file, index_, why)};
}

Result<void> GpuOracle::fetch(const char* part, std::size_t output, const DeviceContent::Part& to) {
  for (std::int64_t at = 0; at < to.bytes;) {
    const std::int64_t size = std::min(to.bytes - at, memory_.bytes());
    const Json answer = server_.ask(
        {{"ask", "fetch"}, {"part", part}, {"output", output}, {"from", at}, {"bytes", size}});
    if (answer.contains("failure")) return failed(answer.value("failure", ""));
    KE_TRY_VOID(memory_.fetch(to.at + static_cast<Address>(at), size));
    at += size;
  }
  return {};
}

Result<void> GpuOracle::answer(Content& content, std::span<const double> least_rms) {
  KE_TRY_VOID(start());
  KE_TRY_VOID(server_.ready());
  const Shapes& shapes = *content.shapes;
  KE_TRY(auto tensors, DeviceContent::allocate(memory_.driver(), task_, shapes));
  tensors->least_rms.assign(least_rms.begin(), least_rms.end());
  for (std::size_t t = 0; t < shapes.inputs; ++t) {
    KE_TRY_VOID(tensors->upload(content.inputs[t], tensors->inputs[t]));
    content.inputs[t] = {};
  }
  KE_TRY(Json request, request_for(content, *tensors));
  request["ask"] = "compute";
  const Json answer = server_.ask(request);
  if (answer.contains("failure")) return failed(answer.value("failure", ""));
  for (std::size_t o = 0; o < tensors->expected.size(); ++o) {
    KE_TRY_VOID(fetch("expected", o, tensors->expected[o]));
    KE_TRY_VOID(fetch("rms", o, tensors->rms[o]));
    KE_TRY_VOID(fetch("clean", o, tensors->clean[o]));
  }
  server_.ask({{"ask", "forget"}});
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
  if (scale <= 0 || !server_.running()) return false;
  const RoomRule rule = room_rule(task_, shapes);
  KE_TRY(Json request, request_for(content, tensors));
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
  const Json answer = server_.ask(request);
  if (answer.contains("failure")) return false;
  for (std::size_t o = 0; o < tensors.rms.size(); ++o) {
    KE_TRY_VOID(fetch("rms", o, tensors.rms[o]));
  }
  server_.ask({{"ask", "forget"}});
  tensors.room_squares = answer.at("squares").get<std::vector<double>>();
  return true;
}

}  // namespace ke::gpu
