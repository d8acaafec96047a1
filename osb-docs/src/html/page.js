// Search, links and copy buttons, and helpers for the other scripts.
const count = (number, noun) => number + " " + noun + (number === 1 ? "" : "s");
{
  const byId = (id) => document.getElementById(id);
  const all = (selector, within) => [...within.querySelectorAll(selector)];
  const textOf = (elements) => elements.map((element) => element.textContent).join(" ").toLowerCase();

  // The search covers services, their plans, and the rows of tables. Samples are left out, as they resemble each other.
  const services = all("section.service", document).map((element) => {
    const title = element.querySelector(":scope > :is(h1, h2)").textContent.toLowerCase();
    return {
      element,
      title,
      text: textOf(all(":scope > :not(section)", element)),
      parts: all(":scope > section.part", element),
      plans: all(":scope > section.plan", element).map((plan) => ({
        element: plan,
        title: title + " " + plan.querySelector(":is(h2, h3)").textContent.toLowerCase(),
        text: textOf(all(":scope > :not(section), :scope > section > :not(section, .wide, .sample, h3, h4, details)", plan)),
        parts: all(":scope > section.part", plan),
        rows: all("tbody > tr", plan).map((row) => ({ element: row, text: textOf([row]) })),
      })),
    };
  });
  const entries = all("nav [data-for]", document);
  const query = byId("query");

  const filter = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter((word) => word);
    const everything = words.length === 0;
    // A text matches if it contains at least one of the words, and its surroundings contain the others.
    const hits = (text, around) =>
      everything || (words.some((word) => text.includes(word)) && words.every((word) => text.includes(word) || around.includes(word)));
    const shown = new Set();
    const found = { services: 0, plans: 0, parameters: 0 };
    const show = (element, visible) => {
      element.hidden = !visible;
      if (visible) shown.add(element.id);
    };
    for (const service of services) {
      const whole = hits(service.text, "");
      let visible = whole;
      for (const plan of service.plans) {
        const all = whole || hits(plan.text, service.title);
        const some = new Set(plan.rows.filter((row) => hits(row.text, plan.title)).map((row) => row.element));
        for (const { element } of plan.rows) {
          element.hidden = !all && !some.has(element);
          element.classList.toggle("hit", !everything && some.has(element));
        }
        for (const part of plan.parts) {
          part.hidden = !all && ![...some].some((row) => part.contains(row));
        }
        show(plan.element, all || some.size > 0);
        visible ||= all || some.size > 0;
        found.plans += plan.element.hidden ? 0 : 1;
        found.parameters += some.size;
      }
      for (const part of service.parts) part.hidden = !whole;
      show(service.element, visible);
      found.services += visible ? 1 : 0;
    }
    for (const entry of entries) entry.hidden = !shown.has(entry.dataset.for);
    for (const list of all("section.broker > ul", document)) list.hidden = !everything;
    byId("nothing").hidden = found.services > 0;
    byId("found").textContent = everything
      ? ""
      : count(found.services, "service") + ", " + count(found.plans, "plan") + ", " + count(found.parameters, "field");
  };

  const clear = () => {
    query.value = "";
    filter();
  };

  query.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement === query) clear();
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.activeElement.matches("input, select, textarea")) return;
    event.preventDefault();
    query.focus();
  });
  // Shows the target of a link even if the search or a collapsed section hides it.
  const arrive = () => {
    const target = byId(location.hash.slice(1));
    if (!target) return;
    for (const details of all(":scope > details", target)) details.open = true;
    if (!target.closest("[hidden]")) return;
    clear();
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", arrive);

  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    // The clipboard API is missing on pages served over plain HTTP.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("the browser refused to copy");
  };
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("button.copy");
    if (!button) return;
    const code = button.closest("figure").querySelector("code");
    let outcome = "Copied";
    try {
      await copy(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      outcome = "Selected";
    }
    button.focus();
    button.textContent = outcome;
    byId("copied").textContent = outcome;
    setTimeout(() => {
      button.textContent = "Copy";
      byId("copied").textContent = "";
    }, 2000);
  });
  for (const button of all("button.copy", document)) button.hidden = false;

  byId("search").hidden = false;
  query.value = new URLSearchParams(location.search).get("q") ?? "";
  filter();
  arrive();
}
