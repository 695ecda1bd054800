/** A prompt that people choose in their assistant. */
interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly argument: { readonly name: string; readonly description: string };
  readonly write: (value: string) => string;
}

/** Prompts for personal keys; they use tools that workspace keys don't have. */
const PROMPTS: readonly Prompt[] = [
  {
    name: "prepare",
    title: "Prepare me for a meeting",
    description: "Summarizes what was discussed with a person or about a topic, and what is still open.",
    argument: { name: "about", description: "A person's name, or a topic." },
    write: (about) =>
      `Prepare me for a meeting about “${about}”. If list_upcoming has it, call prepare_event. Otherwise find earlier meetings with find_meetings and search_meetings. Read the newest two with ` +
      "get_meeting, and list open tasks with list_tasks. Tell me what was discussed, what was decided, what I promised and what is still open, " +
      "each with the meeting's title and date.",
  },
  {
    name: "decisions",
    title: "What was decided?",
    description: "Collects the decisions about a topic.",
    argument: { name: "topic", description: "The topic." },
    write: (topic) =>
      `What was decided about “${topic}”? Use ask first, then search_meetings with startDate 2000-01-01, and get_turns to read around each result. Quote who said it, with the meeting's ` +
      "title and date. If nothing was decided, say so.",
  },
  {
    name: "open_tasks",
    title: "Open tasks of a person",
    description: "Lists a person's open tasks by meeting.",
    argument: { name: "person", description: "A person's name." },
    write: (person) =>
      `Which tasks of “${person}” are open? Use list_tasks with completed set to false and this assignee. Group them by meeting, oldest first.`,
  },
];

/** Lists the prompts as the protocol does. */
export const listPrompts = () =>
  PROMPTS.map(({ write: _, argument, ...prompt }) => ({
    ...prompt,
    arguments: [{ ...argument, required: true }],
  }));

/** Writes a prompt as the user's message. @returns what is wrong if the prompt is unknown or its argument missing */
export function getPrompt(name: string, args: Readonly<Record<string, string>> = {}) {
  const prompt = PROMPTS.find((one) => one.name === name);
  if (!prompt) return "No such prompt. prompts/list has their names.";
  const value = args[prompt.argument.name];
  if (!value) return `The argument "${prompt.argument.name}" is missing.`;
  const content = { type: "text", text: prompt.write(value) } as const;
  return { description: prompt.description, messages: [{ role: "user" as const, content }] };
}
