// The page: its state, and what changes with it.

const NAMES = ["A", "B"];
const typical = () => data.inputs.map(typicalValue);
const roundTime = (time) => ownTime(Number(shownTime(time).toFixed(timeDigits())));
const roughTime = (time) => ownTime(Number(shownTime(time).toPrecision(2)));
const state = {
  scenarios: [typical()],
  editing: 0,
  outcome: data.events.length === 1 ? 1 : 0,
  time: Math.min(roughTime(data.time.horizon), data.time.longest),
};
const comparing = () => state.scenarios.length > 1;

// Inputs

const fields = data.inputs.map((input, i) => makeField(input, i, (value) => {
  state.scenarios[state.editing][i] = value;
  changed();
}));
const scenarioChoice = makeRadios("editing", say("editing"), NAMES.map((one) => say("scenario", { name: one })), (i) => {
  state.editing = i;
  showFields();
});
const compareButton = make("button", { type: "button", onclick: () => {
  if (comparing()) state.scenarios = [state.scenarios[state.editing]];
  else state.scenarios.push(state.scenarios[0].slice());
  state.editing = comparing() ? 1 : 0;
  showFields();
  changed();
} });
const resetButton = make("button", { type: "button", onclick: () => {
  state.scenarios[state.editing] = typical();
  showFields();
  changed();
} }, say("reset"));

function showFields() {
  fields.forEach((field, i) => field.show(state.scenarios[state.editing][i]));
  scenarioChoice.element.hidden = !comparing();
  scenarioChoice.show(state.editing);
  compareButton.textContent = say(comparing() ? "stopComparing" : "compare");
}

function showOthers() {
  const other = state.scenarios[1 - state.editing];
  fields.forEach((field, i) => {
    const differs = comparing() && !Object.is(other[i], state.scenarios[state.editing][i]);
    field.showOther(differs ? say("inOther", { name: NAMES[1 - state.editing], value: sayValue(data.inputs[i], other[i]) }) : "");
  });
}

function makeRadios(key, legend, labels, choose) {
  const radios = labels.map((_, i) => make("input", { type: "radio", name: key, id: `${key}-${i}`, onchange: () => choose(i) }));
  const choices = labels.map((label, i) => make("span", { class: "choice" }, radios[i], make("label", { for: `${key}-${i}` }, name(label))));
  return {
    element: make("fieldset", { class: "field" }, make("legend", {}, legend), make("div", { class: "choices" }, choices)),
    show: (chosen) => radios.forEach((radio, i) => { radio.checked = i === chosen; }),
  };
}

// Results

const timeBox = make("input", { type: "number", id: "time", min: 0, step: "any", inputmode: "decimal" });
const timeSlider = make("input", { type: "range", min: 0, max: shownTime(data.time.longest), step: 10 ** -timeDigits(), tabindex: "-1", "aria-hidden": "true" });
stepByArrows(timeBox, 10 ** -timeDigits());
timeBox.addEventListener("input", () => {
  const shown = Number(timeBox.value);
  if (timeBox.value === "" || !(shown > 0)) return; // a number that is being written
  state.time = ownTime(shown);
  timeSlider.value = shown;
  changed();
});
timeSlider.addEventListener("input", () => setTime(ownTime(Number(timeSlider.value))));

function setTime(time) {
  state.time = Math.max(roundTime(time), ownTime(10 ** -timeDigits()));
  showTime();
  changed();
}
function showTime() {
  timeBox.value = Number(shownTime(state.time).toPrecision(6));
  timeSlider.value = shownTime(state.time);
}

const outcomeChoice = makeRadios("outcome", say("show"), outcomes.map((one) => one.label), (i) => {
  state.outcome = i;
  changed();
});
const sentences = NAMES.map(() => make("p", { class: "sentence" }));
const comparison = make("p", { class: "comparison" }), cohortSentence = make("p", { class: "small" });
const warnings = make("ul"), warningBox = make("section", { class: "warnings", "aria-labelledby": "warnings" },
  make("h3", { id: "warnings" }, say("warnings")), warnings);
const chart = makeChart(setTime), people = NAMES.map(makePeople), table = makeTable(), contributions = NAMES.map(makeContributions);
const peopleHeadings = NAMES.map((one, i) => make("h4", { class: `scenario${i}` }, say("scenario", { name: one })));
const keys = NAMES.map((one, i) => make("li", { class: `scenario${i}` }));
const chartLegend = make("ul", { class: "legend lines" }, keys,
  make("li", { class: "cohort" }, say(data.cohort.observed ? "cohortObserved" : "cohortExpected")));
