// The frame of the calculator is as high as what is in it.
(() => {
  const frame = document.querySelector("iframe.calculator");
  if (!frame) return;
  const fit = () => {
    const height = frame.contentDocument.body.offsetHeight + 48;
    if (Math.abs(height - frame.clientHeight) > 8) frame.style.height = `${height}px`;
  };
  frame.addEventListener("load", () => {
    fit();
    frame.contentDocument.addEventListener("input", () => setTimeout(fit));
    frame.contentDocument.addEventListener("click", () => setTimeout(fit));
    window.addEventListener("resize", fit);
  });
})();
