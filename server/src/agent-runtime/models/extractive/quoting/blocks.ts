import markdownIt, { type Token } from 'markdown-it'

// The blocks of a Markdown text that can be quoted: paragraphs, list items and rows of tables, each with the headings above it.
// A heading, an anchor, frontmatter or code is never a block by itself. A text is parsed in pieces, so that a caller can pause
// between them: the time for a piece is bounded by its length, whatever it contains.

/** A block without the marks of its list or table. */
export type Block = {
  kind: 'paragraph' | 'item' | 'row'
  text: string
  /** The headings above it, the nearest last. */
  headings: readonly string[]
  /** The list items that contain it, or the titles of its columns. */
  above: readonly string[]
  /** Its position below its heading. */
  order: number
  /** The code that follows it. */
  code?: string
}

/** The parser splits a text into blocks and leaves the text of each as it is. */
const markdown = markdownIt({ html: true })

/** The length of a piece, from which it ends at the next heading or empty line, and the length at which it ends in any case. */
const minPieceLength = 2_000
const maxPieceLength = 8_000

const frontmatter = /^---\n(?:(?!---\n).{0,2000}\n){0,60}---\n/
const titleLine = /^title: *["']?(.{1,200}?)["']?$/m
const fence = /^ {0,3}(?:```|~~~)/
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

/** The pieces of a text. They end before a heading, or at an empty line that ends a list, or between lines; no code is split. */
function* splitPieces(text: string): Generator<string> {
  let piece = ''
  let isCode = false
  let wasEmpty = false
  for (const line of splitLines(text)) {
    const isStart = heading.test(line) || (wasEmpty && /^\S/.test(line))
    const mayEnd = !isCode && isStart && piece.length >= minPieceLength
    if (mayEnd || piece.length + line.length > maxPieceLength) {
      yield dedent(piece)
      piece = ''
    }
    piece += line
    if (fence.test(line)) isCode = !isCode
    wasEmpty = line.trim() === ''
  }
  yield dedent(piece)
}

const htmlNames = 'a|b|br|center|code|details|div|em|h[1-6]|hr|i|kbd|p|small|span|strong|sub|summary|sup'
const inlineTag = new RegExp(`<!--[^\\n]{0,1000}?-->|</?(?:${htmlNames})(?:\\s[^<>]{0,500})?/?>`, 'gi')
const anyTag = /<!--[\s\S]{0,4000}?-->|<\/?[A-Za-z][^<>]{0,1000}>/g

/** The mark of a note on GitHub. */
const alert = /^\[!\w{1,20}\]\s*/

const tidy = (text: string, tag: RegExp): string =>
  text
    .replaceAll(tag, ' ')
    .replaceAll(/[ \t]+/g, ' ')
    .trim()
    .replace(alert, '')

/** Objects and markup of a page that is a program as well. */
const program = /[}\]],\s*[{[]|(?:\w+: ['"`][^'"`]*['"`],\s*){2}|=\{[[{]/

const isQuotable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text) && !program.test(text)

const labelled = /^[\p{L}\p{N}"'*_[][^:\n]{0,60}: \S/u

/** The lines of a conversation or a form, which each begin with a name; any other text as it is, as its lines are only wrapped. */
const splitLabelled = (text: string): string[] => {
  const lines = text.split('\n')
  const isList = lines.length > 1 && lines.filter((line) => labelled.test(line)).length > lines.length / 2
  return isList ? lines : [text]
}

/** An HTML block is quoted if it contains a sentence. */
const minHtmlWords = 4

const maxItemLength = 200
const maxCodeLength = 1_000

/** The state of a text that is read from its beginning: the headings and lists that contain what comes next. */
class BlockReader {
  readonly #headings: string[] = []
  #items: string[] = []
  #columns: string[] = []
  #cells: string[] = []
  #order = 0
  #last: Block | undefined

  openHeading(level: number, text: string): void {
    while (this.#headings.length >= level) this.#headings.pop()
    while (this.#headings.length < level - 1) this.#headings.push('')
    this.#headings.push(tidy(text, inlineTag))
    this.#order = 0
    this.#last = undefined
  }

  #make(kind: Block['kind'], text: string, above: readonly string[]): Block[] {
    if (!isQuotable(text)) return []
    const headings = this.#headings.filter((one) => one !== '')
    this.#last = { kind, text, headings, above: above.filter((one) => one !== ''), order: this.#order++ }
    return [this.#last]
  }

  #readText(text: string): Block[] {
    return splitLabelled(text).flatMap((part) => this.#readPart(part))
  }

  #readPart(text: string): Block[] {
    const plain = tidy(text, inlineTag)
    const depth = this.#items.length - 1
    if (depth < 0) return this.#make('paragraph', plain, [])
    const isFirst = this.#items[depth] === ''
    if (isFirst) this.#items[depth] = plain.slice(0, maxItemLength).toWellFormed()
    return this.#make('item', plain, isFirst ? this.#items.slice(0, depth) : this.#items)
  }

  #readHtml(text: string): Block[] {
    const plain = tidy(text, anyTag)
    return plain.split(/\s+/).length < minHtmlWords ? [] : this.#make('paragraph', plain, this.#items)
  }

  #closeRow(isHead: boolean): Block[] {
    const cells = this.#cells
    this.#cells = []
    if (!isHead) return this.#make('row', cells.join(' | '), this.#columns)
    this.#columns = cells
    return []
  }

  /** The blocks of one piece. */
  readPiece(piece: string): Block[] {
    const tokens: Token[] = []
    markdown.block.parse(piece, markdown, {}, tokens)
    this.#items = []
    let isHead = false
    return tokens.flatMap((token, index) => {
      const before = tokens[index - 1]
      switch (token.type) {
        case 'inline':
          return this.#readInline(token, before)
        case 'list_item_open':
          this.#items.push('')
          return []
        case 'list_item_close':
          this.#items.pop()
          return []
        case 'thead_open':
        case 'thead_close':
          isHead = token.nesting === 1
          return []
        case 'tr_close':
          return this.#closeRow(isHead)
        case 'html_block':
          return this.#readHtml(token.content)
        case 'fence':
        case 'code_block':
          if (this.#last) this.#last.code ??= token.content.slice(0, maxCodeLength).toWellFormed().trimEnd()
          return []
        default:
          return []
      }
    })
  }

  #readInline({ content, level }: Token, opened: Token | undefined): Block[] {
    switch (opened?.type) {
      case 'heading_open':
        // A heading in a quotation or a list is above nothing else.
        if (level === 1) this.openHeading(Number(opened.tag.slice(1)), content)
        return []
      case 'th_open':
      case 'td_open':
        this.#cells.push(tidy(content, inlineTag))
        return []
      default:
        return this.#readText(content)
    }
  }
}

/** The blocks of a text, piece by piece. */
export function* readBlocks(text: string): Generator<Block[]> {
  const reader = new BlockReader()
  const plain = text.replaceAll('\r\n', '\n')
  const [front = ''] = frontmatter.exec(plain.slice(0, 10_000)) ?? []
  const title = titleLine.exec(front)?.[1]
  if (title !== undefined) reader.openHeading(1, title)
  for (const piece of splitPieces(plain.slice(front.length))) yield reader.readPiece(piece)
}
