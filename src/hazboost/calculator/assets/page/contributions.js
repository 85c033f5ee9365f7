// What each input changes: the difference to a person who differs in this input alone, which is typical there.

const MOST_BARS = 8, CONTRIBUTION_ACCURACY = 1e-7;

function contributionsOf(values, time, outcome, now) {
  return data.inputs.map((input, i) => {
    const typical = typicalValue(input);
    if (Object.is(values[i], typical)) return { input, value: values[i], effect: 0 };
    const others = values.slice();
    others[i] = typical;
    const distribution = model.predict(rowOf(others));
    const share = outcome === 0 ? distribution.survival(time) : distribution.incidences([time], CONTRIBUTION_ACCURACY)[outcome - 1][0];
    return { input, value: values[i], effect: 100 * (now - share) };
  });
}

function makeContributions() {
  const heading = make("h4"), rows = make("ul", { class: "bars" }), rest = make("p", { class: "small" });
  return {
    element: make("div", { class: "contributions" }, heading, rows, rest),
    show(title, found, largest) {
      heading.textContent = title;
      heading.hidden = title === "";
      const moved = found.filter((one) => !Object.is(one.value, typicalValue(one.input)));
      moved.sort((one, other) => Math.abs(other.effect) - Math.abs(one.effect));
      rows.replaceChildren(...moved.slice(0, MOST_BARS).map(({ input, value, effect }) => {
        const size = Math.min(50, (50 * Math.abs(effect)) / largest);
        const bar = draw("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
          draw("line", { x1: 50, x2: 50, y1: 0, y2: 10 }),
          draw("rect", { x: effect < 0 ? 50 - size : 50, y: 1.5, width: size, height: 7 }));
        return make("li", {}, make("span", { class: "what" }, name(input.label), `: ${sayValue(input, value)}`,
          make("span", { class: "typical" }, say("typicalIs", { value: sayValue(input, typicalValue(input)) }))), bar,
        make("span", { class: "effect" }, signed(effect)));
      }));
      rest.textContent = moved.length === 0 ? say("contributionsNone")
        : moved.length > MOST_BARS ? say("contributionsRest", { count: moved.length - MOST_BARS }) : "";
      rest.hidden = rest.textContent === "";
    },
  };
}
