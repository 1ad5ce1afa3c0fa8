/** Checks whether a value is a JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is { [name: string]: unknown } =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
