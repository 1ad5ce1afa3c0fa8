import { extname } from 'node:path'

// The formats of which text is extracted on this node.

/** `pages` is HTML in which each page is a `div`, as Tika writes it. */
export type Format = 'pages' | 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'epub' | 'html' | 'csv' | 'email' | 'text'

const office = 'application/vnd.openxmlformats-officedocument'

const byType: Readonly<Record<string, Format>> = {
  'application/pdf': 'pdf',
  [`${office}.wordprocessingml.document`]: 'docx',
  [`${office}.spreadsheetml.sheet`]: 'xlsx',
  [`${office}.presentationml.presentation`]: 'pptx',
  'application/epub+zip': 'epub',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'message/rfc822': 'email',
  'text/plain': 'text',
  'text/markdown': 'text',
}

const byExtension: Readonly<Record<string, Format>> = {
  '.pdf': 'pdf',
  '.docx': 'docx',
  '.xlsx': 'xlsx',
  '.pptx': 'pptx',
  '.epub': 'epub',
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.eml': 'email',
  '.txt': 'text',
  '.md': 'text',
  '.markdown': 'text',
}

/** Media types that say nothing about a file, and that browsers and programs send for files they do not know. */
const unknownTypes = new Set(['application/octet-stream', 'binary/octet-stream', 'application/x-www-form-urlencoded'])

/** A media type without its parameters, and the encoding that they name. */
export const parseType = (contentType: string): { type: string; charset: string | undefined } => ({
  type: (contentType.split(';', 1)[0] ?? '').trim().toLowerCase(),
  charset: /;\s*charset="?([\w-]{1,40})/i.exec(contentType)?.[1],
})

/** The format of a file by its media type, or by its name if the type says nothing. */
export const findFormat = ({ path, contentType }: { path: string; contentType: string }): Format | undefined => {
  const { type } = parseType(contentType)
  const named = byExtension[extname(path).toLowerCase()]
  if (unknownTypes.has(type)) return named
  // Windows calls a CSV file an Excel file, and plain text is what many systems call Markdown and CSV.
  if (type === 'application/vnd.ms-excel' || type === 'text/plain') return named ?? byType[type]
  return byType[type]
}
