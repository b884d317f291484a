// Wide tables and long lines of code scroll. Make each of them reachable by keyboard.
window.addEventListener("load", () =>
  setTimeout(() => document.querySelectorAll(".md-typeset__scrollwrap, pre > code").forEach((region) => { region.tabIndex = 0; })),
);
