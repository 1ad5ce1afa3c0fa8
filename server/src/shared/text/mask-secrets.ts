// Another server may say what it was sent, as it was or encoded. Its secrets are masked in every form that programs commonly use.

const minSecretCharacters = 6
const mask = '***'

/** The base64 of a text at each of its three places in a larger one: without the characters that its neighbors decide, too. */
const listBase64 = (secret: string): string[] =>
  [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const [first, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)]
    const encoded = bytes.toString('base64').slice(first, end)
    return [encoded, encoded.replaceAll('+', '-').replaceAll('/', '_')]
  })

const listForms = (secret: string): string[] => {
  const hex = Buffer.from(secret).toString('hex')
  return [secret, encodeURIComponent(secret), hex, hex.toUpperCase(), ...listBase64(secret)]
}

/** A function that masks these secrets in a text. A secret of a few characters is none: it would mask ordinary words. */
export const createMask = (secrets: readonly string[]): ((text: string) => string) => {
  const forms = [...new Set(secrets.filter(({ length }) => length >= minSecretCharacters).flatMap(listForms))]
    .filter(({ length }) => length >= minSecretCharacters)
    .toSorted((one, other) => other.length - one.length)
  if (forms.length === 0) return (text) => text
  const pattern = new RegExp(forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g')
  return (text) => text.replaceAll(pattern, mask)
}
