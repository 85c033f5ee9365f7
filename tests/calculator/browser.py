"""A page in headless Chromium, without a network, and what can be asked of it."""

from __future__ import annotations

import re

from tests.calculator.running import PREDICT_ALL

UPDATES = """
() => {
  const { data, state, render } = hazboost, took = [];
  for (let round = 0; round < 50; round++) {
    data.inputs.forEach((input, i) => {
      const { options, from, to } = input;
      const value = options ? options[round % options.length][0] : from + (round / 50) * (to - from);
      if (i % 3 === round % 3) state.scenarios[state.editing][i] = value;
    });
    state.outcome = round % (data.events.length + 1);
    const begin = performance.now();
    render();
    document.body.getBoundingClientRect(); // the layout counts too
    took.push(performance.now() - begin);
  }
  return took;
}
"""
# The place of the element that has the focus among all elements, and its label for screen readers.
FOCUSED = """
() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const labels = [...(element.labels ?? [])].map((one) => one.textContent).join(" ");
  const label = labels || element.getAttribute("aria-label") || element.textContent;
  return [[...document.querySelectorAll("*")].indexOf(element), label.trim(), element.outerHTML.slice(0, 100)];
}
"""


class Browser:
    """One page, opened from its file; requests and messages are ``noise``."""

    def __init__(self, playwright, chromium, path):
        self.noise = []
        self._browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        self._context = self._browser.new_context(
            offline=True, viewport={"width": 1280, "height": 900}, bypass_csp=False
        )
        self.page = self._context.new_page()
        self.page.on("console", lambda message: self.noise.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self.noise.append(f"dialog: {dialog.message}"))
        self.page.on("request", self._note_request)
        self._url = path.as_uri()
        self.page.goto(self._url)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._browser.close()

    def _note_request(self, request):
        if request.url != self._url:
            self.noise.append(f"request: {request.url[:200]}")

    def predict(self, rows, times, tau):
        """What the model in the page predicts; infinity is None."""
        return self.page.evaluate(
            f"""([rows, times, tau]) => {{
              {PREDICT_ALL}
              const predicted = rows.map((row) => predictAll(hazboost.model, row, times, tau));
              return JSON.parse(JSON.stringify(predicted));
            }}""",
            [rows, times, tau],
        )

    def time_updates(self):
        """Milliseconds of a number of updates, with one scenario and then with two; of the clock, and of computing.

        Where other programs compute too, the clock also counts these.
        """
        session = self._context.new_cdp_session(self.page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        begin = _computing(session)
        took = self.page.evaluate(UPDATES)
        self.page.click("#inputs .buttons button:first-child")
        took += self.page.evaluate(UPDATES)
        return took, 1000.0 * (_computing(session) - begin) / len(took)

    def violations(self, axe, scheme):
        """Rules of axe-core that are broken, on a wide and on a narrow screen."""
        self.page.emulate_media(color_scheme=scheme)
        found = []
        for width in (1280, 390):
            self.page.set_viewport_size({"width": width, "height": 844})
            self.page.evaluate(axe.read_text(encoding="utf-8"))
            results = self.page.evaluate("async () => (await axe.run()).violations")
            found += [f"{width} px: {one['id']}: {one['nodes'][0]['html'][:120]}" for one in results]
            wider = self.page.evaluate("document.documentElement.scrollWidth") - width
            found += [f"{width} px: the page is {wider} px too wide"] if wider > 0 else []
        self.page.set_viewport_size({"width": 1280, "height": 900})
        return found

    def tab_stops(self):
        """Places in the page of what Tab leads to, one after the other, and elements without a label."""
        self.page.evaluate("document.activeElement?.blur()")
        stops, unlabelled = [], []
        for _ in range(200):
            self.page.keyboard.press("Tab")
            focused = self.page.evaluate(FOCUSED)
            if focused is None or focused[0] in stops:
                break
            stops.append(focused[0])
            unlabelled += [] if focused[1] else [focused[2]]
        return stops, unlabelled

    def use_keyboard(self):
        """What is wrong when a number is moved, and a choice is made, by arrow keys, and the result is to be heard."""
        wrong, box = [], self.page.locator("#inputs input[type=number]").first
        before, step = float(box.input_value()), self.page.evaluate("hazboost.data.inputs[0].step")
        box.focus()
        self.page.keyboard.press("ArrowUp")
        if abs(float(box.input_value()) - before - step) > 1e-9 * max(1.0, abs(before)):
            wrong.append("an arrow key does not move a number by one step")
        checked = self.page.locator("[name=outcome]:checked")
        chosen = checked.get_attribute("id")
        checked.focus()
        self.page.keyboard.press("ArrowRight")
        now = self.page.locator("[name=outcome]:checked").get_attribute("id")
        if now == chosen or now != f"outcome-{self.page.evaluate('hazboost.state.outcome')}":
            wrong.append("an arrow key does not choose another outcome")
        self.page.wait_for_timeout(1_000)
        if self.page.locator(".sentence").first.text_content() not in self.page.locator("[role=status]").text_content():
            wrong.append("the result is not announced")
        return wrong

    def printed_pages(self, path):
        """Number of pages on paper."""
        self.page.pdf(path=path, prefer_css_page_size=True)
        return len(re.findall(rb"/Type\s*/Page\b", path.read_bytes()))


def _computing(session):
    """Seconds that the page has computed so far."""
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return metrics["TaskDuration"]
