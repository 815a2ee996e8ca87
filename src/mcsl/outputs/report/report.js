const data = JSON.parse(document.getElementById("payload").textContent);
const [find, kept] = [(id) => document.getElementById(id), data.edges.filter((edge) => edge.kept)];
const place = new Map(data.variables.map((variable, k) => [variable.name, k]));
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const sureEnough = (edge, least) => edge.confidence === null || Math.round(edge.confidence * 1000) >= Math.round(least * 1000);
const HEADINGS = { p_value: "p-value" };
const DECIMALS = { probability: 3, direction: 2, frequency: 2, confidence: 2 };
const NUMBERS = new Set(["probability", "direction", "p_value", "coefficient", "frequency"]);
const MARKS = { good: "✓ good", caution: "! caution", bad: "✕ bad" };

function edgeWords(edge) {
  const facts = [...NUMBERS].filter((name) => edge[name] !== null).map((name) => `${HEADINGS[name] ?? name} ${figure(edge[name])}`);
  if (edge.lags !== null) facts.push(`lags ${edge.lags}`);
  return [`${edge.cause} → ${edge.effect}`, ...facts].join("\n");
}

function tip(event, words) {
  const box = find("tip");
  box.hidden = !event;
  if (!event) return;
  box.textContent = words;
  box.style.left = `${Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8)}px`;
  box.style.top = `${Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8)}px`;
}

function choose(k) {
  view.mark(k);
  find("variable").value = k === null ? "" : k;
  find("panel").classList.toggle("chosen", k !== null);
  find("panel").replaceChildren(...(k === null ? overview() : details(k)));
  find("panel").scrollTop = 0;
}

const toVariable = (name, words = name) =>
  element("button", { type: "button", class: "link", onclick: () => choose(place.get(name)) }, words);

function overview() {
  const explained = data.variables.filter((variable) => variable.r2 !== null).sort((a, b) => b.r2 - a.r2);
  const list = explained.slice(0, 12).map((variable) => element("li", {}, toVariable(variable.name), ` ${Math.round(variable.r2 * 100)}%`));
  return [
    element("p", { class: "hint" }, "Choose a variable to see its causes, its effects and how well they fit."),
    ...(list.length ? [element("h3", {}, "Best explained by their causes"), element("ul", {}, ...list)] : []),
  ];
}

function details(k) {
  const variable = data.variables[k];
  const parts = [element("h2", {}, variable.name)];
  if (variable.columns.length) parts.push(element("p", { class: "hint" }, `Columns: ${variable.columns.join(", ")}`));
  const [causes, effects] = [kept.filter((edge) => edge.effect === variable.name), kept.filter((edge) => edge.cause === variable.name)];
  parts.push(...neighbours("Causes", causes, "cause", "No causes in this table."));
  parts.push(...neighbours("Effects", effects, "effect", "No effects in this table."));
  parts.push(...checks(variable, causes.length));
  if (!data.has_model) parts.push(element("p", { class: "hint" }, "There are no curves, because this result was saved without its fitted model."));
  return parts;
}

function neighbours(heading, edges, end, none) {
  const parts = [element("h3", {}, heading)];
  if (!edges.length) parts.push(element("p", { class: "hint" }, none));
  for (const edge of edges) {
    const sure = edge.confidence === null ? "" : ` · ${data.confidence} ${edge.confidence.toFixed(DECIMALS[data.confidence])}`;
    const facts = element("span", { class: "hint" }, sure + (edge.lags === null ? "" : ` · lags ${edge.lags || "none"}`));
    parts.push(element("p", {}, toVariable(edge[end]), facts));
    const curves = data.curves.filter(({ edge: [i, j] }) => i === place.get(edge.cause) && j === place.get(edge.effect));
    for (const curve of curves) parts.push(chart({
      lines: [{ x: curve.grid, y: curve.mean }], band: { x: curve.grid, low: curve.low, high: curve.high },
      x: curve.cause, y: `mean of ${curve.effect}`, say: `Mean of ${curve.effect} as ${curve.cause} varies, with a 95% band`,
    }));
    if (curves.some((curve) => curve.left_out)) parts.push(element("p", { class: "hint" }, `${curves.length} of the pairs of columns are shown.`));
  }
  return parts;
}

