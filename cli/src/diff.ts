/** One line of a comparison: removed, added or unchanged. */
export type DiffLine = { mark: '-' | '+' | ' '; text: string }

/** Beyond so many lines a text is shown as all gone and all new: comparing takes the product of both lengths. */
const maxComparedLines = 2_000
const contextLines = 2

/** The lengths of the longest common subsequences of all suffixes of two lists. */
const measureCommon = (before: readonly string[], after: readonly string[]): Uint16Array[] => {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) {
      const row = lengths[i]
      if (row === undefined) continue
      const down = lengths[i + 1]
      row[j] = before[i] === after[j] ? (down?.[j + 1] ?? 0) + 1 : Math.max(down?.[j] ?? 0, row[j + 1] ?? 0)
    }
  return lengths
}

const compareLines = (before: readonly string[], after: readonly string[]): DiffLine[] => {
  const lengths = measureCommon(before, after)
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < before.length || j < after.length) {
    const [gone, added] = [before[i], after[j]]
    if (gone !== undefined && gone === added) {
      lines.push({ mark: ' ', text: gone })
      i++
      j++
    } else if (gone !== undefined && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0)) {
      lines.push({ mark: '-', text: gone })
      i++
    } else {
      lines.push({ mark: '+', text: added ?? '' })
      j++
    }
  }
  return lines
}

/** Keeps the lines near a difference, with a line of dots for a gap. */
const keepNear = (lines: readonly DiffLine[]): DiffLine[] => {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ mark }) => mark !== ' '),
  )
  return lines.flatMap((line, at): DiffLine[] => {
    if (isNear[at]) return [line]
    return at === 0 || isNear[at - 1] ? [{ mark: ' ', text: '…' }] : []
  })
}

/** Compares two texts line by line. */
export const diffText = (before: string, after: string): DiffLine[] => {
  const [old, now] = [before.split('\n'), after.split('\n')]
  if (old.length > maxComparedLines || now.length > maxComparedLines)
    return [...old.map((text) => ({ mark: '-' as const, text })), ...now.map((text) => ({ mark: '+' as const, text }))]
  return keepNear(compareLines(old, now))
}

/** The leaves of a value by their paths; lists are leaves. */
const flatten = (value: unknown, path: string, into: Map<string, unknown>): Map<string, unknown> => {
  const isPart = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isPart) for (const [name, part] of Object.entries(value)) flatten(part, path ? `${path}.${name}` : name, into)
  else if (value !== undefined && value !== null) into.set(path, value)
  return into
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Compares two values field by field, and long texts in them line by line. */
export const diffValues = (before: unknown, after: unknown): DiffLine[] => {
  const old = flatten(before, '', new Map())
  const now = flatten(after, '', new Map())
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((path): DiffLine[] => {
    const [gone, added] = [old.get(path), now.get(path)]
    if (toText(gone) === toText(added)) return []
    const isLong = [gone, added].some((value) => typeof value === 'string' && value.includes('\n'))
    if (isLong && gone !== undefined && added !== undefined)
      return [{ mark: ' ', text: `${path}:` }, ...diffText(toText(gone), toText(added))]
    const toLines = (mark: '-' | '+', value: unknown): DiffLine[] =>
      value === undefined ? [] : `${path}: ${toText(value)}`.split('\n').map((text) => ({ mark, text }))
    return [...toLines('-', gone), ...toLines('+', added)]
  })
}
