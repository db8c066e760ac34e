// The cards of all pages, in their order. A card is an entry: `{id, title, note, table}`, and
//
//   show: how, one of SHOWS; without it as a table
//   columns, wide: see columnsOf and wideColumns; without them all columns of the table
//   where(row, at, rows): which rows; sort: the column sorted by, with `-` the largest first
//   first: so many rows at first; folds: see makeCard; also: other tables that it shows
//
// Or an entry is a section with several cards: `{id, title, cards}`.

const KIND_COLORS = { compute: "var(--compute)", communication: "var(--communication)", memory: "var(--memory)" };

const IDLE_LOOKS = {
  host: { title: "Host", color: "var(--idle)" },
  synchronization: { title: "Synchronization", color: "var(--communication)" },
  copy: { title: "Copies", color: "var(--memory)" },
  launch: { title: "Launch", color: "var(--compute)" },
  queued: { title: "Queued", color: "light-dark(#59a14f, #6fb865)" },
  untraced: { title: "Untraced", color: "light-dark(#8a63a6, #a98bc4)" },
  unknown: { title: "Unknown", color: REST },
};

const HEALTH_CARD = { id: "trace_health", table: "trace_health", title: "Trace health", note: "what limits the trust in the tables", columns: ["severity", "code", "run", "count", ["effect", { kind: "name" }], "tables"] };

const DEVICES_CARD = { id: "devices", show: "devices", table: "devices", title: "Time breakdown by device", note: "span = compute + exposed communication + exposed memory + idle" };

const ROOFLINE_CARD = { id: "roofline", show: "roofline", table: "roofline", title: "Roofline", note: "achieved operations per second by operations per byte of DRAM; the area is time" };

const EFFICIENCY_CARD = { id: "efficiency", show: "efficiency", table: "efficiency", title: "Parallel efficiency", note: "parallel efficiency = load balance · communication · orchestration" };

const HOW_TO_READ_CARD = { id: "how-to-read", show: "meanings", title: "How to read this page" };

const HEAT_CARDS = {
  steps: { id: "rank_steps_map", show: "heat", table: "rank_steps", title: "Own time of ranks by step", note: "own time of a rank: its span without exposed communication", value: "Own time", orders: ["slowest", "deviation", "rank"] },
  labels: { id: "rank_labels_map", show: "heat", table: "rank_labels", title: "Busy time of ranks by label", note: "of waiting ranks, communication is longer", value: "Busy time", orders: ["deviation", "slowest", "rank"] },
  collectives: { id: "rank_collectives_map", show: "heat", table: "rank_collectives", title: "Waiting of ranks in each collective", note: "a rank that the others wait for waits least itself", value: "Waiting", waits: true, orders: ["deviation", "waits", "rank"] },
};

/** Of tables with a column per rank: the rank's row is the only one. */
const isOnlyDevice = (row) => runs.length > 1 && rowsOf("ranks").filter(({ rank }) => rank === row.rank).length === 1;
/** Rows of the dimension that is chosen, or of all where none can be. */
const inDimension = (row) => state.by === "" || row.dimension === state.by;

/** A value of a GPU metric in the column of its unit, with that unit. */
function metricText(row, which) {
  const value = row[`${which}_${row.unit}`];
  if (missing(value)) return null;
  if (row.unit === "ratio") return percentText(value);
  const signs = { hz: "Hz", bytes_per_s: "B/s" };
  return signs[row.unit] ? inSi(value, signs[row.unit]) : `${shortNumber(value)}${row.unit === "watts" ? " W" : ""}`;
}

/** The columns of metrics over ranks, behind their keys: texts, since each row has its own unit. */
const METRIC_BALANCE_COLUMNS = [
  ["metric", { kind: "name" }],
  "devices",
  ...[["min", "Smallest"], ["mean", "Mean"], ["max", "Largest"]].map(([which, title]) => ({
    name: which,
    title,
    kind: "text",
    hint: "the mean of the samples of a device",
    of: (row) => metricText(row, which),
  })),
  ["min_rank", { title: "Smallest on rank" }],
  ["max_rank", { title: "Largest on rank" }],
];

