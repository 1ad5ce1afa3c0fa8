// Makes what was recorded fit to be shown: the same each time, and without anything that belongs to the machine.

/** The names of the tests' samples, and the names that the examples show instead. */
const shown: Record<string, string> = {
  agent: 'mission librarian',
  brain: 'exoplanets',
  code: 'WELCOME',
  connector: 'telescope-archive',
  emerging: 'telescope',
  item: 'galileo',
  Kind: 'telescope',
  name: 'Hubble',
  other: 'image-archive',
  packed: 'reading-notes',
  project: 'research',
  provider: 'local-models',
  purpose: 'What is known about missions',
  record: 'galileo',
  run: 'run_06h3k2m8v4q9x1t7c5z0',
  schema: 'missions',
  source: 'mission-pages',
  text: 'Galileo orbited Jupiter until 2003.',
  title: 'Planning the next mission',
  trigger: 'new spacecraft',
  tsk: 'tsk_06h3k2m8v4q9x1t7c5z0',
  opr: 'opr_06h3k2m8v4q9x1t7c5z0',
  value: 'active',
}

const freshName = new RegExp(`\\b(${Object.keys(shown).join('|')})-\\d+\\b`, 'g')
const id = /\b([a-z]{3})_([0-9a-z]{16,})\b/g
const otherId = /\b(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{32}\b/g

/** The text of one call and its answer. */
export const toShown = (text: string): string => {
  const seen = new Map<string, string>()
  const numbered = (whole: string, prefix: string): string => {
    const known = seen.get(whole) ?? `${prefix}06h3k2m8v4q9x1t7c5${String(seen.size + 1).padStart(2, '0')}`
    seen.set(whole, known)
    return known
  }
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:9\//g, 'https://example.com/noema')
    .replaceAll(/\b(nsk|nbk)_[\w-]+/g, '$1_example')
    .replaceAll(/\bwhsec_[\w+/=-]+/g, 'whsec_ZXhhbXBsZS1zZWNyZXQtb2YtYS13ZWJob29r')
    .replaceAll(id, (whole, prefix: string) => numbered(whole, `${prefix}_`))
    .replaceAll(otherId, (whole) => numbered(whole, 'u'))
    .replaceAll(/[\w.-]+@example\.com/g, 'someone@example.com')
    .replaceAll(/\b202[4-9]-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-03-01T12:00:00.000Z')
    .replaceAll(freshName, (_whole, word: string) => shown[word] ?? word)
    .replaceAll('"sample"', '"spacecraft"')
    .replaceAll('"spacecraft":', '"sample":')
    .replaceAll('"test"', '"notebook"')
    .replaceAll(/"([A-Za-z0-9_-]{40,})"/g, (whole, value: string) =>
      /[A-Z]/.test(value) ? '"AAAAAAAAAAEtQm9yZGVy"' : whole,
    )
}

const maxLength = 240

const cutText = (text: string): string => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)

/** Lists of objects cut to their first item, so that an example shows the shape and not the length. */
export const shorten = (value: unknown): unknown => {
  if (Array.isArray(value)) return (typeof value[0] === 'object' ? value.slice(0, 1) : value).map(shorten)
  if (value === null || typeof value !== 'object') return value
  // The tests run without a model for meaning, which the service has.
  const reported = Object.entries(value).filter(([name]) => name !== 'degraded')
  return Object.fromEntries(
    reported.map(([name, one]) => [name, typeof one === 'string' ? cutText(one) : shorten(one)]),
  )
}
