// A local file as a document: text only, with its name as id.

/** The content of a file. `id` is its name, so that the same file uploaded again becomes the next version. */
export type FileDocument = { id: string; title: string; contentType: string; text: string }

/** The maximum body of the service, less the overhead of JSON. */
const maxBytes = 15 * 1024 * 1024

const contentTypes: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
}

const findExtension = (name: string): string => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''

/** The first heading of a text in Markdown. */
export const findHeading = (text: string): string | undefined =>
  /^#\s+(.+)$/m.exec(text.slice(0, 2000))?.[1]?.trim().slice(0, 200)

/** The first heading of Markdown, or else the file name without its extension. */
const findTitle = (name: string, text: string): string => {
  const heading = findHeading(text)
  const bare = name
    .split('/')
    .at(-1)
    ?.replace(/\.[a-z0-9]+$/i, '')
  return findExtension(name) === 'md' && heading ? heading : (bare ?? name)
}

type Given = { name: string; size: number; text: () => Promise<string>; webkitRelativePath?: string }

/** Reads a file, or returns the reason why it cannot be a document. */
export const readFile = async (file: Given): Promise<FileDocument> => {
  const id = (file.webkitRelativePath || file.name).slice(0, 200)
  if (file.size > maxBytes)
    throw new Error('This file is larger than 15 MiB. Split it, or use the command line: noema sync.')
  const text = await file.text()
  if (text.trim() === '') throw new Error('This file is empty.')
  // Text contains neither a null character nor the replacement character of invalid UTF-8.
  if (text.includes('\u0000') || text.slice(0, 4000).split('\ufffd').length > 20)
    throw new Error('This file is not text. Documents are texts such as Markdown: convert it first.')
  return { id, title: findTitle(id, text), contentType: contentTypes[findExtension(id)] ?? 'text/plain', text }
}
