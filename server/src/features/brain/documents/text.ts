import type { ServedDocument } from './queries.ts'

// How a document reads as text. Only this is loaded where passages are made, off the main thread.

type FoundDocument = { type: 'document'; document: ServedDocument; text: string }

const maxTitleLength = 80

export const documentText = {
  // A document's text is its own, so that places in it can be told.
  searchText: ({ text }: FoundDocument) => text,
  title: ({ document }: FoundDocument, firstWords: string) =>
    document.title ?? (firstWords.split('\n', 1)[0] ?? '').slice(0, maxTitleLength).toWellFormed(),
  heading: ({ document }: FoundDocument) => document.title ?? '',
  kind: () => undefined,
}
