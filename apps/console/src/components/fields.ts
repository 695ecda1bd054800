import type { ChangeEvent } from "react";

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
