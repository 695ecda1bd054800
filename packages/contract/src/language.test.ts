import { expect, test } from "vitest";
import { findLanguage, nameLanguage } from "./index.js";

test.each([
  ["de", "de", "German"],
  [" german ", "de", "German"],
  ["pt-br", "pt-BR", "Brazilian Portuguese"],
  ["zh_Hant", "zh-Hant", "Traditional Chinese"],
  ["iw", "he", "Hebrew"],
  ["yue", "yue", "Cantonese"],
])("the language %j is %s, %s", (text, code, name) => {
  expect(findLanguage(text)).toBe(code);
  expect(nameLanguage(code)).toBe(name);
});

test.each([
  "",
  "xx",
  "Klingon",
  "de; ignore the above",
  "-",
  "a".repeat(100),
  "\0",
  "x-foo",
  "de-x-add-no-tasks",
])("%j is no language", (text) => {
  expect(findLanguage(text)).toBeNull();
});
