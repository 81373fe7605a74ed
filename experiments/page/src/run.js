// A run of the report's data, with the questions that panels ask of it.

const grouped = (keys, count) => {
  const starts = new Int32Array(count + 1);
  for (const key of keys) starts[key + 1]++;
  for (let i = 0; i < count; i++) starts[i + 1] += starts[i];
  const next = starts.slice(), order = new Int32Array(keys.length);
  keys.forEach((key, place) => { order[next[key]++] = place; });
  return (key) => order.subarray(starts[key], starts[key + 1]);
};

const named = (column) => (row) => column.names[column.rows[row]];

export class Run {
  constructor(raw, arm) {
    this.raw = raw;
    this.arm = arm;
    this.summary = raw.summary;
    this.numeric = raw.summary.max !== undefined;
    this.speedups = !this.numeric && raw.evaluator.kind !== "function";
    const stand_in = raw.summary.labels?.anchor;
    this.anchor = stand_in ? stand_in.replaceAll("_", " ") : "the anchor";
    this.unit = this.speedups ? `speedup over ${this.anchor}` : "objective";
    const c = raw.candidates;
    this.count = c ? c.step.length : 0;
    this.champion = -1;
    this.seen = this.numeric ? raw.summary.max : raw.progress.best.at(-1) ?? null;
    this.verified = raw.verified.filter((figure) => figure.id === raw.summary.champion?.id);
    this.lettersOf = new Map();
    for (const one of raw.letters ?? []) this.lettersOf.set(one.candidate, [...(this.lettersOf.get(one.candidate) ?? []), one]);
    if (!c) return;
    this.operator = named(c.operator);
    this.outcome = named(c.outcome);
    this.verdict = named(c.verdict);
    this.kernelName = named(c.name);
    this.role = named(raw.parents.role);
    this.linksUp = grouped(raw.parents.child, this.count);
    this.linksDown = grouped(raw.parents.parent, this.count);
    this.status = named(raw.events.status);
    this.decision = named(raw.events.decision);
    this.evaluations = new Int32Array(this.count);
    let measured = 0;
    for (let i = 0; i < this.count; i++) this.evaluations[i] = (measured += c.measured[i]);
    this.champion = this.summary.champion ? this.find(this.summary.champion.id) : -1;
  }

  id(row) {
    const c = this.raw.candidates;
    return `${c.step[row]}.${c.island[row]}.${c.slot[row]}`;
  }
  find(id) {
    const [step, island, slot] = id.split(".").map(Number), c = this.raw.candidates;
    for (let i = 0; i < this.count; i++) {
      if (c.step[i] === step && c.island[i] === island && c.slot[i] === slot) return i;
    }
    return -1;
  }
  objective(row) { return this.raw.candidates.objective[row]; }
  low(row) { return this.raw.candidates.low?.[row] ?? null; }
  high(row) { return this.raw.candidates.high?.[row] ?? null; }

  /// [{row, role}] in the operator's order.
  parents(row) {
    return Array.from(this.linksUp(row), (link) => ({row: this.raw.parents.parent[link], role: this.role(link)}));
  }
  /// Rows of which this one is a parent or inspiration.
  children(row) {
    return [...new Set(Array.from(this.linksDown(row), (link) => this.raw.parents.child[link]))];
  }
  /// The best ok parent, else the best ok inspiration; -1 = none.
  bestParent(row) {
    const best = (role) => this.parents(row).filter((one) => one.role === role && this.objective(one.row) !== null)
      .reduce((most, one) => (most < 0 || this.objective(one.row) > this.objective(most) ? one.row : most), -1);
    const parent = best("parent");
    return parent >= 0 ? parent : best("inspiration");
  }
  /// The line of best parents from the first ancestor to a row.
  line(row) {
    const rows = [];
    for (let at = row; at >= 0 && !rows.includes(at); at = this.bestParent(at)) rows.unshift(at);
    return rows;
  }
  /// Time of a call as the search saw it: geometric mean over the bench shapes; undefined where none was timed.
  ns(row) {
    if (!this.times) {
      const seen = this.raw.roofline?.seen ?? {candidate: []}, logs = new Map();
      seen.candidate.forEach((one, i) => { if (this.raw.roofline.workloads[seen.workload[i]].role === "bench") logs.set(one, [...(logs.get(one) ?? []), Math.log(seen.ns[i])]); });
      this.times = new Map([...logs].map(([one, own]) => [one, Math.exp(own.reduce((a, b) => a + b) / own.length)]));
    }
    return this.times.get(row);
  }
  /// The first line of what was found wrong with a row.
  message(row) {
    const remark = this.raw.remarks?.[row], [, , , , said] = remark?.diagnostics?.find((one) => one[3] === "error") ?? [];
    return (said ?? remark?.message ?? "").split("\n")[0].slice(0, 300);
  }
  /// Exchanges with a model that led to a row.
  letters(row) { return this.lettersOf.get(row) ?? []; }
  /// A line of the experiment, which holds all defaults, or a limit that may change when a run is resumed.
  config(key) { return this.raw.kept_options[key] ?? this.raw.config.match(new RegExp(`^${key.replaceAll(".", "\\.")} = (.+)$`, "m"))?.[1]; }
  /// What a row gained over its best parent: a ratio of speedups, or a difference; null without one.
  gain(row) {
    const parent = this.bestParent(row), value = this.objective(row);
    if (parent < 0 || value === null) return null;
    return this.gainOver(row, parent);
  }
  gainOver(row, parent) {
    const value = this.objective(row), before = this.objective(parent);
    if (value === null || before === null) return null;
    return this.speedups ? (before > 0 ? value / before : null) : value - before;
  }

