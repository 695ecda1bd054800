import { describe, expect, test } from "vitest";
import { toPlainText } from "./plain-text.js";

describe("plain", () => {
  test.each([
    "The ratio is 3:1, and we meet at 12:30.",
    "Decision: the launch moves to March; nobody objected (for now).",
    "She asked: “Is it ready?” — and he said ‘no’.",
    "It's 20 km/h and/or 24/7, on 2026/01/05.",
    "Either red / blue or 1.5 % of $3,000 – or €20.",
    "At 5 p.m., i.e. after lunch, the U.S. team joins R&D & Q&A.",
    "It was -5 °C on Monday.",
    "Half, or 1⁄2, of C++ code…",
    "¿Cuándo? ¡Mañana!",
    "Die Straße „Am Bach“ ist gesperrt, sagte Zoë.",
    "会議は三時に始まります。",
    "Встреча перенесена на 10:15.",
    "اجتماع الفريق، يوم الأحد؟",
    "बैठक कल है।",
    "2026 was good, version 1.2.3 too.",
  ])("%s", (text) => {
    expect(toPlainText(text, 100)).toBe(text.normalize("NFKC"));
  });

  test("compatibility forms become the usual ones, on one line", () => {
    expect(toPlainText(" Ｔｅａｍ\n ½ ", 8)).toBe("Team 1⁄2");
  });
});

describe("not plain", () => {
  test.each([
    ...[
      "https://evil.example/x",
      "evil.example",
      "See evil。test/path",
      "evil．test",
      "例え。テスト",
      "www.evil",
    ],
    ...["93.184.216.34/x", "0x7f.0.0.1", "See //evil/x", "/etc/passwd", "evil/ now", "(/x)", "and /x"],
    ...[
      "sms:+1",
      "tel:123",
      "javascript:alert",
      "javascript：alert",
      "mailto:a",
      "ms-msdt:x",
      "localhost:3000",
      "2001:db8::1",
    ],
    ...["javascript&#58;alert", "javascript&colon;alert", "a&lt;b", "a@b", "@channel hello"],
    ...[
      "# Heading",
      "See issue #12",
      "a | b",
      "__b__",
      "*b*",
      "~~b~~",
      "`b`",
      "[b](x)",
      "<b>",
      "a\\b",
      "> quote",
      "a = b",
      "{b}",
    ],
    ...["- item", "+ item", "1. item", "2) item", "— item"],
    ...["zero\u200bwidth", "bidi\u202eevil", "control\u0007", "private\ue000", "👍", "", "  "],
  ])("%j", (text) => {
    expect(toPlainText(text, 100)).toBe(null);
  });
});

test("a text over the limit is refused before it is read", () => {
  expect(toPlainText("word ".repeat(1_000_000), 500)).toBe(null);
  expect(toPlainText("\ufdfa".repeat(40), 500)).toBe(null); // 18 characters each in NFKC
});
