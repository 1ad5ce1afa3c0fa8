// Words of strangers in an email are quoted, cut, and kept to one line. They are left out if they contain a link or a phone number.

const inLine = (text: string): string =>
  text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 100)

/** A link, a host's name, an address, or six digits with nothing but separators between them. */
const leadsAway = /:\/\/|www\.|[\p{L}\p{N}]\.\p{L}{2}|@|\p{N}(?:[^\p{L}\p{N}]{0,3}\p{N}){5}/iu

/** A stranger's words as quoted in an email. */
export const quote = (words: string, what: string): string => {
  const shown = inLine(words)
  return shown === '' || leadsAway.test(shown) ? `${what} whose name is not shown here` : `“${shown}”`
}