/** Of the greatest sizes in bytes. */
const MEMORY_COLUMNS = ["source", "memory", "device", ["peak_bytes", { title: "Peak (bytes)", kind: "rate" }], ["peak_reserved_bytes", { title: "Reserved (bytes)", kind: "rate" }]];

const IDLE_CARD = {
  id: "idle",
  show: "idle",
  table: "idle_calls",
  also: ["idle"],
  title: `Why was the ${page.device ?? "GPU"} idle?`,
  note: "idle time by what decided when the next operation began, with the call that was running",
  by: "cause",
  looks: IDLE_LOOKS,
  first: 10,
  sort: "-total_ns",
  columns: [
    { name: "cause", title: "Cause", kind: "text", of: (row) => IDLE_LOOKS[row.cause].title },
    ["api", { kind: "name", title: "Call" }],
    "run", "device", "total_ns", "share", "gaps",
  ],
};

const PHASES_CARD = {
  id: "phases",
  show: "phases",
  table: "phases",
  title: "Phases",
  note: "operations by the annotation that encloses their launch; bars are work, the sum of durations",
  columns: ["phase", "run", "steps", "batch", "tokens", "instances", "wall_median_ns", "wall_p95_ns", "wall_max_ns", "busy_share", "tokens_per_s", "total_ns", "busy_ns"],
};

const STEPS_CARD = { id: "steps", table: "steps", title: "Steps", note: "in the order in which the host began them, with the operations that they launched; bars are work, the sum of durations" };

const FOUND_PHASES_CARD = {
  id: "found_phases",
  table: "found_phases",
  title: "Phases, found from the kernels",
  note: "without annotations, from repeated kernels, labels, copies and gaps",
  where: (row) => !rowsOf("found_agreement").some(({ run }) => run === row.run), // annotated phases say more
  columns: ["phase", "run", "device", "steps", "tokens", "layers", "total_ns", "span_ns", "step_median_ns", "layer_median_ns", "confidence", ["evidence", { kind: "name" }]],
};

const LAYERS_CARD = {
  id: "layers",
  table: "layers",
  title: "Repeated blocks",
  note: "layers of the model, or turns of another loop",
  columns: ["run", "device", "level", "repeats", "period", "mean_ns", "total_ns", ["evidence", { kind: "name" }]],
};

