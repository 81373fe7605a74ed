#include "experiments/view/report/data/run_data.hpp"

#include "archive/run_rows.hpp"
#include "experiments/view/report/data/archive_columns.hpp"
#include "experiments/view/report/data/candidate_columns.hpp"
#include "experiments/view/report/data/credit.hpp"
#include "experiments/view/report/data/diversity.hpp"
#include "experiments/view/report/data/funnel.hpp"
#include "experiments/view/report/data/jobs.hpp"
#include "experiments/view/report/data/progress_columns.hpp"
#include "experiments/view/report/data/provenance.hpp"
#include "experiments/view/report/data/roofline.hpp"
#include "experiments/view/report/json_number.hpp"
#include "experiments/view/report/run_json.hpp"

namespace ke {
namespace {

Json evaluator_json(const EvaluatorRow& e) {
  return {{"kind", e.kind},
          {"device_class", e.device_class},
          {"toolchain", e.toolchain},
          {"protocol_version", e.protocol_version},
          {"noisy", e.noisy}};
}

Json stopped_json(const std::vector<StoppedPromotion>& stopped) {
  return column(stopped, [](const StoppedPromotion& s) {
    return Json{{"id", s.id.text()}, {"finding", s.finding}};
  });
}

void add_kernels(const RunRows& rows, Json& json) {
  json["candidates"] = candidate_columns(rows);
  json["parents"] = parent_columns(rows);
  json["kernels"] = kernel_columns(rows);
  json["remarks"] = remark_rows(rows);
  json["events"] = event_columns(rows);
  json["numeric_elites"] = column(rows.numeric_elites, [](const NumericEliteRow& e) {
    return Json{e.cell, number(e.objective)};
  });
  json["jobs"] = job_columns(rows);
  json["roofline"] = roofline_json(rows.roofline);
}

void add_counts(const RunRows& rows, Json& json) {
  json["evaluator"] = evaluator_json(rows.evaluator);
  json["credit"] = credit_json(credit_by_operator(rows));
  json["model_credit"] = credit_json(credit_by_model(rows));
  json["models"] = model_rows(rows);
  json["funnel"] = funnel_json(rows);
  json["migrations"] = migration_rows(rows);
  json["costs"] = cost_rows(rows);
  json["noise"] = noise_rows(rows);
}

}  // namespace

Result<Json> run_data(const RunReader& reader, bool kernels) {
  KE_TRY(const RunRows rows, read_rows(reader));
  KE_TRY(const RunSummary summary, summarise(reader));
  KE_TRY(const auto island_axes, reader.axes("island"));
  KE_TRY(const auto common_axes, reader.axes("passive"));
  Json json = {{"summary", json_of(summary)}};
  json["config"] = summary.header.config_text;
  json["not_promoted"] = stopped_json(summary.stopped);
  json["axes"] = {{"island", axes_json(island_axes)}, {"common", axes_json(common_axes)}};
  KE_TRY(json["sessions"], session_rows(reader));
  KE_TRY(json["verified"], verified_rows(reader, rows));
  KE_TRY(json["progress"], progress_columns(reader, rows));
  json["diversity"] = diversity_columns(rows, common_axes);
  add_counts(rows, json);
  if (kernels) add_kernels(rows, json);
  return json;
}

}  // namespace ke
