import { z } from 'zod'
import type { Config } from '../../../config/config.ts'
import { unavailable } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import { askOperator, type OperatorAnswer } from '../../../shared/outbound/operator-endpoint.ts'
import { parseType } from './find-format.ts'
import { cleanText } from './formats/markdown.ts'
import type { Extracted } from './process-messages.ts'
import { FileRefused } from './refusal.ts'

// A server of the operator that reads scans and other types of files: Apache Tika or docling-serve. Its answer is as foreign as the
// file.

type Service = NonNullable<Config['extraction']['service']>

/** A file to send, as a whole. */
export type SentFile = { path: string; contentType: string; bytes: Uint8Array<ArrayBuffer> }

/** The pages of Markdown by docling are separated by this. */
const pageBreak = '<!-- noema page break -->'

/** The answer of docling-serve. */
const converted = z.object({
  status: z.string(),
  document: z.object({ md_content: z.string().nullish() }),
})

/** The request for Tika: HTML, in which each page is a `div`. */
const askTika = ({ url, apiKey }: Service, { contentType, bytes }: SentFile) => ({
  url: `${url}/tika`,
  method: 'PUT' as const,
  headers: {
    accept: 'text/html',
    'content-type': parseType(contentType).type,
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  },
  body: bytes,
})

const askDocling = ({ url, apiKey }: Service, { path, contentType, bytes }: SentFile) => {
  const form = new FormData()
  form.append('files', new Blob([bytes], { type: parseType(contentType).type }), path.split('/').at(-1) ?? 'file')
  form.append('to_formats', 'md')
  form.append('image_export_mode', 'placeholder')
  form.append('md_page_break_placeholder', pageBreak)
  return {
    url: [url, 'v1', 'convert', 'file'].join('/'),
    method: 'POST' as const,
    headers: { accept: 'application/json', ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) },
    body: form,
  }
}

/** The text of docling's answer. */
const parseConverted = (body: string): Extracted => {
  const { status, document } = converted.parse(JSON.parse(body))
  const markdown = document.md_content ?? ''
  if (status === 'failure') throw new FileRefused('broken')
  const pages = markdown.split(pageBreak).map((page) => cleanText(page).trim())
  if (!/[\p{L}\p{N}]/u.test(pages.join(''))) throw new FileRefused('no_text')
  return { text: pages.length === 1 ? (pages[0] ?? '') : pages.map((page) => `${page}\n\f`).join('\n\n') }
}

/** The statuses by which these servers refuse a file. */
const refusals: Readonly<Record<number, 'unsupported' | 'broken' | 'too_large'>> = {
  400: 'broken',
  413: 'too_large',
  415: 'unsupported',
  422: 'broken',
}

const failed = () =>
  unavailable('The server that extracts the text of such files does not respond as it should. Try again later.', {
    code: 'extractor_unavailable',
  })

/** Turns the HTML of Tika into Markdown, in the process that reads hostile files. */
export type ReadPages = (html: Uint8Array) => Promise<Extracted>

/** Asks the operator's server for the text of a file. Throws FileRefused, or `unavailable`. */
export const askService = async (
  service: Service,
  file: SentFile,
  { log, signal, maxBytes, readPages }: { log: Log; signal: AbortSignal; maxBytes: number; readPages: ReadPages },
): Promise<Extracted> => {
  const isTika = service.service === 'tika'
  const request = isTika ? askTika(service, file) : askDocling(service, file)
  let answer: OperatorAnswer
  try {
    answer = await askOperator({ ...request, signal, maxBytes })
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'the extraction server failed')
    throw failed()
  }
  const refusal = refusals[answer.status]
  if (refusal) throw new FileRefused(refusal)
  if (answer.status === 204 || answer.body.trim() === '') throw new FileRefused('no_text')
  if (answer.status !== 200) {
    log.warn({ status: answer.status }, 'the extraction server failed')
    throw failed()
  }
  if (isTika) return readPages(Buffer.from(answer.body))
  try {
    return parseConverted(answer.body)
  } catch (error) {
    if (error instanceof FileRefused) throw error
    throw failed()
  }
}
