import { FileRefused } from '../refusal.ts'
import type { ReadFormat } from './document.ts'
import type { MarkdownWriter } from './markdown.ts'
import { parseEntry, readOfficeTitle, readRelations, type XmlHandlers } from './xml.ts'
import { openArchive } from './zip.ts'

// Presentations: each slide is a page, with its title as a heading, its lists, its tables and its notes.

/** Handles the tags of a slide. */
const createSlideReader = (writer: MarkdownWriter, isNotes: boolean): XmlHandlers => {
  let placeholder = ''
  let text = ''
  let isText = false
  let depth = 0
  let rows: string[][] | undefined
  let row: string[] = []
  let cell: string[] = []
  const endParagraph = () => {
    if (rows) cell.push(text)
    else if (isNotes) {
      if (placeholder === 'body' && text.trim() !== '') writer.paragraph(`Notes: ${text}`)
    } else if (placeholder === 'title' || placeholder === 'ctrTitle') writer.heading(2, text)
    else if (!['sldNum', 'dt', 'ftr'].includes(placeholder)) writer.item(depth, text)
    text = ''
    depth = 0
  }
  return {
    open: (name, attributes) => {
      if (name === 'p:sp') placeholder = ''
      else if (name === 'p:ph') placeholder = attributes.type ?? 'body'
      else if (name === 'a:t') isText = true
      else if (name === 'a:pPr') depth = Number(attributes.lvl) || 0
      else if (name === 'a:br') text += ' '
      else if (name === 'a:tbl') rows = []
      else if (name === 'a:tr') row = []
      else if (name === 'a:tc') cell = []
    },
    text: (data) => {
      if (isText) text += data
    },
    close: (name) => {
      if (name === 'a:t') isText = false
      else if (name === 'a:p') endParagraph()
      else if (name === 'a:tc') row.push(cell.join('\n'))
      else if (name === 'a:tr') rows?.push(row)
      else if (name === 'a:tbl' && rows) {
        writer.table(rows)
        rows = undefined
      }
    },
  }
}

/** More slides than any presentation has. */
const maxSlides = 5_000

/** Reads a presentation. */
export const readPptx: ReadFormat = async ({ bytes }, writer) => {
  const archive = await openArchive(bytes)
  const main = (await readRelations(archive, '')).byType.get('officeDocument') ?? 'ppt/presentation.xml'
  if (!archive.has(main)) throw new FileRefused('broken')
  const slides: string[] = []
  const { byId } = await readRelations(archive, main)
  await parseEntry(archive, main, {
    open: (name, attributes) => {
      const slide = name === 'p:sldId' ? byId.get(attributes['r:id'] ?? '') : undefined
      if (slide !== undefined) slides.push(slide)
    },
  })
  if (slides.length > maxSlides) throw new FileRefused('too_long')
  for (const slide of slides) {
    await parseEntry(archive, slide, createSlideReader(writer, false))
    const notes = (await readRelations(archive, slide)).byType.get('notesSlide')
    if (notes) await parseEntry(archive, notes, createSlideReader(writer, true))
    writer.endPage()
  }
  return readOfficeTitle(archive)
}
