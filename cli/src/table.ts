import type { Context, GlobalOptions } from './context.ts'
import { printable, writeJson, writeLine, writeStyledLine } from './output.ts'
import { createStyle } from './style.ts'

/** A column of a table: its title, its value in a row, and whether it shrinks on a narrow terminal. */
export type Column<Row> = { title: string; value: (row: Row) => string | number | null | undefined; shrinks?: true }

const minShrunkWidth = 8
const gap = '  '
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** The number of terminal columns of a character. */
const toCharacterWidth = (character: string): number => {
  if (/\p{Mark}/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** The number of terminal columns of a text. */
export const toWidth = (text: string): number =>
  [...text].reduce((sum, character) => sum + toCharacterWidth(character), 0)

/** A text of at most so many columns, its end cut where it is longer. */
export const fitText = (text: string, width: number): string => {
  if (toWidth(text) <= width) return text
  let fitted = ''
  let used = 0
  for (const character of text) {
    used += toCharacterWidth(character)
    if (used > width - 1) break
    fitted += character
  }
  return `${fitted}…`
}

const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - toWidth(text)))

/** The widths that fit a terminal: columns that may shrink give way, the widest first. */
export const fitWidths = (natural: readonly number[], shrinks: readonly boolean[], total: number): number[] => {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1) - total
  while (excess > 0) {
    const at = widths.reduce(
      (best, width, index) => (shrinks[index] && width > (widths[best] ?? 0) * Number(shrinks[best]) ? index : best),
      shrinks.indexOf(true),
    )
    const width = widths[at]
    if (width === undefined || width <= minShrunkWidth) return widths
    widths[at] = width - 1
    excess -= 1
  }
  return widths
}

const toCell = (value: string | number | null | undefined): string =>
  printable(String(value ?? '').replaceAll(/\s+/g, ' '))

/** A time as people read it, to the minute of UTC. */
const shortenTime = (cell: string): string => cell.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z$/, '$1 $2')

/**
 * Writes rows as a table: at a terminal with titles, fitted to its width; elsewhere plain, a row per line, separated by
 * tabs, for `cut` and `awk`; with `--json` each row as a JSON document.
 */
export const writeTable = async <Row>(
  { stdout, env }: Pick<Context, 'stdout' | 'env'>,
  options: GlobalOptions,
  { rows, columns }: { rows: readonly Row[]; columns: readonly Column<Row>[] },
): Promise<void> => {
  if (options.json) {
    for (const row of rows) await writeJson(stdout, row)
    return
  }
  const cells = rows.map((row) => columns.map(({ value }) => toCell(value(row))))
  if (stdout.isTTY !== true) {
    for (const row of cells) await writeStyledLine(stdout, row.join('\t'))
    return
  }
  if (rows.length === 0) return
  await writeFitted(
    { stdout, env },
    cells.map((row) => row.map(shortenTime)),
    columns,
  )
}

const writeFitted = async <Row>(
  { stdout, env }: Pick<Context, 'stdout' | 'env'>,
  cells: readonly string[][],
  columns: readonly Column<Row>[],
): Promise<void> => {
  const natural = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => toWidth(row[at] ?? ''))))
  const shrinks = columns.map((column) => column.shrinks === true)
  const widths = fitWidths(natural, shrinks, stdout.columns ?? 80)
  const toLine = (row: readonly string[]) =>
    row
      .map((cell, at) => padTo(fitText(cell, widths[at] ?? 0), widths[at] ?? 0))
      .join(gap)
      .trimEnd()
  const style = createStyle(stdout, env)
  await writeStyledLine(stdout, style('dim', toLine(columns.map(({ title }) => title))))
  for (const row of cells) await writeStyledLine(stdout, toLine(row))
}

/** The first items of a list, and whether there are more. */
const takeRows = async <Row>(list: AsyncIterable<Row>, max: number): Promise<{ rows: Row[]; hasMore: boolean }> => {
  const rows: Row[] = []
  for await (const row of list) {
    if (rows.length === max) return { rows, hasMore: true }
    rows.push(row)
  }
  return { rows, hasMore: false }
}

/** Writes the first items of a list as a table, and says on standard error where there are none, or more. */
export const writeList = async <Row>(
  context: Context,
  options: GlobalOptions,
  {
    list,
    columns,
    limit,
    none,
  }: { list: AsyncIterable<Row>; columns: readonly Column<Row>[]; limit: number; none: string },
): Promise<void> => {
  const { rows, hasMore } = await takeRows(list, limit)
  await writeTable(context, options, { rows, columns })
  if (options.json || context.stdout.isTTY !== true) return
  if (rows.length === 0) await writeLine(context.stderr, none)
  if (hasMore) await writeLine(context.stderr, `Shown are the first ${limit}. Show more with --limit.`)
}
