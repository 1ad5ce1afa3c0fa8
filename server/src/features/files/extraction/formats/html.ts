import type { ReadFormat } from './document.ts'
import { type MarkdownWriter, toLine } from './markdown.ts'
import { decodeText } from './text.ts'
import { type Attributes, createXmlParser } from './xml.ts'

// HTML, of web pages, books and mails: headings, paragraphs, lists, tables, code and quotations. Nothing of it is run or fetched.

/** Elements whose content a reader does not see. */
const hidden = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'select', 'nav'])

/** Elements that begin and end a paragraph. */
const blocks = new Set(
  'p div section article main header footer aside address figure figcaption form fieldset dl dt dd center hr body summary details'.split(
    ' ',
  ),
)

const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/** The target of a link that people can follow. */
const toTarget = (href: string | undefined): string | undefined =>
  href !== undefined && href.length <= 500 && /^(?:https?:\/\/|mailto:)[^\s()<>]+$/i.test(href) ? href : undefined

/** The kind of the text that is being read; a number is the level of a heading. */
type Block = 'paragraph' | 'item' | 'code' | 'quote' | number

type List = { mark: '-' | '1.' }

/** Handles the tags of a page. */
class PageReader {
  readonly #writer: MarkdownWriter
  readonly #hasPages: boolean
  readonly #pages: boolean[] = []
  readonly #lists: List[] = []
  readonly #tables: { rows: string[][]; row: string[]; cell: string }[] = []
  readonly #links: { from: number; target: string | undefined }[] = []
  #text = ''
  #block: Block = 'paragraph'
  #hiddenDepth = 0
  #isTitle = false
  #quotes = 0
  #codes = 0
  title = ''
  /** The first heading. */
  heading = ''

  constructor(writer: MarkdownWriter, hasPages: boolean) {
    this.#writer = writer
    this.#hasPages = hasPages
  }

  open(name: string, attributes: Attributes): void {
    if (this.#hiddenDepth > 0 || hidden.has(name)) this.#hiddenDepth++
    else if (name === 'title') this.#isTitle = true
    else if (name === 'br') this.#text += '\n'
    else if (name === 'img') this.#text += ` ${toLine(attributes.alt ?? '')} `
    else if (name === 'a') this.#links.push({ from: this.#text.length, target: toTarget(attributes.href) })
    else this.#openBlock(name, attributes)
  }

  #openBlock(name: string, attributes: Attributes): void {
    if (headings.has(name)) this.#begin(Number(name[1]))
    else if (blocks.has(name)) {
      this.#begin('paragraph')
      if (name === 'div') this.#pages.push(this.#hasPages && attributes.class === 'page')
    } else if (name === 'ul' || name === 'ol') {
      this.#begin('paragraph')
      this.#lists.push({ mark: name === 'ul' ? '-' : '1.' })
    } else if (name === 'li') this.#begin('item')
    else if (name === 'pre') {
      this.#begin('code')
      this.#codes++
    } else if (name === 'blockquote') {
      this.#begin('quote')
      this.#quotes++
    } else this.#openTable(name)
  }

  #openTable(name: string): void {
    const table = this.#tables.at(-1)
    if (name === 'table') {
      this.#begin('paragraph')
      this.#tables.push({ rows: [], row: [], cell: '' })
    } else if (name === 'tr' && table) table.row = []
    else if ((name === 'td' || name === 'th') && table) {
      this.#end()
      table.cell = ''
    }
  }

  add(text: string): void {
    if (this.#hiddenDepth > 0) return
    if (this.#isTitle) this.title = (this.title + text).slice(0, 1_000)
    else this.#text += this.#codes > 0 ? text : text.replaceAll(/\s+/g, ' ')
  }

  close(name: string): void {
    if (this.#hiddenDepth > 0) this.#hiddenDepth--
    else if (name === 'title') this.#isTitle = false
    else if (name === 'a') this.#closeLink()
    else if (headings.has(name) || blocks.has(name) || name === 'li') {
      this.#end()
      if (name === 'div' && this.#pages.pop() === true) this.#writer.endPage()
    } else if (name === 'ul' || name === 'ol') {
      this.#end()
      this.#lists.pop()
    } else if (name === 'pre') {
      this.#end()
      this.#codes--
    } else if (name === 'blockquote') {
      this.#end()
      this.#quotes--
    } else this.#closeTable(name)
  }

  #closeTable(name: string): void {
    const table = this.#tables.at(-1)
    if (!table) return
    if (name === 'td' || name === 'th') {
      this.#end()
      table.row.push(table.cell)
      table.cell = ''
    } else if (name === 'tr') table.rows.push(table.row)
    else if (name === 'table') {
      this.#end()
      this.#tables.pop()
      const outer = this.#tables.at(-1)
      if (outer) outer.cell += `\n${table.rows.map((row) => row.join(' ')).join('\n')}`
      else this.#writer.table(table.rows)
    }
  }

  #closeLink(): void {
    const link = this.#links.pop()
    if (link?.target === undefined || link.from > this.#text.length) return
    const label = toLine(this.#text.slice(link.from)).replaceAll(/[[\]]/g, '')
    if (label !== '' && label !== link.target)
      this.#text = `${this.#text.slice(0, link.from)}[${label}](${link.target})`
  }

  #begin(block: Block): void {
    this.#end()
    this.#block = block === 'paragraph' && this.#quotes > 0 ? 'quote' : block
  }

  /** Writes the text so far as the block that it is. */
  #end(): void {
    const [text, block] = [this.#text, this.#block]
    this.#text = ''
    this.#links.length = 0
    this.#block = this.#quotes > 0 ? 'quote' : 'paragraph'
    const table = this.#tables.at(-1)
    if (table) {
      if (text.trim() !== '') table.cell += `${table.cell === '' ? '' : '\n'}${text.trim()}`
    } else if (block === 'item') this.#writer.item(this.#lists.length - 1, text, this.#lists.at(-1)?.mark ?? '-')
    else if (block === 'code') this.#writer.code(text)
    else if (block === 'quote') this.#writer.quote(text)
    else if (block === 'paragraph') this.#writer.paragraph(text)
    else {
      this.heading ||= toLine(text).slice(0, 1_000)
      this.#writer.heading(block, text)
    }
  }

  finish(): void {
    while (this.#tables.length > 0) this.close('table')
    this.#end()
  }
}

/** Writes the text of a page, and answers its title, or its first heading if it has none. */
export const writeHtml = (html: string, writer: MarkdownWriter, { hasPages = false } = {}): string | undefined => {
  const page = new PageReader(writer, hasPages)
  const parser = createXmlParser(
    {
      open: (name, attributes) => page.open(name, attributes),
      text: (text) => page.add(text),
      close: (name) => page.close(name),
    },
    { isXml: false },
  )
  parser.write(html)
  parser.end()
  page.finish()
  return toLine(page.title) || page.heading || undefined
}

/** The encoding that the head of a page names. */
const findCharset = (bytes: Buffer): string | undefined =>
  /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i.exec(bytes.subarray(0, 4_096).toString('latin1'))?.[1]

/** Reads a web page. */
export const readHtml: ReadFormat = async ({ bytes, charset }, writer) =>
  writeHtml(decodeText(bytes, charset ?? findCharset(bytes)), writer)

/** Reads HTML in which each page is a `div`. */
export const readPages: ReadFormat = async ({ bytes }, writer) =>
  writeHtml(decodeText(bytes), writer, { hasPages: true })
