import type { BrainRecord } from '@noema/contracts/records.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import type { ServedDocument } from '../documents/document-queries.ts'
import type { AssertedStatement } from '../statements/statement-queries.ts'
import { documentText } from './document-text.ts'
import { recordText } from './record-text.ts'
import { statementText } from './statement-text.ts'

/** An item as search finds it, with the context that its text needs: the records of a statement, the text of a document. */
export type FoundContent =
  | { type: 'record'; record: BrainRecord }
  | { type: 'statement'; statement: AssertedStatement; subject: BrainRecord | null; object: BrainRecord | null }
  | { type: 'document'; document: ServedDocument; text: string }

/** The text form of the items of a kind. */
type ContentText = {
  /** An item from the JSON of its row, and from the text of a document. */
  toFound(content: object, text: string | null): FoundContent
  /** The text that an item is found by. */
  searchText(found: FoundContent): string
  /** Returns the title of a found item. */
  title(found: FoundContent, firstWords: string): string
  /** Returns the heading above each passage of the text, for search. */
  heading(found: FoundContent): string
  /**
   * Text by which an item is found in addition to its own. It ends with a line break, so that no word continues into the
   * text.
   */
  prefix(found: FoundContent): string
  /** The kind that filters go by: a record's, or that of the record that a statement is about. */
  kind(found: FoundContent): string | undefined
}

/** The text form of each kind of content. */
export const contentText: Readonly<Record<ContentType, ContentText>> = {
  record: recordText,
  statement: statementText,
  document: documentText,
}