const rule = make("p", { class: "small" }), status = make("p", { role: "status", class: "hidden" });
const summary = make("p", { class: "summary", "aria-hidden": "true" });
const printed = make("ul", { class: "printed" });

// What each scenario predicts; remembered, because mostly one of them changes, and times change without the person.
const predicted = state.scenarios.map(() => null);
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

function sayCounts(counts, time) {
  if (outcomes.length === 2) {
    return say("sentenceOne", { count: emphasis(whole(counts[1])), event: eventNames[0], time, rest: emphasis(whole(counts[0])) });
  }
  const items = eventNames.map((event, i) => say("sentenceItem", { count: emphasis(whole(counts[i + 1])), event }));
  return say("sentenceSeveral", { time, list: list([...items, say("sentenceRest", { count: emphasis(whole(counts[0])) })]) });
}

function sayCohort(shares) {
  const counts = ofHundred(shares);
  if (outcomes.length === 2) return say("cohortOne", { count: whole(counts[1]) });
  return say("cohortSeveral", { list: list(eventNames.map((event, i) => say("cohortItem", { count: whole(counts[i + 1]), event }))) });
}

function sayDifference(counts) {
  const difference = counts[1][state.outcome] - counts[0][state.outcome];
  const label = outcomes[state.outcome].label, values = { name: `${say("scenario", { name: "B" })}, ${label}`, other: say("scenario", { name: "A" }) };
  if (difference === 0) return say("sentenceSame");
  return say(difference > 0 ? "sentenceMore" : "sentenceFewer", { ...values, difference: whole(Math.abs(difference)) });
}

function render() {
  const { time, outcome } = state, said = sayTime(time), scenarios = state.scenarios.map((_, i) => predictionOf(i));
  const end = Math.max(data.time.longest, time), label = outcomes[outcome].label;
  const curveTimes = Array.from({ length: CURVE_POINTS + 1 }, (_, i) => (end * i) / CURVE_POINTS), inTable = tableTimes();
  // One pass over all times: those of the curve, of the table, and the chosen one.
  const all = scenarios.map(({ distribution }) => probabilities(distribution, [...curveTimes, ...inTable, time]));
  const curves = all.map((shares) => shares.map((one) => one.slice(0, curveTimes.length)));
  const rows = all.map((shares) => shares.map((one) => one.slice(curveTimes.length, -1)));
  const now = all.map((shares) => shares.map((one) => one[one.length - 1]));
  const counts = now.map(ofHundred), inCohort = time <= data.time.longest ? cohortAt(time) : null;

  sentences.forEach((sentence, i) => {
    sentence.hidden = i >= scenarios.length;
    if (i < scenarios.length) {
      const heading = comparing() ? [make("span", { class: `scenario${i}` }, `${say("scenario", { name: NAMES[i] })}: `)] : [];
      sentence.replaceChildren(...heading, ...emphasised(sayCounts(counts[i], said)));
    }
  });
  document.body.classList.toggle("comparing", comparing());
  comparison.hidden = !comparing();
  comparison.textContent = comparing() ? sayDifference(counts) : "";
  cohortSentence.hidden = inCohort === null;
  cohortSentence.textContent = inCohort === null ? "" : sayCohort(inCohort);

  const notes = state.scenarios.flatMap((values, i) =>
    warningsFor(values).map((text) => (comparing() ? `${say("scenario", { name: NAMES[i] })}: ${text}` : text)));
  if (time > data.time.longest) notes.push(say("late", { time: said, longest: sayTime(data.time.longest) }));
  warnings.replaceChildren(...notes.map((text) => make("li", {}, text)));
  warningBox.hidden = notes.length === 0;

  keys.forEach((key, i) => {
    key.hidden = i >= scenarios.length;
    key.textContent = comparing() ? say("scenario", { name: NAMES[i] }) : say("person");
  });
  const cohortCurve = data.cohort.times.map((_, i) => {
    const events = data.cohort.incidence.map((curve) => curve[i]);
    return outcome === 0 ? 1 - events.reduce((sum, one) => sum + one, 0) : events[outcome - 1];
  });
  const described = now.map((shares, i) => `${comparing() ? `${NAMES[i]} ` : ""}${percent(shares[outcome])}`);
  chart.show(curveTimes, curves.map((shares, i) => ({ values: shares[outcome], now: now[i][outcome], rises: outcome > 0 })),
    { times: data.cohort.times, values: cohortCurve }, time, say("curveAbout", { outcome: label, time: said, values: described.join(", ") }));

  people.forEach((one, i) => {
    one.element.hidden = peopleHeadings[i].hidden = i >= scenarios.length;
    if (i < scenarios.length) one.show(counts[i]);
    if (!comparing()) peopleHeadings[i].hidden = true;
  });
  table.show(inTable, time, scenarios.map((one, i) => ({ ...one, name: NAMES[i], shares: rows[i] })));

  const found = state.scenarios.map((values, i) => contributionsOf(values, time, outcome, now[i][outcome]));
  const largest = Math.max(5, ...found.flat().map((one) => Math.abs(one.effect)));
  rule.textContent = say("contributionsRule", { outcome: label, time: said });
  contributions.forEach((one, i) => {
    one.element.hidden = i >= scenarios.length;
    if (i < scenarios.length) one.show(comparing() ? say("scenario", { name: NAMES[i] }) : "", found[i], largest);
  });
  const short = counts.map((one, i) => (comparing() ? `${NAMES[i]} ` : "") + whole(one[outcome])).join(" · ");
  summary.textContent = say("summary", { count: short, outcome: label, time: said });
  showOthers();
  announce([...sentences.filter((one) => !one.hidden).map((one) => one.textContent), ...notes].join(" "));
}

