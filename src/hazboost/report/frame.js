// The frame of the calculator is as high as what is in it.
(() => {
  const frame = document.querySelector("iframe.calculator");
  if (!frame) return;
  const fit = () => requestAnimationFrame(() => {
    frame.style.height = `${frame.contentDocument.body.offsetHeight + 48}px`;
  });
  frame.addEventListener("load", () => {
    fit();
    new ResizeObserver(fit).observe(frame.contentDocument.body);
  });
})();
