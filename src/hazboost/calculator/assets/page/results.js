// The results, drawn anew after each change.

const sentences = NAMES.map(() => make("p", { class: "sentence" }));
const comparison = make("p", { class: "comparison" }), cohortSentence = make("p", { class: "small" });
const warnings = make("ul");
const warningBox = make("section", { class: "warnings", "aria-labelledby": "warnings" },
  make("h3", { id: "warnings" }, say("warnings")), warnings);
const chart = makeChart(setTime), people = NAMES.map(makePeople), table = makeTable(), contributions = NAMES.map(makeContributions);
const peopleHeadings = NAMES.map((_, i) => make("h4", { class: `scenario${i}` }, scenarioName(i)));
const keys = NAMES.map((_, i) => make("li", { class: `scenario${i}` }));
const chartLegend = make("ul", { class: "legend lines" }, keys,
  make("li", { class: "cohort" }, say(data.cohort.observed ? "cohortObserved" : "cohortExpected")));
const rule = make("p", { class: "small" });
const status = make("p", { role: "status", class: "hidden" }), summary = make("p", { class: "summary", "aria-hidden": "true" });

// What each scenario predicts; remembered, because mostly one of them changes, and times change without the person.
const predicted = [];
function predictionOf(number) {
  const values = state.scenarios[number], key = values.join();
  if (predicted[number]?.key !== key) {
    const distribution = model.predict(rowOf(values));
    predicted[number] = { key, distribution, median: distribution.median(), mean: distribution.restrictedMean(data.time.longest) };
  }
  return predicted[number];
}

function tableTimes() {
  const even = ticks(shownTime(data.time.longest), 8).slice(1).map(ownTime).filter((t) => t <= data.time.longest);
  return [...new Set([...even, state.time])].sort((one, other) => one - other);
}

// Everything that is shown of the scenarios: probabilities of all outcomes along the curve, in the table, and now.
function lookAhead() {
  const { time, outcome } = state, end = Math.max(data.time.longest, time), inTable = tableTimes();
  // Early times are closer together, because curves may be steep there; the chosen one is a point of the curve, too.
  const even = Array.from({ length: CURVE_POINTS + 1 }, (_, i) => end * (i / CURVE_POINTS) ** 2);
  const along = [...even, time].sort((one, other) => one - other);
  const scenarios = state.scenarios.map((values, i) => {
    const { distribution, median, mean } = predictionOf(i);
    const shares = probabilities(distribution, [...along, ...inTable, time]); // all times in one pass
    const now = shares.map((one) => one[one.length - 1]);
    return {
      name: NAMES[i], values, median, mean, now, counts: ofHundred(now),
      curve: shares[outcome].slice(0, along.length),
      shares: shares.map((one) => one.slice(along.length, -1)),
    };
  });
  return { time, outcome, said: sayTime(time), label: outcomes[outcome].label, along, inTable, scenarios };
}

function showSentences({ time, said, outcome, scenarios }) {
  sentences.forEach((sentence, i) => {
    sentence.hidden = i >= scenarios.length;
    if (sentence.hidden) return;
    const heading = comparing() ? [make("span", { class: `scenario${i}` }, `${scenarioName(i)}: `)] : [];
    sentence.replaceChildren(...heading, ...emphasised(sayCounts(scenarios[i].counts, said)));
  });
  comparison.hidden = !comparing();
  comparison.textContent = comparing() ? sayDifference(scenarios.map((one) => one.counts), outcome) : "";
  cohortSentence.hidden = time > data.time.longest;
  cohortSentence.textContent = cohortSentence.hidden ? "" : sayCohort(cohortAt(time));
  const notes = sayWarnings(time);
  warnings.replaceChildren(...notes.map((text) => make("li", {}, text)));
  warningBox.hidden = notes.length === 0;
  announce([...sentences.filter((one) => !one.hidden).map((one) => one.textContent), ...notes].join(" "));
}

function showCurves({ time, said, outcome, label, along, scenarios }) {
  keys.forEach((key, i) => {
    key.hidden = i >= scenarios.length;
    key.textContent = comparing() ? scenarioName(i) : say("person");
  });
  const values = scenarios.map((one) => `${comparing() ? `${one.name} ` : ""}${percent(one.now[outcome])}`).join(", ");
  chart.show(along, scenarios.map((one) => ({ values: one.curve, now: one.now[outcome], rises: outcome > 0 })),
    cohortCurve(outcome), time, say("curveAbout", { outcome: label, time: said, values }));
}

function showPeople({ scenarios }) {
  people.forEach((one, i) => {
    one.element.hidden = i >= scenarios.length;
    peopleHeadings[i].hidden = !comparing();
    if (i < scenarios.length) one.show(scenarios[i].counts);
  });
}

function showContributions({ time, said, outcome, label, scenarios }) {
  const found = scenarios.map((one) => contributionsOf(one.values, time, outcome, one.now[outcome]));
  const largest = Math.max(5, ...found.flat().map((one) => Math.abs(one.effect)));
  rule.textContent = say("contributionsRule", { outcome: label, time: said });
  contributions.forEach((one, i) => {
    one.element.hidden = i >= scenarios.length;
    if (i < scenarios.length) one.show(comparing() ? scenarioName(i) : "", found[i], largest);
  });
}

// On narrow screens, a line at the bottom says the result while inputs are changed.
function showSummary({ said, outcome, label, scenarios }) {
  const count = scenarios.map((one) => (comparing() ? `${one.name} ` : "") + whole(one.counts[outcome])).join(" · ");
  summary.textContent = say("summary", { count, outcome: label, time: said });
}

// Whoever listens is told the result when it has come to rest.
let announcing = 0;
function announce(text) {
  clearTimeout(announcing);
  announcing = setTimeout(() => { status.textContent = text; }, 700);
}

function render() {
  const view = lookAhead();
  document.body.classList.toggle("comparing", comparing());
  showOthers();
  showSentences(view);
  showCurves(view);
  showPeople(view);
  showContributions(view);
  table.show(view.inTable, view.time, view.scenarios);
  showSummary(view);
}
