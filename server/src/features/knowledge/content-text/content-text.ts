import type { BrainRecord } from '@noema/contracts/records.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import type { ServedDocument } from '../documents/document-queries.ts'
import type { AssertedStatement } from '../statements/statement-queries.ts'
import { documentText } from './document-text.ts'
import { recordText } from './record-text.ts'
import { statementText } from './statement-text.ts'

/** An item as search finds it, with what its text needs beside it: the records of a statement, the text of a document. */
export type FoundContent =
  | { type: 'record'; record: BrainRecord }
  | { type: 'statement'; statement: AssertedStatement; subject: BrainRecord | null; object: BrainRecord | null }
  | { type: 'document'; document: ServedDocument; text: string }

/** How the items of a kind read as text. */
type ContentText = {
  /** An item from the JSON of its row, and from the text of a document. */
  toFound(content: object, text: string | null): FoundContent
  /** The text that an item is found by. */
  searchText(found: FoundContent): string
  /** What an item that was found is called. */
  title(found: FoundContent, firstWords: string): string
  /** What stands above each passage of the text, for search. */
  heading(found: FoundContent): string
  /** Text by which an item is found in addition to its own. It ends with a line break, so that no word runs on into the text. */
  prefix(found: FoundContent): string
  /** The kind that filters go by: a record's, or that of the record that a statement is about. */
  kind(found: FoundContent): string | undefined
}

/** How each kind of content reads as text. */
export const contentText: Readonly<Record<ContentType, ContentText>> = {
  record: recordText,
  statement: statementText,
  document: documentText,
}
