import { addTerm, createKeyring, createTargetPolicy, generateSecretsKey } from "@minutes/core";
import type { TestServer } from "@minutes/server/testing";
import type { Company } from "@minutes/testing";
import { asUser, createIngestKey, createPersonalKey, createPersonalWebhook } from "@minutes/testing";

/** Ways to inject a script into a page, based on OWASP's XSS Filter Evasion Cheat Sheet. Each would open a dialog. */
const SCRIPTS: readonly string[] = [
  `<script>alert(1)</script>`,
  `<SCRIPT SRC=https://example.com/x.js></SCRIPT>`,
  `<IMG SRC="javascript:alert(1);">`,
  `<IMG SRC=JaVaScRiPt:alert(1)>`,
  `<IMG """><SCRIPT>alert(1)</SCRIPT>">`,
  `<IMG SRC=# onmouseover="alert(1)">`,
  `<IMG SRC=/ onerror="alert(1)"></img>`,
  `<img src=x onerror="&#0000106&#0000097&#0000118&#0000097&#0000115&#0000099&#0000114&#0000105&#0000112&#0000116&#0000058alert(1)">`,
  `<IMG SRC="jav&#x0A;ascript:alert(1);">`,
  `<SCRIPT/XSS SRC="https://example.com/x.js"></SCRIPT>`,
  `<BODY onload!#$%&()*~+-_.,:;?@[/|\\]^\`=alert(1)>`,
  `<<SCRIPT>alert(1);//\\<</SCRIPT>`,
  `<IMG SRC="\`('XSS')"\``,
  `</TITLE><SCRIPT>alert(1);</SCRIPT>`,
  `<INPUT TYPE="IMAGE" SRC="javascript:alert(1);">`,
  `<BODY BACKGROUND="javascript:alert(1)">`,
  `<svg/onload=alert(1)>`,
  `<svg><script>alert(1)</script></svg>`,
  `<svg><a xlink:href="javascript:alert(1)"><text x="20" y="20">go</text></a></svg>`,
  `<LINK REL="stylesheet" HREF="javascript:alert(1);">`,
  `<STYLE>@im\\port'\\ja\\vasc\\ript:alert(1)';</STYLE>`,
  `<DIV STYLE="background-image: url(javascript:alert(1))">x</DIV>`,
  `<META HTTP-EQUIV="refresh" CONTENT="0;url=javascript:alert(1);">`,
  `<IFRAME SRC="javascript:alert(1);"></IFRAME>`,
  `<IFRAME SRC=# onmouseover="alert(1)"></IFRAME>`,
  `<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>`,
  `<TABLE BACKGROUND="javascript:alert(1)">`,
  `<BASE HREF="javascript:alert(1);//">`,
  `<OBJECT TYPE="text/x-scriptlet" DATA="https://example.com/x.html"></OBJECT>`,
  `<EMBED SRC="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIiB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=">`,
  `<details open ontoggle=alert(1)>x</details>`,
  `<video><source onerror="alert(1)"></video>`,
  `<math><maction actiontype="statusline#" xlink:href="javascript:alert(1)">x</maction></math>`,
  `<form><button formaction="javascript:alert(1)">x</button></form>`,
  `<a href="javascript:alert(1)" autofocus onfocus="alert(1)">x</a>`,
  `[link](javascript:alert(1))`,
  `![image](x"onerror="alert(1))`,
  `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
  `"'><img src=x onerror=alert(1)>`,
  `{{constructor.constructor('alert(1)')()}}`,
];

/** Services for webhooks with hostile content. */
export const WEBHOOKS = {
  keyring: createKeyring([Buffer.from(generateSecretsKey(), "base64")]),
  targetPolicy: createTargetPolicy({ allowedNetworks: ["127.0.0.0/8"] }),
};

/** Stores scripts in every field that a person or recorder can write. @returns the id of a meeting full of them */
export async function givenHostileContent(server: TestServer, company: Company): Promise<string> {
  const { db, given } = server;
  const { userId } = company.admin;
  const name = (at: number) => (SCRIPTS[at % SCRIPTS.length] ?? "").slice(0, 90);
  const { meetingId } = await given.meeting(company.admin, {
    title: SCRIPTS.join(" ").slice(0, 1000),
    startTime: new Date().toISOString(),
    summary: { markdown: SCRIPTS.join("\n\n") },
    transcript: SCRIPTS.map((text, at) => ({ speakerId: `${at}`, speakerName: name(at), text })),
    tasks: SCRIPTS.map((text, at) => ({ text, assignee: { name: name(at) } })),
    tags: [0, 6, 16, 38].map((at) => ({ name: name(at) })),
    calendarEvent: { attendees: [{ name: name(38), email: "x@example.com" }] },
  });
  await given.member(company, { name: name(38) });
  await createPersonalKey(db, userId, name(6));
  await createIngestKey(db, userId, name(8));
  await createPersonalWebhook(db, WEBHOOKS, userId, {
    name: name(38),
    url: "https://127.0.0.1/%3Cscript%3Ealert(1)%3C/script%3E",
    method: "api-key",
    headerName: "x-key",
  });
  await addTerm(db, asUser(userId), { list: "personal", term: name(16) });
  return meetingId;
}
