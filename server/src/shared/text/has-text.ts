/** For each beginning of a text, the length of the longest shorter beginning that it ends with. */
const toBorders = (text: string): Int32Array => {
  const borders = new Int32Array(text.length)
  for (let at = 1, length = 0; at < text.length; at++) {
    while (length > 0 && text.charCodeAt(length) !== text.charCodeAt(at)) length = borders[length - 1] ?? 0
    if (text.charCodeAt(length) === text.charCodeAt(at)) length++
    borders[at] = length
  }
  return borders
}

/** `includes` finds texts of up to this length fast in any text. */
const maxShort = 32

/**
 * True if a text contains another one. Its time is linear in both lengths (Knuth, Morris and Pratt, 1977). That of `includes` can grow with
 * their product, so that a long text of a tenant takes seconds.
 */
export const hasText = (text: string, sought: string): boolean => {
  if (sought.length <= maxShort) return text.includes(sought)
  if (sought.length > text.length) return false
  const borders = toBorders(sought)
  let length = 0
  for (let at = 0; at < text.length && length < sought.length; at++) {
    const unit = text.charCodeAt(at)
    while (length > 0 && sought.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    if (sought.charCodeAt(length) === unit) length++
  }
  return length === sought.length
}

/** A text, and those to find in it. */
export type TextsRequest = { text: string; sought: readonly string[] }

/** The indexes of those texts that another one does not have. */
export const listMissing = ({ text, sought }: TextsRequest): number[] =>
  sought.flatMap((one, index) => (hasText(text, one) ? [] : [index]))
