/** Whether a value is an object as JSON has them, of names and values: neither null nor a list. */
export const isObject = (value: unknown): value is { [name: string]: unknown } =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
