// What the run found, how sure that is, how it came about and what it took.
import {button, make, section, table} from "../dom.js";
import {duration, figure as number, fixed, integer, interval, percent, plain, times} from "../format.js";
import {bestSoFar} from "./progress.js";

const ROLES = ["bench", "validation", "holdout"];
const known = (figure) => figure.speedup > 0;

/// The figure that counts: against the fastest opponent, at the shapes of a role. Forms in TF32 are less accurate than the task's float32.
export function headline(figures, role) {
  const least = (some) => some.filter((one) => one.role === role && known(one)).reduce((least, one) => (!least || one.speedup < least.speedup ? one : least), null);
  return least(figures.filter((one) => !one.baseline.endsWith("tf32"))) ?? least(figures);
}

/// How sure a speedup is, in words.
function surely(figure) {
  const range = `95 % sure within ${interval(figure.low, figure.high)}`;
  return figure.low <= 1 && figure.high >= 1 ? `${range}, so the two cannot be told apart` : range;
}

/// The step of the champion's line that gained most, with what changed and what a model was told and said.
function largestStep(run, open) {
  const asked = (row) => (run.letters(row).length ? [", ", button("the letter", () => open(run, row, "Letter")), ", ", button("the answer", () => open(run, row, "Answer"))] : "");
  if (run.bestParent(run.champion) < 0) {
    return run.letters(run.champion).length ? [" It has no parent, one answer wrote it whole: ", button("its source", () => open(run, run.champion)), asked(run.champion), "."] : null;
  }
  const best = run.line(run.champion).slice(1).reduce((most, row) => (most === null || run.gain(row) > run.gain(most) ? row : most), null);
  if (best === null || !(run.gain(best) > (run.speedups ? 1 : 0))) return null;
  const parent = run.bestParent(best), gain = run.speedups ? times(run.gain(best)) : `+${number(run.gain(best), 3)}`;
  return [" The largest step of its line, ", make("b", gain), " over ", run.id(parent), ", was ", make("b", run.operator(best)), " in ", button(run.id(best), () => open(run, best)), ": ",
    button("what changed", () => open(run, best, "Changes from")), asked(best), "."];
}

function statement(run, open) {
  const {summary} = run, best = headline(run.verified, "bench");
  if (run.numeric) {
    return make("p.statement", "Highest objective ", make("b", fixed(summary.max, 3)), " in ", integer(summary.filled), " filled cells after ",
      integer(summary.evaluations), " evaluations.");
  }
  if (!summary.champion) {
    const worst = summary.failure_reasons[0];
    return make("p.statement", summary.proposals ? "No kernel passed every check" : "Nothing was proposed", summary.state === "running" ? " yet." : ".",
      worst ? [" Most often: ", make("b", plain(worst.verdict)), worst.reason ? ` (${plain(worst.reason)})` : "", `, ${integer(worst.count)} of ${integer(summary.proposals)} proposals`, worst.message ? [": ", make("code", worst.message)] : "."] : "");
  }
  const name = button(summary.champion.id, () => open(run, run.champion));
  const found = [" Kernel ", name, ", proposed by ", make("b", summary.champion.operator),
    run.champion >= 0 ? `, is evaluation ${integer(run.evaluations[run.champion])} of ${integer(summary.evaluations)}.` : ".", run.champion >= 0 ? largestStep(run, open) : ""];
  if (best) {
    const unseen = run.verified.find((figure) => figure.role === "holdout" && figure.baseline === best.baseline && known(figure));
    return make("p.statement", "The champion is ", make("b", times(best.speedup)), " as fast as ", make("b", plain(best.baseline)),
      best.baseline === "anchor" ? " (the kernel that the search is measured against)" : "",
      `, the fastest opponent over the bench shapes together${unresolved(run)}, measured afresh after it was chosen: ${surely(best)}.`,
      unseen ? [" At holdout shapes, by which nothing was selected, it is ", make(unseen.high < 1 ? "b.lost" : "b", times(unseen.speedup)), ` as fast: ${surely(unseen)}.`] : "", losses(run), found);
  }
  const seen = summary.champion.seen.speedup ?? run.objective(run.champion), [low, high] = summary.champion.seen.ci ?? [], {against} = summary.champion.seen;
  return make("p.statement", summary.state === "done" ? "Best kernel: " : "Best kernel so far: ", make("b", run.speedups ? times(seen) : fixed(seen, 4)),
    low === high ? "" : ` ${interval(low, high)}`, run.speedups ? ` against ${against === "anchor" ? run.anchor : plain(against)}, as seen during the search.` : ".", found);
}

/// The opponents that the first sentence cannot rank.
function unresolved(run) {
  const names = run.verified.filter((one) => one.role === "bench" && !known(one)).map((one) => plain(one.baseline));
  return names.length ? ` (without ${names.join(", ")}, whose figure is not resolved)` : "";
}

