const fence = '```'
const opening = /^```(?:json)?[ \t]*\r?\n/

/** The JSON in a text of a model, which may put it into a block of code; undefined if it is none. */
export const parseFencedJson = (text: string): unknown => {
  const trimmed = text.trim()
  const start = trimmed.endsWith(fence) ? opening.exec(trimmed)?.[0].length : undefined
  const inner = start === undefined ? trimmed : trimmed.slice(start, -fence.length)
  try {
    return JSON.parse(inner)
  } catch {
    return undefined
  }
}