// Whoever listens is told the result when it has come to rest.
let announcing = 0;
function announce(text) {
  clearTimeout(announcing);
  announcing = setTimeout(() => { status.textContent = text; }, 700);
}

// However often values change, the page is drawn once for each frame.
let waiting = false;
function changed() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    render();
  });
}

// On paper, inputs are a list: those that are folded away only if they are not typical.
function showPrinted() {
  const shown = data.inputs.map((input, i) => ({ input, values: state.scenarios.map((values) => values[i]) }))
    .filter(({ input, values }) => !input.folded || values.some((value) => !Object.is(value, typicalValue(input))));
  printed.replaceChildren(...shown.map(({ input, values }) => {
    const same = values.every((value) => Object.is(value, values[0]));
    const said = values.map((value, i) => (same ? "" : `${NAMES[i]} `) + sayValue(input, value));
    return make("li", {}, name(input.label), ": ", make("strong", {}, same ? said[0] : said.join(", ")));
  }));
}
addEventListener("beforeprint", showPrinted);

// The layout

const card = (id, title, ...content) => make("section", { class: "card", id, "aria-labelledby": `${id}-title` },
  make("h3", { id: `${id}-title` }, title), content);
const folded = fields.filter((_, i) => data.inputs[i].folded);

document.getElementById("header").append(make("h1", {}, name(data.title)), make("p", {}, say("about", {
  subjects: whole(data.cohort.subjects), events: whole(data.cohort.events), longest: sayTime(data.time.longest) })));
document.getElementById("main").append(
  make("form", { id: "inputs", "aria-labelledby": "inputs-title", onsubmit: (event) => event.preventDefault() },
    make("h2", { id: "inputs-title" }, say("inputs")),
    make("div", { class: "buttons" }, compareButton, resetButton),
    scenarioChoice.element,
    fields.filter((_, i) => !data.inputs[i].folded).map((field) => field.element),
    folded.length ? make("details", {}, make("summary", {}, say("more", { count: folded.length })), folded.map((field) => field.element)) : null,
    data.unused.length ? make("p", { class: "small" }, say("unused", { names: list(data.unused.map(isolate)) })) : null,
    printed),
  make("div", { id: "results", role: "region", "aria-labelledby": "results-title" },
    make("h2", { id: "results-title", class: "hidden" }, say("results")),
    make("div", { class: "card answer" },
      make("div", { class: "controls" },
        make("div", { class: "field" }, make("label", { for: "time" }, timeLabel()),
          make("div", { class: "number" }, timeBox, timeSlider)),
        outcomeChoice.element),
      sentences, comparison, cohortSentence, warningBox),
    card("curve", say("curve"), chart.element, chartLegend),
    make("div", { class: "pair" }, card("people", say("people"), make("div", { class: "beside" }, people.map((one, i) => make("div", {}, peopleHeadings[i], one.element)))),
    card("contributions", say("contributions"), rule, make("div", { class: "beside" }, contributions.map((one) => one.element)))),
    make("div", { class: "card", id: "numbers" }, make("h3", {}, say("table")), table.elements)),
  status, summary);
document.getElementById("footer").append(make("p", {}, say("footer", { version: data.version })),
  make("button", { type: "button", onclick: () => print() }, say("print")));

showFields();
showTime();
outcomeChoice.show(state.outcome);
showPrinted();
render();

// For tests and other programs: the model itself, and a way to draw the page without waiting for a frame.
globalThis.hazboost = Object.freeze({ model, data, state, render });
