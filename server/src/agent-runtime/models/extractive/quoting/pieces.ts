// Splits a Markdown text into pieces that are parsed one after the other, so that a caller can pause between them.

/** The length of a piece, from which it ends where that is harmless, and the length and lines at which it ends in any case. */
const minPieceLength = 2_000
const maxPieceLength = 8_000
const maxPieceLines = 300
/** The titles of the columns of a table are repeated in each piece of it, if they are no longer. */
const maxTitlesLength = 1_000

const fence = /^ {0,3}(`{3,}|~{3,})/
const heading = /^#{1,6} /

/** The lines of a text, those of more than a piece in parts. */
function* splitLines(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = Math.min(newline === -1 ? text.length : newline + 1, at + maxPieceLength)
    yield text.slice(at, end)
    at = end
  }
}

/** A piece that begins inside a list, without the indentation that would make it code. */
const dedent = (piece: string): string => {
  const [indent = ''] = /^ +/.exec(piece) ?? []
  return indent === '' ? piece : piece.replaceAll(new RegExp(`^ {1,${indent.length}}`, 'gm'), '')
}

const delimiters = /^[ \t]{0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:|-]*)?$/

/** Follows the lines of a text, to know the titles of the columns of a table that is not over. */
const createTableReader = () => {
  let before = ''
  let titles = ''
  return (line: string): string => {
    if (!line.includes('|')) titles = ''
    else if (titles === '' && before.includes('|') && delimiters.test(line.trimEnd())) titles = before + line
    before = line
    return titles
  }
}

/** Follows the lines of a text, to know the mark by which code began that is not over. */
const createCodeReader = () => {
  let opened = ''
  return (line: string): string => {
    const [, mark = ''] = fence.exec(line) ?? []
    if (opened === '') opened = mark
    else if (mark.startsWith(opened) && line.trim() === mark) opened = ''
    return opened
  }
}

/**
 * The pieces of a text. They end before a heading, at an empty line that ends a list, or between lines. Code and tables go on in the
 * next piece, with the mark of the code and the titles of the columns.
 */
export function* splitPieces(text: string): Generator<string> {
  const [readTable, readCode] = [createTableReader(), createCodeReader()]
  let [piece, titles, code] = ['', '', '']
  let wasEmpty = false
  let lines = 0
  for (const line of splitLines(text)) {
    const isStart = heading.test(line) || (wasEmpty && /^\S/.test(line))
    const mayEnd = code === '' && isStart && piece.length >= minPieceLength
    if (mayEnd || lines === maxPieceLines || piece.length + line.length > maxPieceLength) {
      yield dedent(piece)
      const table = line.includes('|') && titles.length <= maxTitlesLength ? titles : ''
      piece = code === '' ? table : `${code}\n`
      lines = 0
    }
    piece += line
    lines++
    titles = readTable(line)
    code = readCode(line)
    wasEmpty = line.trim() === ''
  }
  yield dedent(piece)
}