const CARDS = {
  /** Of `kr report` and, with all sections, of `kr analyze`: a card is there if its table is. */
  report: [
    { id: "devices", title: "Devices", cards: [DEVICES_CARD] },
    { id: "timeline", title: "Timeline", cards: [{ id: "timeline", show: "timeline" }] },
    { id: "steps", title: "Steps", cards: [PHASES_CARD, { ...STEPS_CARD, show: "step_table", folds: LARGE }, { ...FOUND_PHASES_CARD, folds: LARGE }, { ...LAYERS_CARD, folds: 0 }] },
    { id: "labels", title: "Labels", cards: [{ id: "chart-card", show: "chart", table: "labels" }, { id: "labels", show: "pivot", table: "labels" }] },
    {
      id: "kernels",
      title: "Kernels",
      cards: [
        { id: "kernels", show: "kernels", table: "kernels" },
        {
          id: "kernel_balance",
          table: "kernel_balance",
          title: "Kernels of all ranks",
          sort: "-busy_ns",
          folds: 0,
          columns: [["name", { kind: "name" }], "instances", "busy_ns", "share", "mean_ns", "max_ns", "max_over_mean", ["max_rank", { title: "Max on rank" }]],
        },
        {
          id: "kernels_by_device",
          table: "kernels_by_device",
          title: "Kernels by device",
          note: "one row per name and device",
          sort: "-total_ns",
          folds: LARGE,
          columns: [
            ["name", { kind: "name", swatch: (row) => KIND_COLORS[row.kind] || REST }],
            "kind", "run", "device", "instances", "total_ns", "share", "mean_ns", ["stddev_ns", { title: "Deviation" }], "min_ns", "max_ns",
          ],
        },
        {
          id: "activity",
          table: "activity",
          title: "Activity summary",
          note: "with the longest operations of each type",
          columns: ["type", "run", "instances", "total_ns", "mean_ns", "min_ns", "max_ns"],
          wide: { table: "activity_longest", by: "percent", keys: ["run", "type"], values: ["total_ns", "share", "mean_ns"], where: (row) => row.instances > 0, name: (percent) => `longest ${percent} %` },
        },
        {
          id: "activity_ratios",
          table: "activity_ratios",
          title: "Activity ratios",
          note: "mean duration of the second divided by that of the first",
          where: (row) => row.percent === 100,
          columns: [
            { name: "a", title: "First", kind: "text", of: (row) => sideName(row.run_a, row.type_a) },
            { name: "b", title: "Second", kind: "text", of: (row) => sideName(row.run_b, row.type_b) },
          ],
          wide: {
            table: "activity_ratios",
            by: "percent",
            keys: ["run_a", "type_a", "run_b", "type_b"],
            values: ["ratio"],
            name: (percent) => (percent === 100 ? "All" : `Longest ${percent} %`),
            falling: true,
          },
        },
        {
          id: "names_only_in",
          table: "names_only_in",
          title: "Kernels that not all runs have",
          sort: "-total_ns",
          columns: [["name", { kind: "name" }], ["run", { title: "Run that has it" }], "instances", "total_ns"],
        },
      ],
    },
    {
      id: "candidates",
      title: "Fusion",
      cards: [
        {
          id: "fusions",
          show: "candidates",
          table: "fusions",
          title: "What could be fused",
          note: "neighbours on a stream that an existing kernel does at once: candidates, by their order alone",
          sort: "-total_ns",
          columns: ["title", "run", "device", "candidates", "per_step", "operations", "total_ns", "share", "gap_ns", ["advice", { kind: "name", title: "Where such a kernel exists" }]],
        },
        {
          id: "overlaps",
          show: "candidates",
          table: "overlaps",
          title: "What could be hidden",
          note: "work that waits for its turn on a stream: candidates, by their order alone",
          sort: "-exposed_ns",
          columns: ["title", "run", "device", "candidates", "operations", "total_ns", "exposed_ns", "share", ["advice", { kind: "name", title: "What could hide it" }]],
        },
        {
          id: "order_kernels",
          table: "order_kernels",
          title: "Kernels of parts",
          note: "which kernel runs each part of a layer: parts are known by what runs before and after them",
          where: (row) => row.dimension === "part",
          folds: LARGE,
          columns: [["label", { title: "Part" }], ["name", { kind: "name" }], "run", "instances", "total_ns", "share", "mean_ns"],
        },
      ],
    },
    {
      id: "idle",
      title: "Idle",
      cards: [
        IDLE_CARD,
        { id: "launches", show: "launches", table: "launches", title: "Launch statistics by API call", sort: "-total_ns", columns: [["api", { kind: "name", title: "Call" }], "run", "calls", "operations", "total_ns", "delay_mean_ns", "short_kernels", "running_at_next_launch"] },
        {
          id: "synchronizations",
          table: "synchronizations",
          title: "Synchronizing calls",
          note: "time of the host in them, and the part of it in which a device was busy",
          sort: "-total_ns",
          columns: [["api", { kind: "name", title: "Call" }], "waited_for", "run", "calls", "total_ns", "mean_ns", "max_ns", "busy_ns", "idle_ns"],
        },
        {
          id: "os_waits",
          table: "os_waits",
          title: "Calls of the operating system",
          note: "time of all threads in them, and the part of it in which a device was busy",
          sort: "-total_ns",
          columns: [["name", { kind: "name", title: "Call" }], "run", "calls", "total_ns", "mean_ns", "max_ns", "busy_ns", "idle_ns"],
        },
        { id: "launch_queue", table: "launch_queue", title: "Launch queue depth", note: "launched operations that had not begun, per stream", sort: "-mean" },
      ],
    },
    {
      id: "ranks",
      title: "Ranks",
      cards: [
        { ...EFFICIENCY_CARD, of_job: true },
        {
          id: "efficiency_steps",
          table: "efficiency_steps",
          title: "Parallel efficiency by phase and step",
          note: "of the operations that the steps launched, on all ranks",
          where: (row) => rowsOf("efficiency").some((job) => Number(job.devices) > 1),
          columns: ["phase", "step", "occurrence", "nccl", "run", "devices", "steps", ["elapsed_ns", { title: "Span" }], "parallel_efficiency", "load_balance", "communication_efficiency", "orchestration_efficiency", "computation_scalability", "speedup"],
        },
        {
          id: "rank_times",
          show: "rank_times",
          table: "ranks",
          title: "Time of ranks",
          where: (row, at, rows) => rowsOf("rank_steps").length > 0 && (at === 0 || rows[at - 1].run !== row.run), // numbers of a rank are in the row of its first device
          columns: ["rank", "run", "own_ns", "waiting_ns", "waited_for_ns", "slowest_in_steps"],
          sort: "-own_ns",
        },
        HEAT_CARDS.steps,
        {
          id: "rank_steps",
          table: "rank_step_balance",
          title: "Slowest rank by step",
          note: "own time of a rank: its span without exposed communication",
          columns: ["phase", "step", "slowest_rank", "slowest_over_mean", "waiting_rank", "mean_ns"],
          wide: { table: "rank_steps", by: "rank", keys: ["phase", "step", "occurrence"], values: ["own_ns"], name: String, group: "own time of rank", most: 8 },
        },
        HEAT_CARDS.labels,
        {
          id: "collectives",
          table: "collective_balance",
          title: "Collectives: waiting for other ranks",
          note: "from the start of each to that of its last member",
          sort: "-waiting_ns",
          columns: ["group", "kind", "instances", "waiting_ns", "waiting", "waited_for_rank", "waited_for_ns", "before_ns", "device_ns", "host_ns"],
          wide: { table: "collectives", by: "rank", keys: ["group", "kind"], values: ["waiting_ns"], name: String, group: "waiting of rank", most: 8, where: isOnlyDevice },
        },
        HEAT_CARDS.collectives,
        { id: "ranks", show: "balance", table: "rank_balance", title: "Load balance of ranks" },
        {
          id: "moe_exchanges",
          table: "moe_exchange_sums",
          title: "Dispatch and combine of experts",
          note: "each dispatch with its combine: span = dispatch + between + combine; idle is a part of between",
          columns: [
            "phase", "run", "device", "exchanges", "span_ns", "dispatch_ns",
            ["dispatch_waiting_ns", { title: "Dispatch waits" }],
            "between_ns", "compute_ns", "idle_ns", "combine_ns",
            ["combine_waiting_ns", { title: "Combine waits" }],
            ["lone_dispatches", { title: "No combine" }],
            ["lone_combines", { title: "No dispatch" }],
          ],
        },
        {
          id: "moe_exchange_balance",
          table: "moe_exchange_balance",
          title: "Dispatch and combine over ranks",
          note: "the sum of each device, compared",
          columns: ["phase", "what", "devices", "min_ns", "mean_ns", "max_ns", "max_over_mean", "min_rank", "max_rank"],
        },
      ],
    },
    {
      id: "metrics",
      title: "GPU metrics",
      cards: [
        {
          id: "gpu_metric_balance",
          table: "gpu_metric_balance",
          title: "GPU metrics over ranks",
          note: "means over the trace of each device, compared",
          columns: METRIC_BALANCE_COLUMNS,
        },
        {
          id: "gpu_metric_phase_balance",
          table: "gpu_metric_phase_balance",
          title: "GPU metrics over ranks by phase",
          note: "means in the time of each phase",
          columns: ["phase", ...METRIC_BALANCE_COLUMNS],
        },
        {
          id: "gpu_metric_label_balance",
          table: "gpu_metric_label_balance",
          title: "GPU metrics over ranks by label",
          note: "means in the time of each label",
          where: inDimension,
          first: 15,
          columns: ["dimension", "label", ...METRIC_BALANCE_COLUMNS],
        },
        {
          id: "gpu_metrics",
          table: "gpu_utilization",
          title: "GPU metrics by label",
          note: "means of the samples in the time of each label; empty for fewer than two samples",
          where: inDimension,
          sort: "-own_ns",
          columns: ["dimension", "label", "run", "device", "own_ns", "samples", "shared_samples", "mixed_samples"],
          wide: {
            table: "gpu_metric_labels",
            by: "metric",
            keys: ["run", "device", "dimension", "label"],
            values: ["mean_ratio"],
            where: (row) => row.mean_ratio !== null,
            name: (metric) => printable(metric).replace(/ \[[^\]]*%\]$/, ""),
          },
        },
        {
          id: "gpu_clock",
          table: "gpu_clock",
          title: "Clocks below the highest",
          note: "the highest that the trace has",
          where: inDimension,
          sort: "-below_ns",
          columns: ["dimension", "label", "run", "device", "metric", "samples", "own_ns", "below_ns", "share", "mean_hz", "highest_hz"],
        },
      ],
    },
    { id: "roofline", title: "Roofline", cards: [ROOFLINE_CARD] },
    {
      id: "memory_use",
      title: "Memory",
      cards: [
        {
          id: "memory",
          table: "memory",
          title: "Memory in use",
          note: "the most at once, and what ran then on the host; what calls of the driver allocate counts from the begin of the trace",
          sort: "-peak_bytes",
          columns: ["run", ...MEMORY_COLUMNS, ["last_bytes", { title: "At the end", kind: "rate" }], ["peak_at_ns", { title: "Peak at" }], ["peak_step", { title: "Step at the peak", kind: "name" }], ["peak_module", { title: "Module at the peak", kind: "name" }], "allocations", "out_of_memory"],
        },
        {
          id: "memory_phases",
          table: "memory_phases",
          title: "Memory by phase",
          note: "the most at once while steps of the phase ran on the host",
          columns: ["phase", "run", ...MEMORY_COLUMNS, ["peak_step", { title: "Step at the peak", kind: "name" }], ["peak_module", { title: "Module at the peak", kind: "name" }], ["allocated_bytes", { title: "Allocated", kind: "rate" }], "allocations"],
        },
        {
          id: "memory_modules",
          table: "memory_modules",
          title: "Memory allocated by modules",
          note: "while a module was the innermost one; what is released is not subtracted",
          sort: "-allocated_bytes",
          first: 15,
          folds: LARGE,
          columns: [["module", { kind: "name" }], "run", "source", "memory", "device", ["allocated_bytes", { title: "Allocated", kind: "rate" }], "allocations"],
        },
      ],
    },
    {
      id: "modules",
      title: "Modules",
      cards: [
        {
          id: "tree",
          table: "tree",
          title: "Module tree",
          note: "the upper levels, added up over the steps of a phase; `kr tree` shows all",
          sort: "-total_ns",
          first: 20,
          columns: ["phase", ["path", { title: "Module", kind: "name" }], "label", ["nodes", { title: "Modules" }], "invocations", "total_ns", "mean_of_steps_ns"],
        },
        {
          id: "attribution",
          show: "split",
          table: "attribution",
          title: "Attribution",
          note: "time of operations by their place in the model",
          by: "evidence",
          looks: {
            launch: { title: "In modules", color: "var(--compute)" },
            creation: { title: "In modules, when the graph was captured", color: "#7f9f5c" },
            instance: { title: "By a reference: module and op", color: "#5b9aa0" },
            kind: { title: "By a reference: all but the number", color: "#8a6fb0" },
            within: { title: "By a reference: an enclosing module", color: "#b07a9e" },
            abstain: { title: "By a reference: not certain", color: "#a0785a" },
            range: { title: "In ranges of the program", color: "#7f9f5c" },
            layer: { title: "In repeated blocks", color: "var(--memory)" },
            none: { title: "In neither", color: "var(--idle)" },
          },
          hidden: (row) => row.evidence === "none" || row.operations === 0,
        },
      ],
    },
    {
      id: "sources",
      title: "Sources",
      cards: [{ id: "facts", show: "facts", table: "runs", title: "Sources", folds: 2 }, HEALTH_CARD, HOW_TO_READ_CARD, { id: "next", show: "next", title: "Next" }],
    },
  ],

  tree: [
    { id: "tree", title: "Tree", cards: [{ id: "tree", show: "icicle" }] },
    { id: "steps", title: "Steps", cards: [{ id: "bars-card", show: "bars" }] },
    { id: "nodes", title: "Kernels and modules", cards: [{ id: "nodes", show: "nodes" }] },
    {
      id: "costs",
      title: "FLOPs and bytes",
      cards: [
        {
          id: "module_costs",
          table: "module_costs",
          title: "FLOPs and bytes of modules",
          note: "as the profile records them; rates are over the time of the nodes that record them",
          sort: "-total_ns",
          columns: ["name", "launches", "total_ns", ["flops_per_s", { title: "FLOP/s" }], ["flops_peak_ratio", { title: "Of peak FLOP/s" }], ["measured_flops_peak_ratio", { title: "Of reached FLOP/s" }], ["bytes_per_s", { title: "Bytes/s" }], ["bytes_peak_ratio", { title: "Of peak bytes/s" }], ["measured_bytes_peak_ratio", { title: "Of reached bytes/s" }], ["intensity", { title: "FLOP per byte" }], "bound", "check", "flops", "operand_bits", "bytes", "path"],
        },
        { id: "module_devices", table: "module_devices", title: "Devices of the profile", note: "peak = 2 · bus width · memory clock ÷ 8", columns: ["type", "device", "arch", ["sms", { title: "SMs" }], ["clock_hz", { title: "Clock (Hz)" }], ["memory_clock_hz", { title: "Memory clock (Hz)" }], ["bus_bits", { title: "Bus (bits)" }], ["peak_bytes_per_s", { title: "Peak bytes/s" }]] },
      ],
    },
    { id: "source", title: "Source", cards: [{ id: "facts", show: "facts", title: "Source" }] },
  ],

  diff: [
    {
      id: "changes",
      title: "Changes",
      cards: [
        { id: "change_by_label", show: "label_chart", table: "label_changes", title: "Change by label" },
        { id: "phases", show: "phases_of_sides", table: "phase_changes", title: "Steps of each phase" },
      ],
    },
    {
      id: "replaced",
      title: "Replaced names",
      cards: [
        {
          id: "replaced",
          table: "substitutions",
          title: "Names that replaced each other",
          note: "a name that only A has, and one of the same label that only B has; times are of all operations of the run",
          columns: ["label", ["a_name", { title: "Only in A" }], ["b_name", { title: "Only in B" }], "a_ns", "b_ns", ["change_ns", { title: "Difference", compared: "ns" }], ["change_percent", { title: "Difference" }], "confidence", "evidence"],
        },
      ],
    },
    { id: "evidence", title: "Evidence", cards: [{ id: "evidence", show: "evidence", table: "comparison", title: "Evidence" }] },
    {
      id: "raw",
      title: "Tables",
      cards: (page.tables || []).filter(({ id }) => id !== "notes").map(({ id, title, doc }) => ({ id, table: id, title: capital(printable(title)), note: printable(ofVendor(doc)), first: 100, folds: 0, on_paper: false })),
    },
  ],

  /** Any tables: all columns of each. */
  tables: (page.tables || [])
    .filter(({ id }) => id !== "notes")
    .map(({ id, title, doc, rows }) => {
      const there = rowsOf(id).length;
      const cut = there < rows ? ` The page has the first ${grouped(there)} of ${grouped(rows)}.` : "";
      return { id, table: id, title: capital(printable(title)), note: printable(ofVendor(doc)) + cut, first: 100 };
    }),
};

const sideName = (run, type) => (runs.length > 1 ? `${shortId(run)} · ${type}` : type);
