// The layout of the page, and its first drawing.

const card = (id, title, ...content) => make("section", { class: "card", id, "aria-labelledby": `${id}-title` },
  make("h3", { id: `${id}-title` }, title), content);
const beside = (elements) => make("div", { class: "beside" }, elements);

function layOutForm() {
  const shown = fields.filter((_, i) => !data.inputs[i].folded), folded = fields.filter((_, i) => data.inputs[i].folded);
  return make("form", { id: "inputs", "aria-labelledby": "inputs-title", onsubmit: (event) => event.preventDefault() },
    make("h2", { id: "inputs-title" }, say("inputs")),
    make("div", { class: "buttons" }, compareButton, resetButton),
    scenarioChoice.element,
    shown.map((field) => field.element),
    folded.length ? make("details", {}, make("summary", {}, say("more", { count: folded.length })), folded.map((field) => field.element)) : null,
    data.unused.length ? make("p", { class: "small" }, say("unused", { names: list(data.unused.map(isolate)) })) : null,
    printed);
}

function layOutResults() {
  const timeField = make("div", { class: "field" }, make("label", { for: "time" }, timeLabel()),
    make("div", { class: "number" }, timeBox, timeSlider));
  return make("div", { id: "results", role: "region", "aria-labelledby": "results-title" },
    make("h2", { id: "results-title", class: "hidden" }, say("results")),
    make("div", { class: "card answer" }, make("div", { class: "controls" }, timeField, outcomeChoice.element),
      sentences, comparison, cohortSentence, warningBox),
    card("curve", say("curve"), chart.element, chartLegend),
    make("div", { class: "pair" },
      card("people", say("people"), beside(people.map((one, i) => make("div", {}, peopleHeadings[i], one.element)))),
      card("contributions", say("contributions"), rule, beside(contributions.map((one) => one.element)))),
    make("div", { class: "card", id: "numbers" }, make("h3", {}, say("table")), table.elements));
}

document.getElementById("header").append(make("h1", {}, name(data.title)), make("p", {}, say("about", {
  subjects: whole(data.cohort.subjects), events: whole(data.cohort.events), longest: sayTime(data.time.longest) })));
document.getElementById("main").append(layOutForm(), layOutResults(), status, summary);
document.getElementById("footer").append(make("p", {}, say("footer", { version: data.version })),
  make("button", { type: "button", onclick: () => print() }, say("print")));

showFields();
showTime();
outcomeChoice.show(state.outcome);
showPrinted();
render();

// For tests and other programs: the model itself, and a way to draw the page without waiting for a frame.
globalThis.hazboost = Object.freeze({ model, data, state, render });
