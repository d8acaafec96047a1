// Forms that build the JSON of parameters, generated from the schemas in the page.
{
  const make = (name, properties, ...inside) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...inside);
    return element;
  };
  let made = 0;

  // A control with its label, its description and its error message.
  const labelled = (control, name, schema, required) => {
    const id = "form-" + ++made;
    control.id = id;
    if (schema.default !== undefined) control.placeholder = JSON.stringify(schema.default).replace(/^"(.*)"$/, "$1");
    control.setAttribute("aria-describedby", id + "-about " + id + "-wrong");
    if (required) control.required = true;
    const label = make("label", { htmlFor: id }, make("code", {}, name), required ? make("strong", {}, " required") : "");
    const about = make("small", { id: id + "-about" }, schema.description ?? "");
    const wrong = make("small", { id: id + "-wrong", className: "wrong" });
    const element = make("div", { className: "field" }, label, control, about, wrong);
    const complain = (what) => {
      wrong.textContent = what;
      control.setAttribute("aria-invalid", String(what !== ""));
    };
    return { element, complain };
  };

  const asJson = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  const asNumber = (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim()) ? Number(text) : text);
  const isTyped = (schema, ...types) => types.includes([schema.type ?? []].flat().find((type) => type !== "null"));

  // Every field has `value()`, which is undefined if the field is empty, and `complain(problems)`, which shows the problems
  // of this field and returns the others.
  const simple = (control, schema, name, at, required, read) => {
    const { element, complain } = labelled(control, name, schema, required);
    return {
      element,
      value: () => (control.value === "" ? undefined : read(control.value)),
      complain: (problems) => {
        const own = problems.filter((problem) => problem.at === at || problem.at.startsWith(at + "/"));
        complain(own.map((problem) => problem.what).join("; "));
        return problems.filter((problem) => !own.includes(problem));
      },
    };
  };

  const group = (fields, title, about, required) => ({
    element: make("fieldset", {}, make("legend", {}, title), about ? make("small", {}, about) : "", ...fields.map(({ field }) => field.element)),
    value: () => {
      const members = fields.map(({ name, field }) => [name, field.value()]).filter(([, value]) => value !== undefined);
      return members.length > 0 || required ? Object.fromEntries(members) : undefined;
    },
    complain: (problems) => fields.reduce((left, { field }) => field.complain(left), problems),
  });

  const members = (schema, at, skipped) =>
    Object.entries(schema.properties ?? {})
      .filter(([name]) => name !== skipped)
      .map(([name, inner]) => ({
        name,
        field: make_field(inner, name, pointer(at, name), (schema.required ?? []).includes(name)),
      }));

  const options = (values) => [make("option", { value: "" }, ""), ...values.map((value) => make("option", { value: JSON.stringify(value) }, String(value)))];

  // The property that distinguishes the objects of `oneOf`, if there is one.
  const tag = (schema) => {
    const one = schema.oneOf?.[0]?.properties ?? {};
    return Object.keys(one).find((name) => schema.oneOf.every((variant) => variant.properties?.[name]?.enum?.length === 1));
  };

  const choice = (schema, name, at, required, by) => {
    const variants = schema.oneOf.map((variant) => ({
      value: variant.properties[by].enum[0],
      fields: group(members(variant, at, by), by + " = " + variant.properties[by].enum[0], variant.description, true),
    }));
    const select = make("select", {}, ...options(variants.map(({ value }) => value)));
    const own = simple(select, schema, name + "." + by, at, required, JSON.parse);
    const chosen = () => variants.find(({ value }) => value === own.value());
    const show = () => variants.forEach(({ value, fields }) => (fields.element.hidden = value !== own.value()));
    select.addEventListener("change", show);
    show();
    return {
      element: make("div", {}, own.element, ...variants.map(({ fields }) => fields.element)),
      value: () => chosen() && { [by]: own.value(), ...chosen().fields.value() },
      complain: (problems) => own.complain(chosen() ? chosen().fields.complain(problems) : problems),
    };
  };

  const make_field = (schema, name, at, required) => {
    // A nullable value, expressed as `anyOf` null and another schema.
    const other = schema.anyOf?.length === 2 && schema.anyOf[0].type === "null" ? schema.anyOf[1] : undefined;
    const nullable = other !== undefined || [schema.type].flat().includes("null");
    const reset = nullable ? "Enter null to reset it to its default, or to remove it." : "";
    const describe = (...sentences) => sentences.filter((sentence) => sentence).join(" ");
    const said = describe((other ?? schema).description ?? schema.description, reset);
    const inner = { ...(other ?? schema), description: said };
    const by = tag(inner);
    if (by !== undefined) return choice(inner, name, at, required, by);
    if (isTyped(inner, "object") && inner.properties) return group(members(inner, at), name, inner.description, required);
    const input = (properties) => make("input", { type: "text", autocomplete: "off", spellcheck: false, ...properties });
    const field = (control, read, about = "") => {
      const orNull = (text) => (nullable && text.trim() === "null" ? null : read(text));
      return simple(control, { ...inner, description: describe(said, about) }, name, at, required, orNull);
    };
    const choose = (values) => field(make("select", {}, ...options([...values, ...(nullable ? [null] : [])])), JSON.parse);
    if (inner.enum) return choose(inner.enum.filter((value) => value !== null));
    if (isTyped(inner, "boolean")) return choose([true, false]);
    if (isTyped(inner, "integer", "number")) return field(input({ inputMode: "decimal" }), asNumber);
    if (isTyped(inner, "string")) return field(input(), (text) => text);
    if (isTyped(inner, "array") && isTyped(inner.items ?? {}, "string", "integer", "number")) {
      const read = isTyped(inner.items, "string") ? (text) => text : asNumber;
      const lines = (text) => text.split("\n").filter((line) => line !== "").map(read);
      return field(make("textarea", { rows: 3 }), lines, "One per line.");
    }
    return field(make("textarea", { rows: 3, spellcheck: false }), asJson, "As JSON.");
  };

  const sample = (what) => {
    const code = make("code", {});
    const copy = make("button", { type: "button", className: "copy", ariaLabel: "Copy: " + what }, "Copy");
    const pre = make("pre", { tabIndex: 0, ariaLabel: what }, code);
    return { element: make("figure", { className: "sample" }, make("figcaption", {}, make("span", {}, what), copy), pre), code };
  };

  const open = (details) => {
    const schema = JSON.parse(details.dataset.schema);
    const field = make_field(schema, "Parameters", "", true);
    const verdict = make("p", { className: "verdict", role: "status" });
    const json = sample("Parameters");
    const command = sample("Cloud Foundry command");
    const update = (edited) => {
      const value = field.value() ?? {};
      const problems = check(schema, value);
      // An untouched form shows no errors.
      const rest = field.complain(edited ? problems : []).map(({ at, what }) => "; " + (at || "the parameters") + " " + what);
      verdict.textContent = problems.length === 0 ? "These parameters are valid." : edited ? count(problems.length, "problem") + rest.join("") : "";
      verdict.classList.toggle("wrong", problems.length > 0);
      json.code.textContent = JSON.stringify(value, null, 2);
      command.code.textContent = details.dataset.command + " -c '" + JSON.stringify(value).replaceAll("'", "'\\''") + "'";
    };
    const form = make("form", { noValidate: true }, field.element, verdict, json.element, command.element);
    form.addEventListener("input", () => update(true));
    form.addEventListener("submit", (event) => event.preventDefault());
    details.append(form);
    update(false);
  };

  for (const details of document.querySelectorAll("details.fill")) {
    details.hidden = false;
    details.addEventListener("toggle", () => open(details), { once: true });
  }
}
