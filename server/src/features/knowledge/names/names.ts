import type { BodyOutput, Result } from '@noema/contracts/endpoint.ts'
import type { readNames } from '@noema/contracts/names.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { atOneState } from '../../kernel/state-reads/state-reads.ts'
import { nameFields, recordTitle } from '../content-text/record-text.ts'
import { selectDocumentTitles } from '../documents/document-queries.ts'
import { selectNamedRecords } from '../records/record-queries.ts'
import { selectSaid } from '../statements/statement-queries.ts'

// What people call items that a list knows by id. A name is also given to what is gone: its history can still be read.

type Names = Result<typeof readNames>

/** Names are cut here, so that an answer is small whatever the items hold. */
const maxNameLength = 200

const cut = (name: string): string => name.slice(0, maxNameLength).toWellFormed()

const nameRecords = async (tx: Queryable, brainId: number, ids: readonly string[]): Promise<Names['records']> => {
  const found = await selectNamedRecords(tx, brainId, [...new Set(ids)], nameFields)
  return found.map((record) => ({ id: record.id, kind: record.kind, name: recordTitle(record) }))
}

const nameStatements = async (tx: Queryable, brainId: number, ids: readonly string[]): Promise<Names['statements']> => {
  const said = await selectSaid(tx, brainId, [...new Set(ids)])
  const about = said.flatMap(({ subject, object }) => (object === null ? [subject] : [subject, object]))
  const names = new Map((await nameRecords(tx, brainId, about)).map(({ id, name }) => [id, name]))
  return said.map(({ id, subject, predicate, object, value }) => {
    const end = object === null ? (value ?? 'null') : (names.get(object) ?? object)
    return { id, name: cut(`${names.get(subject) ?? subject} ${predicate} ${end}`) }
  })
}

/** The names of records, statements and documents, each once (D-52c). */
export const readNamesOf = ({ db }: { db: Db }, brain: BrainRow, body: BodyOutput<typeof readNames>): Promise<Names> =>
  atOneState(db, brain, undefined, async (tx, { stateVersion }) => {
    const { records = [], statements = [], documents = [] } = body
    const titles = await selectDocumentTitles(tx, brain.brainId, [...new Set(documents)])
    return {
      records: await nameRecords(tx, brain.brainId, records),
      statements: await nameStatements(tx, brain.brainId, statements),
      documents: titles.map(({ id, title }) => ({ id, name: title ?? id })),
      stateVersion,
    }
  })
