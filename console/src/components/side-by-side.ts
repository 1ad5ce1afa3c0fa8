import { diffLines } from 'diff'

/** A line of a text, by its number from 1. */
type Line = { number: number; text: string }

/** A row of two texts side by side: the same line, a changed one, or a line that only one of them has. */
export type Row = { before: Line | undefined; after: Line | undefined; isSame: boolean }

/** Texts that differ in more lines than this are shown as removed and added as a whole. */
const maxEditLength = 1_500

const toLines = (text: string): string[] => {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Two texts line by line, so that what belongs together is in one row. */
export const alignLines = (before: string, after: string): Row[] => {
  const parts = diffLines(before, after, { maxEditLength }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ]
  const rows: Row[] = []
  const at = { before: 0, after: 0 }
  let removed: Line[] = []
  let added: Line[] = []
  const pair = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      rows.push({ before: removed[index], after: added[index], isSame: false })
    removed = []
    added = []
  }
  for (const part of parts) {
    const lines = toLines(part.value)
    if (part.removed) removed.push(...lines.map((text) => ({ number: ++at.before, text })))
    else if (part.added) added.push(...lines.map((text) => ({ number: ++at.after, text })))
    else {
      pair()
      for (const text of lines)
        rows.push({
          before: { number: ++at.before, text },
          after: { number: ++at.after, text },
          isSame: true,
        })
    }
  }
  pair()
  return rows
}

/** Rows to show, or how many unchanged ones are folded away. */
export type Block = { rows: readonly Row[]; isFolded: boolean }

/** Folds long blocks of unchanged rows; some remain next to each change. */
export const foldSame = (rows: readonly Row[], context = 3): Block[] => {
  const blocks: Block[] = []
  let first = 0
  while (first < rows.length) {
    const isSame = rows[first]?.isSame === true
    let end = first
    while (end < rows.length && rows[end]?.isSame === isSame) end++
    const [from, to] = isSame
      ? [first === 0 ? first : first + context, end === rows.length ? end : end - context]
      : [end, end]
    if (isSame && to - from > context) {
      blocks.push(
        { rows: rows.slice(first, from), isFolded: false },
        { rows: rows.slice(from, to), isFolded: true },
        { rows: rows.slice(to, end), isFolded: false },
      )
    } else blocks.push({ rows: rows.slice(first, end), isFolded: false })
    first = end
  }
  return blocks.filter((block) => block.rows.length > 0)
}
