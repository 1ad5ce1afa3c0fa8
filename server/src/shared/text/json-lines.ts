import { isJsonObject } from './json.ts'

/** Maximum length of the names that lead to a value, because they are written again for each value. */
const maxPathLength = 1_000

const joinPath = (path: string, name: string): string => {
  const joined = path === '' ? name : `${path} ${name}`
  return joined.length > maxPathLength ? joined.slice(0, maxPathLength).toWellFormed() : joined
}

function* allLines(path: string, value: unknown): Generator<string> {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) yield `${path}: ${value.join(', ')}`
  else if (Array.isArray(value)) for (const item of value) yield* allLines(path, item)
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value)) yield* allLines(joinPath(path, name), item)
  else if (value !== null && value !== '') yield `${path}: ${value}`
}

/** Lines of one value, at most. */
const maxLines = 2_000

/** The values of JSON in lines "path: value", as far as they say something; the first 2,000. */
export function* jsonLines(value: unknown): Generator<string> {
  let count = 0
  for (const line of allLines('', value)) {
    yield line
    if (++count === maxLines) return
  }
}
