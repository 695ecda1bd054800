import { type ChangeEvent, useState } from "react";

type FieldChange = ChangeEvent<HTMLInputElement | HTMLSelectElement>;

/**
 * Builds the props of fields that edit filters. An empty field removes its filter.
 * @returns a function from a filter's name, and other filters to change with it, to the field's props
 */
export const createFilterFields =
  <Filters extends object>(filters: Filters, set: (change: Filters) => void) =>
  (name: keyof Filters, others?: Filters) => ({
    value: String(filters[name] ?? ""),
    onChange: ({ currentTarget }: FieldChange) =>
      set({ ...others, [name]: currentTarget.value || undefined } as Filters),
  });

/** Keeps the values of required text fields. Returns them, and a function from a name to the field's props. */
export function useTextFields<Values extends Readonly<Record<string, string>>>(initial: Values) {
  const [values, setValues] = useState(initial);
  const getProps = (name: keyof Values) => ({
    value: values[name],
    onChange: ({ currentTarget }: FieldChange) => setValues({ ...values, [name]: currentTarget.value }),
    required: true,
  });
  return [values, getProps] as const;
}
