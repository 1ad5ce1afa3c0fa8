import PostalMime, { type Address } from 'postal-mime'
import { FileRefused } from '../refusal.ts'
import type { ReadFormat } from './document.ts'
import { writeHtml } from './html.ts'

// Emails: the subject as the heading, who wrote to whom and when, the text, and the names of the attachments.

const showAddresses = (addresses: readonly Address[] | undefined): string =>
  (addresses ?? [])
    .slice(0, 50)
    .map(({ name, address }) => (name && address ? `${name} <${address}>` : (address ?? name)))
    .join(', ')

const parseEmail = async (bytes: Buffer) => {
  const parser = new PostalMime({ maxNestingDepth: 20, maxHeadersSize: 1024 * 1024, forceRfc822Attachments: true })
  try {
    return await parser.parse(bytes)
  } catch {
    throw new FileRefused('broken')
  }
}

/** Reads an email. */
export const readEmail: ReadFormat = async ({ bytes }, writer) => {
  const email = await parseEmail(bytes)
  const { subject, from, to, cc, date, text, html, attachments } = email
  if (email.headers.length === 0) throw new FileRefused('broken')
  writer.heading(1, subject ?? '')
  const lines = [
    ['From', showAddresses(from ? [from] : [])],
    ['To', showAddresses(to)],
    ['Cc', showAddresses(cc)],
    ['Date', date ?? ''],
  ] as const
  writer.paragraph(lines.flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`])).join('\n'))
  if (text?.trim()) for (const paragraph of text.split(/\n\s*\n/)) writer.paragraph(paragraph)
  else if (html) writeHtml(html, writer)
  const names = attachments.flatMap(({ filename }) => filename ?? []).slice(0, 100)
  if (names.length > 0) writer.paragraph(`Attachments: ${names.join(', ')}`)
  return subject
}
