import { TextInput, type TextInputProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { settings } from "../api/clients";

/** Input for a tag name. Suggests the user's tags. */
export function TagField(props: TextInputProps) {
  const id = useId();
  const { data } = useQuery(settings.tags.list.queryOptions({}));
  return (
    <>
      <TextInput list={id} autoComplete="off" {...props} />
      <datalist id={id}>
        {data?.tags.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
