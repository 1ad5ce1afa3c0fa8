// Words of strangers in a mail are quoted, cut, and kept to one line; where they lead somewhere, or have a number to call, they
// are left out.

const inLine = (text: string): string =>
  text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 100)

/** A link, a host's name, an address, or six digits with nothing but separators between them. */
const leadsAway = /:\/\/|www\.|[\p{L}\p{N}]\.\p{L}{2}|@|\p{N}(?:[^\p{L}\p{N}]{0,3}\p{N}){5}/iu

/** Somebody's words, as a text shows them. */
export const quote = (words: string, what: string): string => {
  const shown = inLine(words)
  return shown === '' || leadsAway.test(shown) ? `${what} whose name is not shown here` : `“${shown}”`
}
