import type { Moved } from '@noema/contracts/receipts.ts'
import type { Tx } from '../../../storage/database.ts'
import { selectDocumentStandings } from '../../brain/documents/documents.ts'
import { selectRecordStandings } from '../../brain/records/records.ts'
import { selectStatementStandings } from '../../brain/statements/statements.ts'
import type { ItemType, ServedItem } from './served.ts'

const selectStandings = {
  record: selectRecordStandings,
  statement: selectStatementStandings,
  document: selectDocumentStandings,
} as const

const types = Object.keys(selectStandings) as ItemType[]

/** Reads where these things stand now, and tells of each receipt's items which are not what they were. */
export const movedSince = async (
  tx: Tx,
  brainId: number,
  receipts: readonly (readonly ServedItem[])[],
): Promise<Moved[][]> => {
  const standings = new Map<string, { version: number | null; change: string }>()
  for (const type of types) {
    const ids = new Set(receipts.flatMap((items) => items.flatMap((item) => (item.type === type ? item.id : []))))
    const rows = ids.size === 0 ? [] : await selectStandings[type](tx, brainId, [...ids])
    for (const { id, version, change } of rows) standings.set(`${type} ${id}`, { version, change })
  }
  return receipts.map((items) =>
    items.flatMap(({ type, id, version }) => {
      const now = standings.get(`${type} ${id}`)
      if (!now || now.version === version) return []
      return [{ ref: { type, id }, from: version, to: now.version, change: now.change }]
    }),
  )
}
