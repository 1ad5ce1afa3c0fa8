import { FileRefused } from '../refusal.ts'
import type { ReadFormat } from './document.ts'
import { writeHtml } from './html.ts'
import { decodeText } from './text.ts'
import { parseEntry, resolveName } from './xml.ts'
import { type Archive, openArchive } from './zip.ts'

// Books: their chapters in the order of the spine.

/** Encryption that only hides fonts leaves the text readable. */
const isFontEncryption = (algorithm: string): boolean =>
  algorithm === 'http://www.idpf.org/2008/embedding' || algorithm === 'http://ns.adobe.com/pdf/enc#RC'

const checkEncryption = (archive: Archive): Promise<boolean> =>
  parseEntry(archive, 'META-INF/encryption.xml', {
    open: (name, { Algorithm = '' }) => {
      if (name.endsWith('EncryptionMethod') && !isFontEncryption(Algorithm)) throw new FileRefused('encrypted')
    },
  })

const findPackage = async (archive: Archive): Promise<string> => {
  let found: string | undefined
  await parseEntry(archive, 'META-INF/container.xml', {
    open: (name, attributes) => {
      if (name === 'rootfile') found ??= attributes['full-path']
    },
  })
  if (found === undefined || !archive.has(found)) throw new FileRefused('broken')
  return found
}

const decodeName = (href: string): string => {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}

const readPackage = async (archive: Archive, name: string) => {
  const items = new Map<string, string>()
  const chapters: string[] = []
  let title = ''
  let isTitle = false
  await parseEntry(archive, name, {
    open: (tag, { id = '', href = '', idref = '', 'media-type': type = '' }) => {
      if (tag === 'dc:title') isTitle = title === ''
      else if (tag === 'item' && /html/.test(type)) items.set(id, resolveName(name, decodeName(href)))
      else if (tag === 'itemref') {
        const chapter = items.get(idref)
        if (chapter !== undefined) chapters.push(chapter)
      }
    },
    text: (text) => {
      if (isTitle && title.length < 1_000) title += text
    },
    close: () => {
      isTitle = false
    },
  })
  return { chapters, title: title.trim() || undefined }
}

/** Reads a book. */
export const readEpub: ReadFormat = async ({ bytes }, writer) => {
  const archive = await openArchive(bytes)
  await checkEncryption(archive)
  const { chapters, title } = await readPackage(archive, await findPackage(archive))
  for (const chapter of new Set(chapters)) {
    const page = await archive.read(chapter)
    if (page) writeHtml(decodeText(page), writer)
  }
  return title
}
