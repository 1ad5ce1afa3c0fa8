import markdownIt, { type Token } from 'markdown-it'
import { splitPieces } from './pieces.ts'

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

const frontmatter = /^---\n(?:(?!---\n).{0,2000}\n){0,60}---\n/
const titleLine = /^title: *["']?(.{1,200}?)["']?$/m
const htmlNames = 'a|b|br|center|code|details|div|em|h[1-6]|hr|i|kbd|p|small|span|strong|sub|summary|sup'
const inlineTag = new RegExp(`<!--[^\\n]{0,400}?-->|</?(?:${htmlNames})(?:\\s[^<>]{0,500})?/?>`, 'gi')
const anyTag = /<!--[\s\S]{0,400}?-->|<\/?[A-Za-z][^<>]{0,1000}>/g

/** The mark of a note on GitHub. */
const alert = /^\[!\w{1,20}\]\s*/

const tidy = (text: string, tag: RegExp): string =>
  text
    .replaceAll(tag, ' ')
    .replaceAll(/[ \t]+/g, ' ')
    .trim()
    .replace(alert, '')

/** Objects and markup of a page that is a program as well. */
const program = /[}\]],\s{0,40}[{[]|(?:\b\w{1,40}: ['"`][^'"`]*['"`],\s*){2}|=\{[[{]/

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

/** A longer block is cut: no answer is that long. */
const maxBlockLength = 3_000
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

  #make(kind: Block['kind'], whole: string, above: readonly string[]): Block[] {
    const text = whole.slice(0, maxBlockLength).toWellFormed()
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
