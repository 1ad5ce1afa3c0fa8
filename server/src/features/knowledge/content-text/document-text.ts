import type { ServedDocument } from '../documents/document-queries.ts'

// How a document reads as text. Only this is loaded where passages are made, off the main thread.

type FoundDocument = { type: 'document'; document: ServedDocument; text: string }

const maxTitleLength = 80

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

export const documentText = {
  toFound: (document: ServedDocument, text: string): FoundDocument => ({ type: 'document', document, text }),
  // A document's text is its own, so that places in it can be told.
  searchText: ({ text }: FoundDocument) => text,
  title: ({ document }: FoundDocument, firstWords: string) =>
    document.title ?? (firstWords.split('\n', 1)[0] ?? '').slice(0, maxTitleLength).toWellFormed(),
  heading: ({ document }: FoundDocument) => document.title ?? '',
  // Its title, even where the text begins with it, and the day that it tells of.
  prefix: ({ document: { title, occurredAt } }: FoundDocument) =>
    `${title ?? ''}\n${occurredAt ? day.format(new Date(occurredAt)) : ''}\n`,
  kind: () => undefined,
}
