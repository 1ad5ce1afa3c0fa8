/** A model sees at most this much of one answer, as JSON. */
export const maxOutputBytes = 256 * 1024

/** As JSON, quotation marks and backslashes of a text take twice their bytes. */
const maxShownBytes = maxOutputBytes / 2

const cut = (text: string, maxBytes: number): string =>
  Buffer.from(text).subarray(0, maxBytes).toString('utf8').replace(/�+$/, '')

/** An answer as a model is shown it: whole, or its beginning, and that it was cut. */
export const boundOutput = (output: unknown): unknown => {
  const json = JSON.stringify(output) ?? 'null'
  const bytes = Buffer.byteLength(json)
  if (bytes <= maxOutputBytes) return output ?? null
  const note = `This is the beginning of an answer of ${bytes} bytes, cut here. Ask for less, or for a part of it.`
  // A text stays a text, as errors are texts.
  if (typeof output === 'string') return `${cut(output, maxShownBytes)}\n[${note}]`
  return { truncated: true, note, beginning: cut(json, maxShownBytes) }
}
