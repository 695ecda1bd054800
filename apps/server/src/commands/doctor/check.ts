/** The result of a check and how to fix it. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
}

const check =
  (status: Check["status"]) =>
  (name: string, message: string): Check => ({ name, status, message });

export const ok = check("ok");
export const warn = check("warn");
export const fail = check("fail");