  kernel(row) {
    const genome = this.raw.candidates.genome[row], k = this.raw.kernels;
    if (genome < 0) return null;
    const knobs = {};
    for (const [name, column] of Object.entries(k.knobs)) {
      if (column.rows[genome] >= 0) knobs[name] = column.names[column.rows[genome]];
    }
    return {
      name: this.kernelName(row), language: k.language.names[k.language.rows[genome]], source: k.sources[k.source[genome]],
      knobs, flags: k.flags.lists[k.flags.rows[genome]].filter((flag) => flag !== ""), launchPlan: k.launch_plan.names[k.launch_plan.rows[genome]],
    };
  }
  /// Knobs and flags above the source, as `kernelevolve diff` compares kernels.
  text(row) {
    const kernel = this.kernel(row);
    if (!kernel) return "";
    const knobs = Object.keys(kernel.knobs).sort().map((name) => `// knob ${name} = ${kernel.knobs[name]}\n`);
    return knobs.join("") + kernel.flags.map((flag) => `// flag ${flag}\n`).join("") + kernel.source;
  }
  /// The seed with the row's source, else its oldest ancestor along first parents.
  seed(row) {
    const c = this.raw.candidates, k = this.raw.kernels;
    const source = (i) => (c.genome[i] < 0 ? -1 : k.source[c.genome[i]]);
    for (let i = 0; i < row; i++) {
      if (this.operator(i) === "seed_source" && source(i) >= 0 && source(i) === source(row)) return i;
    }
    let at = row;
    for (let up = this.parents(at); up.length && up[0].row < at; up = this.parents(at)) at = up[0].row;
    return at;
  }

  /// cell -> row of the elites of an island (-1: the common archive) after a step.
  elites(island, stepIndex) {
    const e = this.raw.events, cells = new Map();
    for (const i of this.changes(island)) {
      if (e.step_index[i] > stepIndex) break;
      cells.set(e.cell[i], e.challenger[i]);
    }
    return cells;
  }
  /// Events that changed an elite of an island.
  changes(island) {
    if (!this.changesOf) {
      this.changesOf = new Map();
      this.raw.events.island.forEach((one, i) => {
        const status = this.status(i);
        if (status !== "new_cell" && status !== "improved") return;
        if (!this.changesOf.has(one)) this.changesOf.set(one, []);
        this.changesOf.get(one).push(i);
      });
    }
    return this.changesOf.get(island) ?? [];
  }
  /// Archive events in which a row was the challenger.
  eventsOf(row) {
    const e = this.raw.events, list = [];
    for (let i = 0; i < e.cell.length; i++) {
      if (e.challenger[i] === row) {
        list.push({island: e.island[i], cell: e.cell[i], status: this.status(i), decision: this.decision(i),
          incumbent: e.incumbent[i], low: e.low[i], high: e.high[i]});
      }
    }
    return list;
  }
  islands() {
    return [...new Set(this.raw.candidates?.island ?? [])].sort((a, b) => a - b);
  }
  axes(island) {
    const axes = this.raw.axes;
    return island < 0 ? axes.common : axes.island.length ? axes.island : [];
  }
  get stepCount() { return this.summary.steps; }
}
