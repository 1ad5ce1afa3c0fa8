import { runExtraction } from '../server/src/features/files/extraction/run-extraction.ts'
import { makeDocx, makePdf, wordParagraph } from './parts/sample-files.ts'

// The speed of the extraction of text from files, and its memory: a PDF and a Word document of 300 pages with 450 words each.
// `node bench/extraction.ts`

const pages = 300
const words =
  'orders of the northern region grew in the third quarter while the cost of spare turbines fell and stock was moved'.split(
    ' ',
  )

const toLine = (page: number, line: number): string =>
  Array.from({ length: 10 }, (_, word) => words[(page * 7 + line * 3 + word) % words.length]).join(' ')

const pageLines = (page: number): string[] => Array.from({ length: 45 }, (_, line) => toLine(page, line))

const makeLongPdf = (): Buffer =>
  makePdf(
    Array.from({ length: pages }, (_, page) => [
      { text: `Chapter ${page + 1}`, y: 800, size: 18 },
      ...pageLines(page).map((text, line) => ({ text, y: 770 - line * 15 })),
    ]),
  )

const makeLongDocx = (): Buffer =>
  makeDocx(
    Array.from(
      { length: pages },
      (_, page) =>
        `${wordParagraph(`Chapter ${page + 1}`, 'H1')}${pageLines(page)
          .map((line) => wordParagraph(line))
          .join('')}<w:p><w:r><w:br w:type="page"/></w:r></w:p>`,
    ).join(''),
  )

const limits = { seconds: 600, memoryBytes: 2 * 1024 ** 3, maxCharacters: 16_000_000 }

for (const [format, bytes] of [
  ['pdf', makeLongPdf()],
  ['docx', makeLongDocx()],
] as const) {
  const sent = (async function* () {
    yield bytes
  })()
  const began = performance.now()
  const { signal } = new AbortController()
  const options = { format, contentType: '', charset: undefined }
  const { text, peakBytes } = await runExtraction(sent, options, { limits, signal })
  const seconds = (performance.now() - began) / 1000
  const perMinute = Math.round((pages / seconds) * 60)
  process.stdout.write(
    `${format}: ${(bytes.length / 1e6).toFixed(1)} MB, ${text.split('\f').length - 1} pages, ${text.length} characters, ` +
      `${seconds.toFixed(2)} s, ${perMinute} pages a minute, ${Math.round(peakBytes / 1e6)} MB at most\n`,
  )
}
