// 100 people, each of them with one outcome.

const PERSON = "M6 0a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2zM3.6 6.1h4.8a2.1 2.1 0 0 1 2.1 2.1v4.2a1 1 0 0 1-2 0V17a1.1 1.1 0 0 1-2.1 0h-.8a1.1 1.1 0 0 1-2.1 0v-4.6a1 1 0 0 1-2 0V8.2a2.1 2.1 0 0 1 2.1-2.1z";
const COLUMNS = 20, STEP = { x: 15, y: 22 };

// Events first, as they are what is asked for; the last are those without.
const inOrder = (counts) => [...counts.slice(1).map((count, i) => [i + 1, count]), [0, counts[0]]];

function makePeople() {
  const icons = Array.from({ length: 100 }, (_, i) =>
    draw("path", { d: PERSON, transform: `translate(${(i % COLUMNS) * STEP.x + 1.5} ${Math.floor(i / COLUMNS) * STEP.y + 2})` }));
  const svg = draw("svg", { role: "img", class: "people", viewBox: `0 0 ${COLUMNS * STEP.x} ${(100 / COLUMNS) * STEP.y}` }, icons);
  const legend = make("ul", { class: "legend" });
  const entries = outcomes.map((outcome, i) => {
    const count = make("strong");
    return { count, element: make("li", {}, draw("svg", { viewBox: "0 0 12 18.2", class: "key", "aria-hidden": "true" },
      draw("path", { d: PERSON, class: `outcome${i}` })), count, " ", name(outcome.label)) };
  });
  legend.append(...entries.slice(1).map((one) => one.element), entries[0].element);
  const shown = Array(100).fill(null);
  return {
    element: make("div", {}, svg, legend),
    show(counts) {
      let next = 0;
      for (const [outcome, count] of inOrder(counts)) {
        for (let i = 0; i < count; i++, next++) {
          if (shown[next] !== outcome) icons[next].setAttribute("class", `outcome${outcome}`);
          shown[next] = outcome;
        }
        entries[outcome].count.textContent = whole(count);
      }
      const items = inOrder(counts).map(([outcome, count]) => `${whole(count)} ${outcomes[outcome].label}`);
      svg.setAttribute("aria-label", say("peopleAbout", { list: list(items) }));
    },
  };
}
