import type { Moved } from '@noema/contracts/receipts.ts'
import type { Tx } from '../../../storage/database.ts'
import { contentKinds } from '../../knowledge/content/content.ts'
import type { ItemRef } from '../lexical-index/types.ts'

/** Reads the current versions of these items, and returns the items of each receipt that changed. */
export const findMoved = async (
  tx: Tx,
  brainId: number,
  receipts: readonly (readonly ItemRef[])[],
): Promise<Moved[][]> => {
  const standings = new Map<string, { version: number | null; change: string }>()
  for (const { type, table } of contentKinds) {
    const ids = new Set(receipts.flatMap((items) => items.flatMap((item) => (item.type === type ? item.id : []))))
    for (const { id, version, change } of await table.selectStandings(tx, brainId, [...ids]))
      standings.set(`${type} ${id}`, { version, change })
  }
  return receipts.map((items) =>
    items.flatMap(({ type, id, version }) => {
      const now = standings.get(`${type} ${id}`)
      if (!now || now.version === version) return []
      return [{ ref: { type, id }, from: version, to: now.version, change: now.change }]
    }),
  )
}
