import { StringDecoder } from 'node:string_decoder'
import { Parser } from 'htmlparser2'
import { FileRefused } from '../refusal.ts'
import type { Archive } from './zip.ts'

// Reads XML as a stream of tags. The parser knows no entities but those of XML itself and opens no other file, so neither expands a
// text nor reads anything else.

/** Documents are nested a dozen levels deep; files that only want memory are deeper. */
const maxDepth = 500

export type Attributes = Readonly<Record<string, string>>

/** The handlers of the tags and the text of an XML file. Names have their prefix, as `w:p`. */
export type XmlHandlers = {
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

/** Creates a parser that refuses files that are nested too deeply. */
export const createXmlParser = ({ open, text, close }: XmlHandlers, { isXml = true } = {}) => {
  let depth = 0
  return new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > maxDepth) throw new FileRefused('too_deep')
        open?.(name, attributes)
      },
      ontext: (data) => text?.(data),
      onclosetag: (name) => {
        depth--
        close?.(name)
      },
    },
    isXml ? { xmlMode: true, decodeEntities: true } : { decodeEntities: true },
  )
}

/** A decoder by the byte order mark: XML of Office and books is in UTF-8 or UTF-16. */
const createDecoder = (first: Buffer): { write(piece: Buffer): string } => {
  const [a, b] = first
  if (a === 0xff && b === 0xfe) return new StringDecoder('utf16le')
  if (a === 0xfe && b === 0xff) {
    const decoder = new TextDecoder('utf-16be')
    return { write: (piece) => decoder.decode(piece, { stream: true }) }
  }
  return new StringDecoder('utf8')
}

/** Parses an entry of an archive, piece by piece. False if it is not there. */
export const parseEntry = async (archive: Archive, name: string, handlers: XmlHandlers): Promise<boolean> => {
  if (!archive.has(name)) return false
  const parser = createXmlParser(handlers)
  let decoder: ReturnType<typeof createDecoder> | undefined
  for await (const piece of archive.stream(name)) {
    decoder ??= createDecoder(piece)
    parser.write(decoder.write(piece))
  }
  parser.end()
  return true
}

/** The name of an entry that another one refers to, as `../media/image1.png` from `ppt/slides/slide1.xml`. */
export const resolveName = (from: string, target: string): string => {
  if (target.startsWith('/')) return target.slice(1)
  const parts = from.split('/').slice(0, -1)
  for (const part of target.split('/'))
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  return parts.join('/')
}

/** The relations of an Office entry to others: the names of entries by id, and by the last word of their type. */
export const readRelations = async (archive: Archive, name: string) => {
  const byId = new Map<string, string>()
  const byType = new Map<string, string>()
  const parts = name.split('/')
  const file = parts.pop() ?? ''
  await parseEntry(archive, [...parts, '_rels', `${file}.rels`].join('/'), {
    open: (tag, { Id = '', Target = '', Type = '', TargetMode }) => {
      if (tag !== 'Relationship' || TargetMode === 'External') return
      const target = resolveName(name, Target)
      byId.set(Id, target)
      byType.set(Type.split('/').at(-1) ?? '', target)
    },
  })
  return { byId, byType }
}

/** The title in the properties of an Office file. */
export const readOfficeTitle = async (archive: Archive): Promise<string | undefined> => {
  let title = ''
  let isTitle = false
  await parseEntry(archive, 'docProps/core.xml', {
    open: (name) => {
      isTitle = name === 'dc:title'
    },
    text: (text) => {
      if (isTitle && title.length < 1_000) title += text
    },
    close: () => {
      isTitle = false
    },
  })
  return title.trim() || undefined
}
