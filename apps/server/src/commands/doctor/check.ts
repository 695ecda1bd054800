/** The result of a check and how to fix it. `note` is what some installations want, and no problem of others. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "note" | "warn" | "fail";
  readonly message: string;
}

const check =
  (status: Check["status"]) =>
  (name: string, message: string): Check => ({ name, status, message });

export const ok = check("ok");
export const mention = check("note");
export const warn = check("warn");
export const fail = check("fail");
