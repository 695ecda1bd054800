import { Autocomplete, Text, TextInput } from "@mantine/core";
import { type RefObject, useState } from "react";
import type { Who } from "../../api/confirm-person";

/** Somebody a speaker could be. */
export interface Suggestion {
  /** Null for somebody who is in no meeting yet. */
  readonly personId: string | null;
  readonly name: string;
  readonly email: string | null;
  readonly reason: "attendee" | "series" | "member" | "person";
}

const REASONS = {
  attendee: "Invited",
  series: "Earlier meetings",
  member: "Member",
  person: "In your meetings",
} as const;

/** Writes a suggestion so that it can't be confused with another one. */
const toOption = ({ name, email }: Suggestion) => (email === null ? name : `${name} (${email})`);

const toWho = ({ personId, name, email }: Suggestion): Who =>
  personId === null ? { name, ...(email === null ? {} : { email }) } : { personId };

/** Finds the only member who is called like a speaker. */
function findNamesake(suggestions: readonly Suggestion[], name: string): string {
  const same = suggestions.filter(
    (one) =>
      one.reason === "member" && one.name.localeCompare(name, undefined, { sensitivity: "base" }) === 0,
  );
  return same.length === 1 && same[0] ? toOption(same[0]) : "";
}

/** What was chosen or typed about a speaker. A member of the same name is chosen already. */
export function useWho(suggestions: readonly Suggestion[], speakerName: string) {
  const options = new Map(suggestions.map((one) => [toOption(one), one]));
  const [name, setName] = useState(() => findNamesake(suggestions, speakerName));
  const [email, setEmail] = useState("");
  const find = (option: string): Who | null => {
    const chosen = options.get(option);
    if (chosen) return toWho(chosen);
    const [typed, address] = [option.trim(), email.trim()];
    return typed === "" ? null : { name: typed, ...(address === "" ? {} : { email: address }) };
  };
  return { options, name, setName, email, setEmail, find, who: find(name) };
}

interface WhoFieldsProps {
  readonly form: ReturnType<typeof useWho>;
  readonly field?: RefObject<HTMLInputElement | null>;
  /** Takes a chosen suggestion at once; absent if there is more to say. */
  readonly choose?: ((who: Who) => void) | undefined;
}

/** Asks who somebody is: a suggestion, or a name and an address. */
export function WhoFields({ form, field, choose }: WhoFieldsProps) {
  const { options, name, setName, email, setEmail, find } = form;
  return (
    <>
      <Autocomplete
        label="Name"
        {...(field ? { ref: field, "data-autofocus": true } : {})}
        placeholder="Choose or type a name"
        value={name}
        onChange={setName}
        onOptionSubmit={(option) => {
          const who = find(option);
          if (who) choose?.(who);
        }}
        data={[...options.keys()]}
        renderOption={({ option }) => (
          <span>
            {option.value}{" "}
            <Text span size="xs" c="dimmed">
              {REASONS[options.get(option.value)?.reason ?? "member"]}
            </Text>
          </span>
        )}
        // An open list would cover what is below it.
        openOnFocus={false}
        maxDropdownHeight={240}
      />
      {!options.has(name) && (
        <TextInput
          label="E-mail address"
          description="Optional. The same address is the same person in all meetings."
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
      )}
    </>
  );
}