function checks(variable, nCauses) {
  if (!nCauses) return [];
  const said = [];
  if (variable.r2 !== null) said.push(`Its causes explain ${Math.round(variable.r2 * 100)}% of it on rows left out (± ${Math.round(variable.r2_deviation * 100)}% between folds).`);
  if (variable.independence !== null) said.push(`Is its noise independent of its causes? p = ${figure(variable.independence, 2)}; small values speak against the model.`);
  if (variable.normality !== null) said.push(`Is its noise normal? p = ${figure(variable.normality, 2)}; normal noise with straight lines leaves directions open.`);
  const pictures = variable.residuals.map((residual) => chart({
    points: { x: residual.rank, y: residual.noise }, zero: true, x: "rank of the prediction, lowest 0, highest 1",
    y: `noise of ${residual.column}, in deviations`, say: `Residuals of ${residual.column} against the rank of their predictions`,
  }));
  if (pictures.length) pictures.push(element("p", { class: "hint" }, "A cloud without a pattern is what a right model leaves over."));
  if (!said.length && !pictures.length) return [];
  return [element("h3", {}, "Checks"), element("ul", {}, ...said.map((sentence) => element("li", {}, sentence))), ...pictures];
}

const shownColumns = data.columns.filter((name) => data.edges.some((edge) => edge[name] !== null));
let [sortedBy, descending] = [null, false];

function listed() {
  const least = Number(find("least").value);
  const rows = data.edges.filter((edge) => (edge.kept ? sureEnough(edge, least) : find("dropped").checked));
  if (sortedBy === null) return rows;
  const direction = descending ? -1 : 1;
  const compare = NUMBERS.has(sortedBy)
    ? (a, b) => Number(a) - Number(b)
    : (a, b) => String(a).localeCompare(String(b), undefined, { numeric: true });
  // What is not known stands last, whichever way the others are sorted.
  return rows.sort((a, b) => (a[sortedBy] === null) - (b[sortedBy] === null) || direction * compare(a[sortedBy], b[sortedBy]) || 0);
}

function fillTable() {
  const cell = (edge, name) => {
    if (name === "cause" || name === "effect") return toVariable(edge[name]);
    if (name === "kept") return edge.kept ? "yes" : "no";
    if (name in DECIMALS) return edge[name]?.toFixed(DECIMALS[name]) ?? "";
    return NUMBERS.has(name) ? figure(edge[name]) : edge[name] ?? "";
  };
  const rows = listed().map((edge) => element("tr", { class: edge.kept ? null : "gone" },
    ...shownColumns.map((name) => element("td", { class: NUMBERS.has(name) ? "number" : null }, cell(edge, name)))));
  find("edge-table").tBodies[0].replaceChildren(...rows);
  for (const th of find("edge-table").tHead.rows[0].cells)
    th.setAttribute("aria-sort", th.dataset.column === sortedBy ? (descending ? "descending" : "ascending") : "none");
}

function sortBy(name) {
  // Numbers are asked for largest first; a small p-value is the strong one.
  descending = sortedBy === name ? !descending : NUMBERS.has(name) && name !== "p_value";
  sortedBy = name;
  fillTable();
}

