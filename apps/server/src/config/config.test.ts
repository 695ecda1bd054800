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

test.each([
  { PUBLIC_URL: "https://x.example.com/" },
  { SIGN_IN: "oidc,password" },
  { SIGN_IN: "link", SMTP_URL: "smtp://localhost" },
])("%o is accepted", (settings) => {
  expect(() => parseConfig(settings)).not.toThrow();
});
