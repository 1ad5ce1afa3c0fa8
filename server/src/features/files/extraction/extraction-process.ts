import type { Format } from './find-format.ts'
import type { ReadFormat } from './formats/document.ts'
import { createMarkdownWriter, toLine } from './formats/markdown.ts'
import type { ExtractionResult, ProcessOptions } from './process-messages.ts'
import { FileRefused } from './refusal.ts'

// The process that reads one file, started by run-extraction.ts: the bytes come by standard input, and the text leaves by standard
// output. It may read nothing but its own code, and open no connection.

const formats: Readonly<Record<Format, () => Promise<ReadFormat>>> = {
  pdf: async () => (await import('./formats/pdf.ts')).readPdf,
  docx: async () => (await import('./formats/docx.ts')).readDocx,
  xlsx: async () => (await import('./formats/xlsx.ts')).readXlsx,
  pptx: async () => (await import('./formats/pptx.ts')).readPptx,
  epub: async () => (await import('./formats/epub.ts')).readEpub,
  html: async () => (await import('./formats/html.ts')).readHtml,
  pages: async () => (await import('./formats/html.ts')).readPages,
  csv: async () => (await import('./formats/csv.ts')).readCsv,
  email: async () => (await import('./formats/email.ts')).readEmail,
  text: async () => (await import('./formats/text.ts')).readText,
}

const zipped: ReadonlySet<Format> = new Set(['docx', 'xlsx', 'pptx', 'epub'])
const compoundFile = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** Checks the first bytes of a file: an encrypted Office file and one of before 2007 are compound files. */
const checkBeginning = (format: Format, bytes: Buffer): void => {
  if (zipped.has(format) && bytes.subarray(0, 8).equals(compoundFile))
    throw new FileRefused(bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')) ? 'encrypted' : 'unsupported')
  if (zipped.has(format) && bytes.toString('latin1', 0, 2) !== 'PK') throw new FileRefused('broken')
  if (format === 'pdf' && !bytes.subarray(0, 1_024).includes('%PDF-')) throw new FileRefused('broken')
}

const readInput = async (): Promise<Buffer> => {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece)
  return Buffer.concat(pieces)
}

const extract = async ({ format, contentType, charset, maxCharacters }: ProcessOptions): Promise<ExtractionResult> => {
  const bytes = await readInput()
  try {
    checkBeginning(format, bytes)
    const writer = createMarkdownWriter(maxCharacters)
    const read = await formats[format]()
    const title = await read({ bytes, contentType, charset }, writer)
    const text = writer.toText()
    if (!/[\p{L}\p{N}]/u.test(text)) throw new FileRefused('no_text')
    const line = toLine(title ?? '')
    return { text, title: line.slice(0, 1_000).toWellFormed() || undefined }
  } catch (error) {
    // Libraries throw errors of any kind at files that are not what they say.
    return { refusal: error instanceof FileRefused ? error.refusal : 'broken' }
  }
}

process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
const options: ProcessOptions = JSON.parse(process.argv[2] ?? '{}')
const result = await extract(options)
const peakBytes = process.resourceUsage().maxRSS * 1024
process.stdout.write(JSON.stringify({ ...result, peakBytes }), () => process.exit(0))
