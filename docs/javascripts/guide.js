// Wide tables and long lines of code scroll. Make each of them reachable by keyboard, also where the theme adds them late
// or takes this back at another width, and give the buttons of each code block a name of their own.
function makeReachable() {
  for (const region of document.querySelectorAll(".md-typeset__scrollwrap, pre > code")) {
    if (region.tabIndex !== 0) region.tabIndex = 0;
  }
  document.querySelectorAll(".md-code__nav").forEach((nav, index) => {
    const name = `Code block ${index + 1}`;
    if (nav.getAttribute("aria-label") !== name) nav.setAttribute("aria-label", name);
  });
}
makeReachable();
new MutationObserver(makeReachable).observe(document.body, { attributeFilter: ["tabindex"], childList: true, subtree: true });
