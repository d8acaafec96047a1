// Lists, and actions after a confirmation. The fragment of the URL has the list and its filters, so that "back" and links work.
// Texts of users reach the page as text nodes only.
const PER_PAGE = 100;
const LISTS = {
  instances: ["Instance", "Plan", "Phase", "Bindings", "Last operation", "Age", "Failure or progress", "Actions"],
  bindings: ["Binding", "Plan", "Phase", "Last operation", "Age", "Failure or progress", "Actions"],
  operations: ["Operation", "Plan", "Phase", "Last operation", "Age", "Failure or progress", "Actions"],
};
const ACTIONS = {
  retry: {
    title: "Retry the deletion?",
    text: "The broker deletes it again, as if the platform had asked for it.",
    ofInstance: " Its bindings are deleted first.",
    applies: (row) => row.phase === "create_failed" || row.phase === "delete_failed",
  },
  purge: {
    title: "Purge it?",
    text: "The broker deletes it, although the platform may still have it. This can't be undone.",
    ofInstance: " Its bindings and its data are deleted with it.",
    applies: (row) => row.phase && row.phase !== "gone" && row.phase !== "none",
  },
  cancel: {
    title: "Cancel the operation?",
    text: "It fails, as at its deadline. A creation is rolled back, and a deletion can be retried.",
    ofInstance: "",
    said: "The operation ends soon.",
    applies: (row) => operationOf(row).state === "in progress",
  },
};

const byId = (id) => document.getElementById(id);
// Without the characters that change the direction of the text after them, so that an id looks like another one.
const plain = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
const element = (name, attributes, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  const given = children.filter((child) => child !== undefined && child !== "");
  made.append(...given.map((child) => (typeof child === "string" ? plain(child) : child)));
  return made;
};

