// The frame of the calculator is as high as what is in it.
(() => {
  const frame = document.querySelector("iframe.calculator");
  if (!frame) return;
  const fit = () => { frame.style.height = `${frame.contentDocument.body.offsetHeight + 48}px`; };
  const begin = () => { fit(); new ResizeObserver(fit).observe(frame.contentDocument.body); };
  if (frame.contentDocument && frame.contentDocument.querySelector("main input")) begin();
  frame.addEventListener("load", begin);
})();
