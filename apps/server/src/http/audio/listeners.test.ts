import { BusyError } from "@minutes/core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Listeners } from "./listeners.js";

const LIMITS = { ofHolder: 2, ofWorkspace: 3, inAll: 4 };

/** Opens streams that take nothing. Those that ended are listed by name. */
function open(listeners = new Listeners(LIMITS)) {
  const ended: string[] = [];
  const begin = (holder: string, workspaceId = "w1", name = holder) =>
    listeners.run(
      { holder, workspaceId },
      (signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            ended.push(name);
            resolve();
          }),
        ),
    );
  return { begin, ended };
}

describe("one recording too many at once ends", () => {
  test("the oldest of a person", () => {
    const { begin, ended } = open();
    for (const name of ["first", "second", "third"]) void begin("anna", "w1", name);
    expect(ended).toEqual(["first"]);
  });

  test("in a workspace, the oldest of the person with the most", () => {
    const { begin, ended } = open();
    for (const holder of ["ben", "anna", "anna", "zoe"]) void begin(holder, "w1");
    expect(ended).toEqual(["anna"]);
  });

  test("in a process, one of the workspace that has most, so that none takes all of it", async () => {
    const { begin, ended } = open();
    for (const holder of ["a", "b", "c"]) void begin(holder, "w1");
    void begin("d", "w2");
    void begin("e", "w3");
    expect(ended).toEqual(["a"]);
    void begin("f", "w4");
    expect(ended).toEqual(["a", "b"]);
    await expect(begin("g", "w5")).rejects.toBeInstanceOf(BusyError);
  });
});

test("a recording that makes no progress for a while is ended", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const listeners = new Listeners(LIMITS, 100);
  const { begin, ended } = open(listeners);
  let advance = () => {};
  void begin("anna");
  void listeners.run({ holder: "ben", workspaceId: "w2" }, (signal, progress) => {
    advance = progress;
    return new Promise(() => signal.addEventListener("abort", () => ended.push("ben")));
  });
  vi.advanceTimersByTime(90);
  advance();
  vi.advanceTimersByTime(90);
  expect(ended).toEqual(["anna"]);
  vi.advanceTimersByTime(10);
  expect(ended).toEqual(["anna", "ben"]);
});