// Not relative to the URL of the page, which may have credentials. A program that mounts it may serve it without the last slash.
const base = location.origin + location.pathname.replace(/\/?$/, "/");
const send = async (path, options) => {
  let response;
  try {
    response = await fetch(base + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The broker does not answer.");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.description ?? "The broker answered " + response.status + ".");
  return { status: response.status, answer };
};

const say = (text, isError = false) => {
  byId("said").textContent = text;
  byId("said").classList.toggle("error", isError);
};

const view = () => {
  const [, list, query] = /^#?([^?]*)\??(.*)$/.exec(location.hash);
  return { list: Object.hasOwn(LISTS, list) ? list : "instances", query: new URLSearchParams(query) };
};
const link = (list, query) => "#" + list + (String(query) ? "?" + query : "");

const ago = (time) => {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  const units = [["d", 86400], ["h", 3600], ["min", 60]];
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ["s", 1];
  return element("time", { datetime: time, title: time }, Math.max(0, Math.floor(seconds / size)) + " " + unit);
};

// In the list of operations, the row is the operation.
const operationOf = (row) => (typeof row.operation === "object" ? row.operation : row);
const named = (row) => (row.binding_id ? "binding " + row.binding_id + " of instance " : "instance ") + row.instance_id;
const bindingsOf = (row) => new URLSearchParams({ instance: row.instance_id, tenant: row.tenant ?? "" });

const CELLS = {
  Instance: (row) => [element("code", {}, row.instance_id), element("small", {}, row.instance_name)],
  Binding: (row) => [element("code", {}, row.binding_id), element("small", {}, "of instance ", row.instance_id)],
  Operation: (row) => [element("code", {}, row.operation ?? "none"), element("small", {}, named(row))],
  Plan: (row) => [
    [row.service ?? row.service_id, row.plan ?? row.plan_id].filter((name) => name).join(", "),
    row.tenant && element("small", {}, "platform ", row.tenant),
  ],
  // In the words of the filter. A record that can't be read has no phase.
  Phase: (row) => [
    [...byId("phase").options].find((option) => option.value === row.phase)?.text ?? row.phase ?? "unreadable",
  ],
  Bindings: (row) => [
    row.binding_count ? element("a", { href: link("bindings", bindingsOf(row)) }, String(row.binding_count)) : "",
  ],
  "Last operation": (row) => {
    const { action, state, attempt } = operationOf(row);
    if (!action) return [];
    const bad = state === "failed" ? { class: "bad" } : {};
    return [element("span", bad, action + " " + state), attempt > 1 && element("small", {}, "attempt " + attempt)];
  },
  Age: (row) => [operationOf(row).began_at && ago(operationOf(row).began_at)],
  "Failure or progress": (row) => [operationOf(row).description ?? operationOf(row).progress, row.unreadable],
  Actions: (row) => {
    const button = (label, click) => {
      const made = element("button", { type: "button", "aria-label": label + ": " + named(row) }, label);
      made.addEventListener("click", click);
      return made;
    };
    const actions = Object.entries(ACTIONS).filter(([, action]) => action.applies(row));
    const capital = (name) => name[0].toUpperCase() + name.slice(1);
    return [
      button("Details", () => showDetails(row)),
      ...actions.map(([name, action]) => button(capital(name), () => confirmAction(name, action, row))),
    ];
  },
};

const fill = (list, rows) => {
  const columns = LISTS[list];
  document.querySelector("thead tr").replaceChildren(
    ...columns.map((name) => element("th", { scope: "col", role: "columnheader" }, name)),
  );
  const cell = (row, name, index) => {
    const content = CELLS[name](row).filter((part) => part);
    if (index === 0) return element("th", { scope: "row", role: "rowheader" }, ...content);
    const cell = element("td", { role: "cell", "data-column": name }, ...content);
    if (name.startsWith("Failure")) cell.className = "failure";
    return cell;
  };
  document.querySelector("tbody").replaceChildren(
    ...rows.map((row) => element("tr", { role: "row" }, ...columns.map((name, index) => cell(row, name, index)))),
  );
  byId("wide").hidden = rows.length === 0;
};

let loading = new AbortController();
const load = async (done = "") => {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const { list, query } = view();
  document.title = list[0].toUpperCase() + list.slice(1) + " – Administration";
  document.querySelector("caption").textContent = list;
  for (const field of ["search", "phase", "state"]) byId(field).value = query.get(field) ?? "";
  for (const entry of document.querySelectorAll("nav a")) {
    const isCurrent = entry.getAttribute("href") === "#operations?state=failed"
      ? list === "operations" && query.get("state") === "failed"
      : entry.getAttribute("href") === "#" + list && !(list === "operations" && query.get("state") === "failed");
    if (isCurrent) entry.setAttribute("aria-current", "page");
    else entry.removeAttribute("aria-current");
  }
  byId("phase").options[0].text = list === "operations" ? "all" : "all that exist";
  byId("only").hidden = !query.get("instance");
  byId("only").querySelector("code").textContent = query.get("instance") ?? "";
  say(done + " Loading …");
  try {
    const sent = new URLSearchParams([...query, ["limit", PER_PAGE]]);
    const { answer } = await send(list + "?" + sent, { signal });
    const rows = answer[list];
    fill(list, rows);
    const first = new URLSearchParams([...query].filter(([name]) => !name.startsWith("after")));
    byId("first").hidden = !query.has("after");
    byId("first").href = link(list, first);
    byId("next").hidden = !answer.next;
    if (answer.next) {
      const { tenant = "", instance_id, binding_id } = answer.next;
      const next = new URLSearchParams([...first, ["after", instance_id], ["after_tenant", tenant]]);
      if (binding_id) next.set("after_binding", binding_id);
      byId("next").href = link(list, next);
    }
    const more = answer.next ? ", and more on the next page" : "";
    say((done + " " + (rows.length || "No") + " " + (rows.length === 1 ? list.slice(0, -1) : list) + more + ".").trim());
  } catch (error) {
    if (signal.aborted) return;
    fill(list, []);
    byId("next").hidden = true;
    say(error.message, true);
  }
};

const showDetails = (row) => {
  const entries = (value, prefix) =>
    Object.entries(value).flatMap(([name, value]) => {
      if (value !== null && typeof value === "object") return entries(value, name + " ");
      return [[prefix + (prefix && name === "operation" ? "id" : name), value]];
    });
  const line = ([name, value]) =>
    element("div", {}, element("dt", {}, name.replaceAll("_", " ")), element("dd", {}, String(value)));
  byId("details").querySelector("dl").replaceChildren(...entries(row, "").map(line));
  byId("details").showModal();
};

const confirmAction = (name, action, row) => {
  const dialog = byId("confirm");
  const part = (selector) => dialog.querySelector(selector);
  part("h2").textContent = action.title;
  part("#confirm-text").textContent = action.text + (row.binding_id ? "" : action.ofInstance);
  part(".subject code").textContent = plain(named(row));
  part(".error").textContent = "";
  const go = part("#go");
  go.textContent = name[0].toUpperCase() + name.slice(1);
  go.disabled = false;
  go.onclick = async () => {
    // In a path, browsers resolve them even if they are encoded, and the request would reach another record.
    if ([row.instance_id, row.binding_id].some((id) => id === "." || id === "..")) {
      part(".error").textContent = "A browser can't send this id. Use the command `" + name + "`.";
      return;
    }
    go.disabled = true;
    const binding = row.binding_id ? "/bindings/" + encodeURIComponent(row.binding_id) : "";
    const path = "instances/" + encodeURIComponent(row.instance_id) + binding + "/" + name;
    const query = new URLSearchParams({ tenant: row.tenant ?? "" });
    try {
      const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
      const { status } = await send(path + "?" + query, options);
      dialog.close();
      await load(action.said ?? (status === 202 ? "The broker is deleting it." : "The broker has deleted it."));
      byId("said").focus();
    } catch (error) {
      part(".error").textContent = error.message;
      go.disabled = false;
      go.focus(); // it lost the focus when it was disabled
    }
  };
  dialog.showModal();
};

byId("filter").addEventListener("submit", (event) => {
  event.preventDefault();
  const { list, query } = view();
  const kept = [...query].filter(([name]) => name === "instance" || name === "tenant");
  const given = [...new FormData(byId("filter"))].filter(([, value]) => value.trim());
  const next = link(list, new URLSearchParams([...kept, ...given]));
  if (next === location.hash) load();
  else location.hash = next;
});
// The fragment stays as it is.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("content").focus();
});
byId("refresh").addEventListener("click", () => load());
for (const close of document.querySelectorAll("[data-close]")) {
  close.addEventListener("click", () => close.closest("dialog").close());
}
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (document.activeElement.matches("input, select, textarea")) return;
  event.preventDefault();
  byId("search").focus();
});
// The link is at the end of the page that it leaves.
for (const page of ["first", "next"]) byId(page).addEventListener("click", () => byId("said").focus());
window.addEventListener("hashchange", () => {
  window.scrollTo(0, 0);
  load();
});
load();
