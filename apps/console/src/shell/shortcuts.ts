import { useEffect } from "react";

/** Key in local storage; `off` turns the keys off, for people whose speech recognition types them. */
const STORED = "shortcuts";

export const areShortcutsOn = () => localStorage.getItem(STORED) !== "off";
export const setShortcuts = (on: boolean) => localStorage.setItem(STORED, on ? "on" : "off");

/** The keys in words, as the help lists them. */
export const SHORTCUTS: readonly (readonly [keys: string, what: string])[] = [
  ["Ctrl+K, ⌘K or /", "Search"],
  ["j, k", "Next and previous meeting, task or person"],
  ["Enter", "Open it"],
  ["e", "Edit the task, or the meeting's summary"],
  ["s", "Share the meeting"],
  ["Escape", "Cancel, or close"],
  ["?", "Show this list"],
];

/** What `j` and `k` move between. */
const ITEMS = "main .row-link, main .passage, main .task input[type=checkbox], main td a.turn-speaker";

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.matches("textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])");

function move(step: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>(ITEMS)];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = items[at === -1 ? (step === 1 ? 0 : items.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** Presses the button that has this key: of the task that has the focus, otherwise of the page, outside its tasks. One that isn't drawn isn't allowed. */
function press(key: string): boolean {
  const task = document.activeElement?.closest(".task");
  const button = task
    ? task.querySelector<HTMLElement>(`[data-shortcut="${key}"]`)
    : document.querySelector<HTMLElement>(`main [data-shortcut="${key}"]:not(.task *)`);
  // What it opens gives the focus back to it.
  button?.focus();
  button?.click();
  return button !== null && button !== undefined;
}

/** Handles the keys that work without a modifier, except while the person types or a dialog or menu is open. */
export function useShortcuts(showHelp: () => void): void {
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (ctrlKey || metaKey || altKey || isTyping(target)) return;
      // A letter in a menu goes to the entry that begins with it.
      if (document.querySelector("[role=dialog], [role=menu]")) return;
      if (key === "?") showHelp();
      else if (!areShortcutsOn()) return;
      else if (key === "j" || key === "k") move(key === "j" ? 1 : -1);
      else if ((key !== "e" && key !== "s") || !press(key)) return;
      // The key isn't typed into the field that opens.
      event.preventDefault();
    };
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, [showHelp]);
}
