import type { Option } from '../field.tsx'

/** Options with the chosen value, also if it is no longer among them: its name says so. */
export const withChosen = (options: readonly Option<string>[], chosen: string, missing: string): Option<string>[] => [
  ...options,
  ...(options.some(({ value }) => value === chosen) ? [] : [{ value: chosen, name: missing }]),
]
