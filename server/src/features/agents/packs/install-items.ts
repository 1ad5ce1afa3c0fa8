import type { InstalledItem } from '@noema/contracts/packs.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import { insertItem, selectItems } from './queries.ts'

// The items of a pack in a Brain are kept by their names in the pack. The transaction that makes an item records it, so that one
// of two simultaneous installs wins, and an install after a crash makes nothing twice.

/** Another install was first: what this one was about to make is not made. */
class AlreadyInstalled extends Error {}

export type ItemStore = {
  /** Makes an item, unless it was made and is there still. `make` notes what it made in its own transaction. */
  install(
    item: Pick<InstalledItem, 'type' | 'name'>,
    isThere: (ref: string) => Promise<boolean>,
    make: (note: (db: Queryable, ref: string) => Promise<void>) => Promise<void>,
  ): Promise<{ isNew: boolean; ref: string }>
}

/** Opens what is known of a pack on a Brain. */
export const openItemStore = async (
  { db, clock }: { db: Db; clock: Clock },
  { brainId, handle }: Pick<BrainRow, 'brainId' | 'handle'>,
  pack: string,
): Promise<ItemStore> => {
  const readRefs = async () => new Map((await selectItems(db, brainId, pack)).map(({ item, ref }) => [item, ref]))
  const known = await readRefs()
  return {
    install: async ({ type, name }, isThere, make) => {
      const item = `${type} ${name}`
      const former = known.get(item)
      if (former !== undefined && (await isThere(former))) return { isNew: false, ref: former }
      let made: string | undefined
      const note = async (at: Queryable, ref: string): Promise<void> => {
        if (!(await insertItem(at, { brainId, pack, item, ref, now: clock.now() }, former)))
          throw new AlreadyInstalled()
        made = ref
      }
      try {
        await make(note)
      } catch (error) {
        if (!(error instanceof AlreadyInstalled)) throw error
        made = undefined
      }
      const ref = made ?? (await readRefs()).get(item)
      // A Brain that was deleted meanwhile gets no items.
      if (ref === undefined) throw noSuchBrain(handle)
      return { isNew: made !== undefined, ref }
    },
  }
}
