// Review by keyboard: j/k move, a approves, r rejects, u goes back to the last decision, n opens the next document.
import { csrf, isTyping, say } from "./app.js";

const items = [...document.querySelectorAll("#flags > li")];
const sheets = [...document.querySelectorAll(".sheet")];
const onward = document.getElementById("onward");
const decided = [];
let at = -1;

function select(index, focus = true) {
  const item = items[index];
  if (!item) return;
  at = index;
  for (const old of document.querySelectorAll(".selected")) old.classList.remove("selected");
  item.classList.add("selected");
  for (const sheet of sheets) sheet.hidden = sheet.dataset.page !== item.dataset.page;
  for (const rect of document.querySelectorAll(`rect[data-block="${CSS.escape(item.dataset.block)}"]`)) rect.classList.add("selected");
  if (focus) item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
}

function isOpen(item) {
  return !item.classList.contains("done");
}

async function decide(index, decision) {
  const item = items[index];
  if (!item || !item.querySelector(".decide")) return;
  const answer = await fetch(item.dataset.url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: JSON.stringify({ flag: item.dataset.flag, decision }),
  }).catch(() => null);
  if (!answer?.ok) {
    say(answer ? `Not saved: the service answered ${answer.status}.` : "Not saved: the connection was lost.");
    return;
  }
  const state = item.querySelector(".state");
  state.className = `state chip ${decision}`;
  state.textContent = decision;
  state.hidden = false;
  item.classList.add("done");
  decided.push(index);
  say(`${item.dataset.flag} ${decision}`);
  advance(index);
}

function advance(index) {
  const next = [...items.keys()].map((step) => (index + 1 + step) % items.length).find((one) => isOpen(items[one]));
  if (next !== undefined) {
    select(next);
    return;
  }
  say("Every flag of this document is decided.");
  setTimeout(() => { location.href = onward.href; }, 400);
}

for (const [index, item] of items.entries()) {
  item.addEventListener("click", (event) => { if (!event.target.closest("button")) select(index, false); });
  item.querySelector(".decide")?.addEventListener("submit", (event) => {
    event.preventDefault();
    decide(index, event.submitter.value);
  });
}

let queue = Promise.resolve();
document.addEventListener("keydown", (event) => {
  if (isTyping(event)) return;
  const acts = {
    j: () => select(Math.min(at + 1, items.length - 1)),
    k: () => select(Math.max(at - 1, 0)),
    a: () => decide(at, "approved"),
    r: () => decide(at, "rejected"),
    u: () => select(decided.pop() ?? at),
    n: () => { location.href = onward.href; },
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  queue = queue.then(act); // quick fingers: one decision after the other
});

if (items.length) select(0);