/// Where the champion is slower than an opponent, in words.
function losses(run) {
  const all = run.verified.flatMap((one) => one.workloads.map((w) => [w, one])), lost = all.filter(([w]) => w.high < 1);
  if (!all.length) return "";
  if (!lost.length) return " No opponent is faster at any shape.";
  const places = [...new Set(lost.map(([w]) => w.name))], opponents = [...new Set(lost.map(([, one]) => plain(one.baseline)))];
  return ` It is slower than ${opponents.join(", ")} at ${places.length > 3 ? `${integer(places.length)} shapes, in red below` : places.join("; ")}.`;
}

/// With what it was found, and what that took.
function facts(run) {
  const s = run.summary, {bill} = s, e = run.raw.evaluator, device = run.raw.progress.device_seconds?.at(-1);
  const limits = ["budget.evaluations", "budget.asks", "budget.proposals", "llm.budget.tokens", "llm.budget.dollars"].map((key) => [key.split(".").at(-1), run.config(key)])
    .filter(([, limit]) => limit > 0).map(([key, limit]) => `${Number.isInteger(+limit) ? integer(limit) : number(+limit, 3)} ${key}`);
  const model = [...Object.keys(bill?.models ?? {}), run.config("llm.model")].find(Boolean);
  const list = [["device", e.device_class || e.kind], ["model", bill && (model || "not named")], ["budget", limits.join(", ")], ["state", s.stop ? `${s.state}: ${s.stop}` : s.state],
    ["evaluations", integer(s.evaluations)], ["answers", bill && `${integer(bill.answers)}, ${integer(bill.kernels)} with a kernel`],
    ["tokens", bill && (bill.input_tokens + bill.output_tokens > 0 ? integer(bill.input_tokens + bill.output_tokens) : "not recorded")], ["dollars", bill && (bill.dollars > 0 ? number(bill.dollars, 3) : "not recorded")],
    ["device time", device && duration(device)], ["wall time", duration(s.elapsed_s)], ["history", make("code", s.history_hash.slice(0, 12))]].filter(([, value]) => value);
  return make("dl.facts", list.map(([name, value]) => make("div", make("dt", name), make("dd", value))));
}

const kind = (low, high) => (high < 1 ? "b.lost" : low > 1 ? "b" : "span");

/// Time of the champion, then its speedup over each opponent, by role and shape.
function verifiedTable(run) {
  const baselines = [...new Set(run.verified.map((figure) => figure.baseline))], of = (role, baseline) => run.verified.find((one) => one.role === role && one.baseline === baseline);
  const speedup = (one, note) => (one && known(one) ? [make(kind(one.low, one.high), times(one.speedup)), " ", make("span.interval", interval(one.low, one.high)), note ? make("span.note", ` ${note}`) : ""] : one?.note || "–");
  const rows = ROLES.filter((role) => run.verified.some((one) => one.role === role)).flatMap((role) => {
    const names = [...new Set(run.verified.filter((one) => one.role === role).flatMap((one) => one.workloads.map((w) => w.name)))];
    const whole = [make("b", role), "", ...baselines.map((baseline) => speedup(of(role, baseline), of(role, baseline)?.note)), ""];
    return [names.length === 1 ? null : whole, ...names.map((name) => {
      const own = baselines.map((baseline) => of(role, baseline)?.workloads.find((w) => w.name === name)), first = own.find(Boolean);
      return [[names.length === 1 ? make("b", `${role} `) : "", name], duration(first.candidate_ns / 1e9), ...own.map((w) => speedup(w, w && duration(w.opponent_ns / 1e9))),
        first.floor_ns ? percent(first.floor_ns / first.candidate_ns) : "–"];
    })].filter(Boolean);
  });
  return table([["shape", ""], ["champion", "number"], ...baselines.map((name) => [`over ${plain(name)}`, "number"]), ["of the floor", "number"]], rows,
    "Champion and opponents, measured again in fresh processes: median time of a call, speedup with its 95 % interval, the opponent's time. The champion's time is that beside the first opponent; each speedup is of calls side by side, between which and others the machine's clock may change, so times need not divide to it. Red: slower than the opponent. The floor is the time that memory traffic and arithmetic need at least. Holdout shapes were read once, after the choice.");
}

/// Other kernels that were measured afresh: the best elites of the archive.
function otherElites(run, open) {
  const own = run.raw.verified.filter((one) => one.id !== run.summary.champion?.id && known(one));
  if (!own.length) return "";
  const rows = own.map((one) => [button(run.id(one.candidate), () => open(run, one.candidate)), plain(one.baseline), one.role,
    make(kind(one.low, one.high), times(one.speedup)), make("span.interval", interval(one.low, one.high)), one.note]);
  return make("details", make("summary", `Other elites, verified (${integer(own.length)})`),
    table([["kernel", ""], ["against", ""], ["role", ""], ["speedup", "number"], ["95 % interval", "number"], ["note", ""]], rows));
}

export function result(run, open) {
  const node = section("result", "Result");
  node.append(statement(run, open), facts(run));
  if (run.verified.length) node.append(verifiedTable(run));
  if (run.raw.progress.best.some((value) => value !== null)) node.append(bestSoFar(run, open));
  if (run.count > 0) node.append(otherElites(run, open));
  for (const one of run.raw.not_promoted) node.append(make("p.note", `Kernel ${one.id} was not promoted: ${one.finding}`));
  return node;
}
