import type { ServedDocument } from '../documents/document-queries.ts'

// The text form of a document. The indexing thread loads only this, off the main thread.

type FoundDocument = { type: 'document'; document: ServedDocument; text: string }

const maxTitleLength = 80

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

export const documentText = {
  toFound: (document: ServedDocument, text: string): FoundDocument => ({ type: 'document', document, text }),
  // A document's text stays unchanged, so that positions in it are valid.
  searchText: ({ text }: FoundDocument) => text,
  title: ({ document }: FoundDocument, firstWords: string) =>
    document.title ?? (firstWords.split('\n', 1)[0] ?? '').slice(0, maxTitleLength).toWellFormed(),
  heading: ({ document }: FoundDocument) => document.title ?? '',
  // Its title, even if the text starts with it, and the day that it is about.
  prefix: ({ document: { title, occurredAt } }: FoundDocument) =>
    `${title ?? ''}\n${occurredAt ? day.format(new Date(occurredAt)) : ''}\n`,
  kind: () => undefined,
}
