import { expect, test } from "vitest";
import { parseConfig } from "./config.js";

test.each([
  [
    "a path in PUBLIC_URL, which links would lose",
    { PUBLIC_URL: "https://x.example.com/minutes" },
    "PUBLIC_URL must be",
  ],
  ["a query in PUBLIC_URL", { PUBLIC_URL: "https://x.example.com/?a=1" }, "PUBLIC_URL must be"],
  ["no scheme in PUBLIC_URL", { PUBLIC_URL: "minutes.example.com" }, "PUBLIC_URL must be"],
  ["SIGN_IN=oidc without a provider", { SIGN_IN: "oidc" }, "SIGN_IN leaves no way to sign in"],
  ["SIGN_IN=link without a mail server", { SIGN_IN: "link, oidc" }, "SIGN_IN leaves no way to sign in"],
])("the start is refused: %s", (_, settings, sentence) => {
  expect(() => parseConfig(settings)).toThrow(sentence);
});

/** A password in an address, as it is and percent-encoded. */
const PASSWORDS = ["p#w", "1#w", "p/w", "1/w", "p@w/x", "p?w", "p%w", "p%", "#", "/?"];

test.each(PASSWORDS)("a password that must be percent-encoded is refused in one sentence: %s", (password) => {
  const encoded = encodeURIComponent(password);
  for (const [name, scheme] of [
    ["DATABASE_URL", "postgres"],
    ["DATABASE_URL", "postgresql"],
    ["SMTP_URL", "smtps"],
  ] as const) {
    const parse = (text: string) => parseConfig({ [name]: `${scheme}://bob:${text}@db.example.com:5432/x` });
    expect(() => parse(password)).toThrow(
      new RegExp(`^${name} has reserved characters in its user or password. Percent-encode [^\n]+\\.$`),
    );
    expect(() => parse(password)).not.toThrow("bob");
    expect(() => parse(encoded)).not.toThrow();
  }
});

test.each([
  { PUBLIC_URL: "https://x.example.com/" },
  { DATABASE_URL: "postgres://h1:1,h2:2/db?user=anna@tenant" },
  { DATABASE_URL: "postgres://bob:p%40@h1:1,h2:2/db?options=a@b" },
  { DATABASE_URL: "postgres://bob:p@w@h1/db" },
  { DATABASE_URL: "postgres://bob:p@h1/my@db" },
  { DATABASE_URL: "postgres:///minutes?application_name=a@b" },
  { SIGN_IN: "oidc,password" },
  { SIGN_IN: "link", SMTP_URL: "smtp://localhost" },
])("%o is accepted", (settings) => {
  expect(() => parseConfig(settings)).not.toThrow();
});
