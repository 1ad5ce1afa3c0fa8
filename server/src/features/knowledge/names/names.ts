import type { BodyOutput, Result } from '@noema/contracts/endpoint.ts'
import type { readNames } from '@noema/contracts/names.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { atOneState } from '../../kernel/state-reads/state-reads.ts'
import { nameFields, recordTitle } from '../content-text/record-text.ts'
import { selectDocumentTitles } from '../documents/document-queries.ts'
import { selectNamedRecords } from '../records/record-queries.ts'
import { selectSaid } from '../statements/statement-queries.ts'

// Names of items that a list knows by id. Items that are gone have one, too: their history can still be read.

type Named = Result<typeof readNames>['names'][number]

/** Names are cut here, so that an answer is small whatever the items hold. */
const maxNameLength = 200

const cut = (name: string): string => name.slice(0, maxNameLength).toWellFormed()

const nameRecords = async (tx: Queryable, brainId: number, ids: readonly string[]): Promise<Named[]> => {
  const found = await selectNamedRecords(tx, brainId, [...new Set(ids)], nameFields)
  return found.map((record) => ({ type: 'record', id: record.id, name: recordTitle(record), kind: record.kind }))
}

const nameStatements = async (tx: Queryable, brainId: number, ids: readonly string[]): Promise<Named[]> => {
  const said = await selectSaid(tx, brainId, ids)
  const about = said.flatMap(({ subject, object }) => (object === null ? [subject] : [subject, object]))
  const names = new Map((await nameRecords(tx, brainId, about)).map(({ id, name }) => [id, name]))
  return said.map(({ id, subject, predicate, object, value }) => {
    const end = object === null ? (value ?? 'null') : (names.get(object) ?? object)
    return { type: 'statement', id, name: cut(`${names.get(subject) ?? subject} ${predicate} ${end}`) }
  })
}

const nameDocuments = async (tx: Queryable, brainId: number, ids: readonly string[]): Promise<Named[]> =>
  (await selectDocumentTitles(tx, brainId, ids)).map(({ id, title }) => ({ type: 'document', id, name: title ?? id }))

/** The names of records, statements and documents, each once (D-52c). */
export const nameItems = ({ db }: { db: Db }, brain: BrainRow, { items }: BodyOutput<typeof readNames>) =>
  atOneState(db, brain, undefined, async (tx, { stateVersion }) => {
    const listIds = (type: Named['type']) => [...new Set(items.flatMap((item) => (item.type === type ? item.id : [])))]
    const names = [
      ...(await nameRecords(tx, brain.brainId, listIds('record'))),
      ...(await nameStatements(tx, brain.brainId, listIds('statement'))),
      ...(await nameDocuments(tx, brain.brainId, listIds('document'))),
    ]
    return { names, stateVersion }
  })
