"use strict";
// The JSON pointer of a member.
const pointer = (at, name) => at + "/" + String(name).replaceAll("~", "~0").replaceAll("/", "~1");
// Validates a value against a draft-04 schema. Returns a list of problems, each with a JSON pointer and a message. The
// broker has the last word: where exact validation is hard, as with formats, this function is more permissive.
const check = (() => {
  const typeOf = (value) => {
    if (value === null) return "null";
    if (Array.isArray(value)) return "array";
    return Number.isInteger(value) ? "integer" : typeof value;
  };
  const nouns = { array: "a list", boolean: "true or false", integer: "an integer", null: "null", number: "a number", object: "an object", string: "a string" };
  const formats = {
    "date-time": [/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/, "a date and time such as 2030-01-31T12:00:00Z"],
    email: [/^[^@\s]+@[^@\s]+$/, "an e-mail address"],
    hostname: [/^[A-Za-z0-9.-]+$/, "a host name"],
    ipv4: [/^\d{1,3}(\.\d{1,3}){3}$/, "an IPv4 address"],
    ipv6: [/^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/, "an IPv6 address"],
    uri: [/^[A-Za-z][A-Za-z0-9+.-]*:\S*$/, "a URI such as https://example.com/path"],
  };
  // Sorts members, so that equal values have equal texts.
  const canonical = (value) =>
    JSON.stringify(value, (_, inner) =>
      typeOf(inner) === "object" ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
    );
  const has = (object, name) => Object.prototype.hasOwnProperty.call(object, name);

  const find = (root, reference) => {
    const steps = reference.replace(/^#\/?/, "").split("/").filter((step) => step);
    return steps.reduce((at, step) => at?.[step.replaceAll("~1", "/").replaceAll("~0", "~")], root) ?? {};
  };

  // Undefined for a pattern that browsers can't compile; some compile only without `u`, such as `\-`.
  const matches = (pattern, text) => {
    for (const flags of ["u", ""]) {
      try {
        return new RegExp(pattern, flags).test(text);
      } catch {
        continue;
      }
    }
    return undefined;
  };

  const check = (schema, value, at = "", root = schema) => {
    if (schema.$ref) return check(find(root, schema.$ref), value, at, root);
    const problems = [];
    const wrong = (what) => problems.push({ at, what });
    const inside = (inner, member, name) => problems.push(...check(inner, member, pointer(at, name), root));

    const type = typeOf(value);
    const types = [schema.type ?? []].flat();
    if (types.length > 0 && !types.includes(type) && !(type === "integer" && types.includes("number"))) {
      return [{ at, what: "must be " + types.map((one) => nouns[one]).join(" or ") }];
    }
    if (schema.enum && !schema.enum.some((one) => canonical(one) === canonical(value))) {
      wrong("must be one of " + schema.enum.map((one) => JSON.stringify(one)).join(", "));
    }
    if (typeof value === "number") {
      // JavaScript has changed its last digits.
      const isInexact = type === "integer" && !Number.isSafeInteger(value);
      if (isInexact && !types.includes("number")) wrong("is too large for this page; write it into the JSON yourself");
      const { minimum: low, maximum: high, multipleOf: step } = schema;
      if (value < low || (schema.exclusiveMinimum && value === low)) wrong(`must be ${schema.exclusiveMinimum ? "more than" : "at least"} ${low}`);
      if (value > high || (schema.exclusiveMaximum && value === high)) wrong(`must be ${schema.exclusiveMaximum ? "less than" : "at most"} ${high}`);
      if (step && Math.abs(value / step - Math.round(value / step)) > 1e-9) wrong(`must be a multiple of ${step}`);
    }
    if (type === "string") {
      const length = [...value].length;
      if (length < schema.minLength) wrong(`must have at least ${schema.minLength} characters`);
      if (length > schema.maxLength) wrong(`must have at most ${schema.maxLength} characters`);
      if (schema.pattern && matches(schema.pattern, value) === false) wrong(`must match ${schema.pattern}`);
      const format = has(formats, schema.format ?? "") && formats[schema.format];
      if (format && !format[0].test(value)) wrong(`must be ${format[1]}`);
    }
    if (type === "array") {
      if (value.length < schema.minItems) wrong(`must have at least ${schema.minItems} items`);
      if (value.length > schema.maxItems) wrong(`must have at most ${schema.maxItems} items`);
      if (schema.uniqueItems && new Set(value.map(canonical)).size < value.length) wrong("must not have duplicate items");
      const tuple = Array.isArray(schema.items);
      value.forEach((item, i) => {
        const inner = tuple ? (schema.items[i] ?? schema.additionalItems) : schema.items;
        if (inner === false) wrong(`must have at most ${schema.items.length} items`);
        else if (typeOf(inner) === "object") inside(inner, item, i);
      });
    }
    if (type === "object") {
      const names = Object.keys(value);
      if (names.length < schema.minProperties) wrong(`must have at least ${schema.minProperties} keys`);
      if (names.length > schema.maxProperties) wrong(`must have at most ${schema.maxProperties} keys`);
      for (const name of schema.required ?? []) {
        if (!has(value, name)) problems.push({ at: pointer(at, name), what: "is required" });
      }
      for (const name of names) {
        const known = has(schema.properties ?? {}, name) ? [schema.properties[name]] : [];
        const patterns = Object.entries(schema.patternProperties ?? {}).map(([pattern, one]) => [matches(pattern, name), one]);
        if (patterns.some(([matching]) => matching === undefined)) continue;
        const inner = [...known, ...patterns.filter(([matching]) => matching).map(([, one]) => one)];
        if (inner.length === 0) inner.push(schema.additionalProperties ?? true);
        for (const one of inner) {
          if (one === false) problems.push({ at: pointer(at, name), what: "is unknown" });
          else if (one !== true) inside(one, value[name], name);
        }
      }
    }
    for (const inner of schema.allOf ?? []) problems.push(...check(inner, value, at, root));
    for (const [word, most] of [["anyOf", Infinity], ["oneOf", 1]]) {
      if (!schema[word]) continue;
      const verdicts = schema[word].map((inner) => check(inner, value, at, root)).sort((a, b) => a.length - b.length);
      const matching = verdicts.filter((verdict) => verdict.length === 0).length;
      if (matching === 0) problems.push(...verdicts[0]);
      else if (matching > most) wrong("matches more than one of the alternatives");
    }
    if (schema.not && check(schema.not, value, at, root).length === 0) wrong("is not allowed");
    return problems;
  };
  return (schema, value) => check(schema, value);
})();
