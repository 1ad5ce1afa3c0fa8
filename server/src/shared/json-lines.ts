import { isJsonObject } from './json.ts'

/** The values of JSON in lines "path: value", as far as they say something. */
export function* jsonLines(path: string, value: unknown): Generator<string> {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) yield `${path}: ${value.join(', ')}`
  else if (Array.isArray(value)) for (const item of value) yield* jsonLines(path, item)
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value)) yield* jsonLines(path === '' ? name : `${path} ${name}`, item)
  else if (value !== null && value !== '') yield `${path}: ${value}`
}
