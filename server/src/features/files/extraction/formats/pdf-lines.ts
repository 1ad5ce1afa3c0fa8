import type { MarkdownWriter } from './markdown.ts'

// The text of a PDF is pieces with positions. This makes lines of them, and of lines paragraphs, headings and tables.

/** A piece of text at a position, in points from the lower left corner of the page. */
export type Piece = { text: string; x: number; y: number; width: number; size: number; endsLine: boolean }

type Cell = { text: string; x: number; end: number }

/** A line: its cells are pieces with wide gaps between them. */
export type Line = { y: number; size: number; cells: Cell[] }

const lineText = ({ cells }: Line): string => cells.map(({ text }) => text.trim()).join(' ')

/** Adds a piece to its line. A gap of more than a letter separates words, a wider one cells. */
const addPiece = (line: Line, { text, x, width, size }: Piece): void => {
  const last = line.cells.at(-1)
  const gap = last ? x - last.end : 0
  if (!last || gap > size * 1.4) line.cells.push({ text, x, end: x + width })
  else {
    last.text += gap > size * 0.12 && !/\s$/.test(last.text) && !/^\s/.test(text) ? ` ${text}` : text
    last.end = Math.max(last.end, x + width)
  }
}

/** Joins pieces to lines, in the order in which the page draws them: columns of text stay whole. */
export const joinPieces = (pieces: readonly Piece[]): Line[] => {
  const lines: Line[] = []
  let line: Line | undefined
  for (const piece of pieces) {
    const isBlank = piece.text.trim() === ''
    const last = line?.cells.at(-1)
    const continues =
      line && last && Math.abs(piece.y - line.y) <= line.size * 0.4 && piece.x >= last.end - line.size * 2
    if (!isBlank) {
      if (!line || !continues) {
        line = { y: piece.y, size: piece.size, cells: [] }
        lines.push(line)
      }
      addPiece(line, piece)
      line.size = Math.max(line.size, piece.size)
    }
    // A table ends the line after each of its cells, so that only another height begins a new one.
  }
  return lines
}

const roundSize = (size: number): number => Math.round(size * 2) / 2

/** The sizes of headings, the largest first: sizes that are larger than that of most of the text. */
export const findHeadingSizes = (lines: Iterable<Line>): number[] => {
  const lengths = new Map<number, number>()
  for (const line of lines) {
    const size = roundSize(line.size)
    lengths.set(size, (lengths.get(size) ?? 0) + lineText(line).length)
  }
  const body = [...lengths].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])[0]
  return [...lengths.keys()].filter((size) => size >= body * 1.15).sort((a, b) => b - a)
}

/** The longest text that is a heading rather than a paragraph in large letters. */
const maxHeadingLength = 200

const isAligned = (one: Line, other: Line): boolean =>
  one.cells.length === other.cells.length &&
  one.cells.every((cell, index) => {
    const below = other.cells[index]
    if (!below) return false
    const tolerance = Math.max(one.size, other.size) * 1.5
    const middle = (cell.x + cell.end - below.x - below.end) / 2
    return [cell.x - below.x, cell.end - below.end, middle].some((distance) => Math.abs(distance) <= tolerance)
  })

/** The number of lines from one on that are rows of a table: at least two, with the same aligned cells. */
const countRows = (lines: readonly Line[], from: number): number => {
  const [first] = lines.slice(from, from + 1)
  if (!first || first.cells.length < 2) return 0
  let to = from + 1
  for (let before = first; to < lines.length; to++) {
    const line = lines[to]
    if (!line || !isAligned(before, line)) break
    before = line
  }
  return to - from >= 2 ? to - from : 0
}

/** Adds a line to a paragraph. A word that was divided at the end of a line becomes one again. */
const joinLine = (paragraph: string, line: string): string =>
  /\p{Ll}-$/u.test(paragraph) && /^\p{Ll}/u.test(line) ? paragraph.slice(0, -1) + line : `${paragraph} ${line}`

const bullet = /^[•‣▪●◦·–]\s*/u

/** True if a line continues the paragraph of the one before it. */
const continuesParagraph = (before: Line, line: Line): boolean =>
  roundSize(before.size) === roundSize(line.size) &&
  before.y - line.y > 0 &&
  before.y - line.y <= Math.max(before.size, line.size) * 1.7 &&
  !bullet.test(lineText(line))

/** Writes the lines of a page. */
export const writeLines = (lines: readonly Line[], headingSizes: readonly number[], writer: MarkdownWriter): void => {
  let text = ''
  let before: Line | undefined
  const end = () => {
    const level = before ? headingSizes.indexOf(roundSize(before.size)) + 1 : 0
    if (level > 0 && text.length <= maxHeadingLength) writer.heading(level, text)
    else if (bullet.test(text)) writer.item(0, text.replace(bullet, ''))
    else writer.paragraph(text)
    text = ''
    before = undefined
  }
  for (let at = 0; at < lines.length; at++) {
    const rows = countRows(lines, at)
    if (rows > 0) {
      end()
      writer.table(lines.slice(at, at + rows).map(({ cells }) => cells.map((cell) => cell.text)))
      at += rows - 1
      continue
    }
    const line = lines[at]
    if (!line) break
    if (before && continuesParagraph(before, line)) text = joinLine(text, lineText(line))
    else {
      end()
      text = lineText(line)
    }
    before = line
  }
  end()
}
