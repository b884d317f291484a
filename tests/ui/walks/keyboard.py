"""The keyboard alone: what Tab reaches on a page, whether its focus is seen, and what a screen reader hears of it."""

import time
from typing import Any

from tests.ui.browser.chromium import Browser

FRAME_S = 0.2  # seconds until the focus has gone into a frame or out of it
MOST_STOPS = 600  # presses of Tab on one page
BESIDES = "a[aria-hidden=true], svg[aria-hidden=true] *"
"""What only repeats another control: a picture of a passage whose title is a link, a box whose text is in the list."""
CONTROLS = f"""
window.walked = window.walked ?? [];
window.controlsOf = () => {{
  const group = new Set();
  const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, iframe, [tabindex]");
  return [...all].filter((one) => {{
    if (one.matches("{BESIDES}") || one.disabled || one.type === "hidden") return false;
    if (one.tabIndex < 0 && one.matches("[tabindex]:not(a, button, input, select, textarea)")) return false;
    if (!one.checkVisibility({{ visibilityProperty: true }}) || !one.getClientRects().length) return false;
    if (document.querySelector(":popover-open, dialog[open]")?.contains(one) === false) return false;
    if (one.type === "radio") {{ if (group.has(one.name)) return false; group.add(one.name); }}
    return true;
  }});
}};
window.nameOf = (one) => one.outerHTML.replace(/\\s+/g, " ").slice(0, 110);
window.notWalked = (all) => {{ // a live list may be a new one meanwhile
  const names = new Set(walked.map(nameOf));
  return all.filter((one) => !walked.includes(one)).map(nameOf).filter((name) => !names.has(name));
}};
"""
STOP = """
(() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const stays = one === window.walked.at(-1) && one.matches("iframe, input[type=date]"); // Tab goes on inside
  const again = !stays && window.walked.includes(one), trap = again && one === window.walked.at(-1);
  window.walked.push(one);
  const shown = one.type === "file" || one.matches(".phone-switch input") ? one.closest(".well, label") : one;
  const style = getComputedStyle(one), box = shown.getBoundingClientRect();
  const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  const marked = outlined || shown !== one || one.tagName === "IFRAME";
  const inView = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  return { again, trap, name: window.nameOf(one), marked, seen: inView && Number(style.opacity) > .5 || shown !== one };
})()
"""
BACK = """
window.forward = [...new Set(walked)].filter((one) => one.tagName !== "IFRAME" && one.checkVisibility());
forward.at(-1).focus();
walked.splice(0, Infinity, document.activeElement);
true
"""
"""Starts the way back at the last control; a frame at the end has its own."""
SILENT = ("none", "generic", "")
"""Roles that say nothing of a control."""


def walk(browser: Browser) -> list[str]:
    """Return what is wrong with only a keyboard: missed controls, unseen focus, traps, controls without a name."""
    browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    browser.run(CONTROLS + "document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0); true")
    browser.run("controlsOf()[0].focus(); walked.splice(0, Infinity, document.activeElement); true")
    found = _tab_through(browser)
    missed = browser.run("notWalked(controlsOf())")
    found += [f"not reached: {name}" for name in missed]
    browser.run(BACK)
    found += [f"backwards: {line}" for line in _tab_through(browser, backwards=True) if line.startswith("trap")]
    missed = browser.run("notWalked(forward)")
    return found + [f"not reached backwards: {name}" for name in missed] + unnamed(browser)


def unnamed(browser: Browser) -> list[str]:
    """Return the controls for which the accessibility tree has no role or no name."""
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    return [
        f"no role or name: {_text(node, 'role')} {node.get('backendDOMNodeId')}" for node in nodes if _is_silent(node)
    ]


def _tab_through(browser: Browser, *, backwards: bool = False) -> list[str]:
    found: list[str] = []
    for _ in range(MOST_STOPS):
        browser.press("Tab", shift=backwards)
        stop = browser.run(STOP)
        if stop is None:  # a frame of another process takes the focus a moment later
            time.sleep(FRAME_S)
            stop = browser.run(STOP)
        if stop is None or stop["again"]:
            found += [f"trap: {stop['name']}"] if stop and stop["trap"] else []
            break
        if not stop["marked"]:
            found.append(f"focus not marked: {stop['name']}")
        if not stop["seen"]:
            found.append(f"focus out of view: {stop['name']}")
    else:
        found.append("trap: Tab never ends")
    return found


def _is_silent(node: dict[str, Any]) -> bool:
    states = {one["name"]: one["value"].get("value") for one in node.get("properties", ())}
    if node.get("ignored") or not states.get("focusable") or _text(node, "role") in ("RootWebArea", "main", "Iframe"):
        return False
    is_item = _text(node, "role") == "listitem"  # chosen by j and k; its text is its content
    return not is_item and (_text(node, "role") in SILENT or not _text(node, "name").strip())


def _text(node: dict[str, Any], key: str) -> str:
    return str(node.get(key, {}).get("value", ""))
