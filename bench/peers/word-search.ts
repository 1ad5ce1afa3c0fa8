import { DatabaseSync } from 'node:sqlite'
import MiniSearch from 'minisearch'
import type { CollectionDocument } from '../parts/collections.ts'

/** A library of BM25 with a collection loaded: answers the ids of the best documents. */
export type WordSearch = (query: string, limit: number) => string[]

/** MiniSearch with its own settings. */
export const openMiniSearch = (documents: readonly CollectionDocument[]): WordSearch => {
  const index = new MiniSearch({ fields: ['title', 'text'] })
  index.addAll(documents.map(({ id, title = '', text }) => ({ id, title, text })))
  return (query, limit) =>
    index
      .search(query)
      .slice(0, limit)
      .map(({ id }) => String(id))
}

/** SQLite's FTS5 with its Porter stemmer; any word of the query may match. */
export const openFts5 = (documents: readonly CollectionDocument[]): WordSearch => {
  const database = new DatabaseSync(':memory:')
  database.exec(`create virtual table documents using fts5(id unindexed, title, text, tokenize = 'porter unicode61')`)
  const insert = database.prepare('insert into documents values (?, ?, ?)')
  for (const { id, title = '', text } of documents) insert.run(id, title, text)
  const select = database.prepare('select id from documents where documents match ? order by rank limit ?')
  return (query, limit) => {
    const words = query.match(/[\p{L}\p{N}]+/gu) ?? []
    const match = words.map((word) => `"${word}"`).join(' OR ')
    return match === '' ? [] : select.all(match, limit).map(({ id }) => String(id))
  }
}
