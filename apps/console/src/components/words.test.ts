import { expect, test } from "vitest";
import { describeBrowser, foldText, toInitials } from "./words";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/150.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/150.0.0.0 Safari/537.36`, "Chrome on ChromeOS"],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0`,
    "Edge on Windows",
  ],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Windows"],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15",
    "Safari on macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/150.0 Mobile/15E148 Safari/604.1",
    "Chrome on iPhone",
  ],
  [`Mozilla/5.0 (Linux; Android 15) ${WEBKIT} Chrome/150.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
])("a session shows its browser and system: %s", (userAgent, described) => {
  expect(describeBrowser(userAgent)).toBe(described);
});

test.each(["curl/8.5.0", "minutes"])(
  "a program that is no browser is shown as it calls itself: %s",
  (name) => {
    expect(describeBrowser(name)).toBe(name);
  },
);

test.each([
  ["Ada Lovelace", "AL"],
  ["🎉 Ada 👩‍🚀 Lovelace", "AL"],
  ["ada", "AD"],
  ["Speaker 2", "S2"],
  ["𐐨𐐩 Ben", "𐐀B"],
  ["🎉", "?"],
])("initials of %s", (name, initials) => {
  expect(toInitials(name)).toBe(initials);
});

test("a text is found without its accents and case, however its accents are written", () => {
  expect(["Pádraig", "PA\u0301DRAIG", "padraig"].map(foldText)).toEqual(["padraig", "padraig", "padraig"]);
});