function csv() {
  const quoted = (value) => {
    const text = value === null ? "" : typeof value === "boolean" ? String(Number(value)) : String(value);
    return /[,"\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [data.columns, ...listed().map((edge) => data.columns.map((name) => edge[name]))].map((row) => row.map(quoted).join(",") + "\n").join("");
}

function download() {
  const url = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  element("a", { href: url, download: "edges.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function showFrom() {
  const least = Number(find("least").value);
  view.hideBelow(least);
  find("least-shown").textContent = least.toFixed(2);
  find("n-shown").textContent = `${kept.filter((edge) => sureEnough(edge, least)).length} of ${plural(kept.length, "edge")} shown`;
  fillTable();
}

function findings() {
  return data.trust.map((finding) => element("div", { class: "finding" },
    element("span", { class: `badge ${finding.verdict}` }, MARKS[finding.verdict]),
    element("div", {},
      element("div", {}, finding.sentence),
      finding.advice ? element("div", { class: "advice" }, finding.advice) : null,
      Object.keys(finding.figures).length ? element("details", {}, element("summary", {}, "Figures"),
        element("ul", { class: "figures" }, ...Object.entries(finding.figures).map(([name, value]) => element("li", {}, `${name}: ${figure(value)}`)))) : null)));
}

function training() {
  if (!data.trace.length) return [element("p", {}, `The recipe ${data.provenance.recipe} trains no networks, so there is no training to show.`)];
  const column = (name) => data.trace.map((row) => Number(row[name]));
  const x = column("stage");
  const one = (first, second, options) => element("div", {},
    chart({ lines: [first, second].map((name) => ({ x, y: column(name) })), x: "stage", say: `${options.y} over the stages of training`, ...options }),
    element("p", { class: "hint" }, element("span", { class: "key" }), options.names[0], element("span", { class: "key second" }), options.names[1]));
  return [element("div", { class: "charts" },
    one("score", "lagrangian", { y: "objective", names: ["score", "augmented Lagrangian"] }),
    one("acyclicity", "acyclicity_of_probabilities", { y: "acyclicity, 0 without cycles", log: true, names: ["of a noisy mask", "of the probabilities"] }))];
}

function origin() {
  const from = data.provenance;
  const listing = (values, unit = "") => Object.entries(values).map(([name, value]) => `${name} ${figure(value) || value}${unit}`).join(", ");
  const code = (text) => element("pre", {}, text);
  const rows = [
    ["Command", from.command ? code(from.command) : "Learned from Python, with the recipe and the seed below."],
    ["Rows", String(from.n_samples)],
    ["Data fingerprint", element("code", {}, from.fingerprint)],
    ["Recipe", element("details", {}, element("summary", {}, from.recipe), code(JSON.stringify(from.settings, null, 2)))],
    ["Seed", String(from.seed)],
    ["Known before", Object.keys(from.knowledge).length ? code(JSON.stringify(from.knowledge, null, 1)) : "nothing"],
    ["Versions", Object.entries(from.versions).map((pair) => pair.join(" ")).join(", ")],
    ["Time", listing(from.timings, " s")],
  ];
  return [element("dl", {}, ...rows.filter(([, value]) => value !== "").flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]))];
}

function headline() {
  const counts = Object.keys(MARKS).map((verdict) => [verdict, data.trust.filter((finding) => finding.verdict === verdict).length]).filter(([, n]) => n);
  find("headline").textContent = `${plural(kept.length, "edge")} among ${plural(data.variables.length, "variable")}`;
  find("summary").append(`Learned from ${plural(data.provenance.n_samples, "sample")} with the recipe ${data.provenance.recipe}. ${data.sentences.join(" ")} `);
  if (counts.length) find("summary").append("Checks: ", ...counts.flatMap(([verdict, n], i) => [i ? ", " : "", element("span", { class: `badge ${verdict}` }, `${n} ${verdict}`)]), ".");
}

const view = drawGraph(find("drawing"), data.graph, data.variables, data.edges, { choose, tip });
headline();
find("confidence-name").textContent = data.confidence;
find("variable").append(...data.variables.map((variable, k) => element("option", { value: k }, variable.name)));
find("edge-table").tHead.rows[0].append(...shownColumns.map((name) => element("th", { scope: "col", "data-column": name, class: NUMBERS.has(name) ? "number" : null },
  element("button", { type: "button", onclick: () => sortBy(name) }, HEADINGS[name] ?? name))));
const NOTES = {
  frequency: "The frequency is the share of half-samples in which the edge returns.",
  probability: "The probability is the search's own; run with --stability to see how often each edge returns in half-samples.",
  confidence: "The confidence of an arrow is the probability of its edge times how sure its direction is, both as the search sees them; run with --stability to see how often each edge returns in half-samples.",
};
find("edge-note").textContent = NOTES[data.confidence];
find("findings").append(...(data.trust.length ? findings() : [element("p", {}, "Nothing was checked: this result was saved without its findings.")]));
find("curves").append(...training());
find("origin").append(...origin());
find("least").addEventListener("input", showFrom);
find("dropped").addEventListener("change", fillTable);
find("download").addEventListener("click", download);
find("variable").addEventListener("change", (event) => choose(event.target.value === "" ? null : Number(event.target.value)));
find("zoom-in").addEventListener("click", () => view.zoom(1.25));
find("zoom-out").addEventListener("click", () => view.zoom(0.8));
find("fit").addEventListener("click", () => view.reset());
showFrom();
choose(null);
document.documentElement.dataset.ready = Math.round(performance.now());
