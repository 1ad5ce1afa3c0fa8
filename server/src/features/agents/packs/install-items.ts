import type { ParameterValue } from '@noema/contracts/pack-files.ts'
import type { InstalledItem } from '@noema/contracts/packs.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import { type ItemRow, insertItem, selectItems } from './queries.ts'

// The items of a pack in a Brain are kept by their names in its file, before parameters fill them: with another value, an item has another
// name and is still the same item. The transaction that makes an item records it, so that one
// of two simultaneous installs wins, and an install after a crash makes nothing twice.

/** Another install was first: what this one was about to make is not made. */
class AlreadyInstalled extends Error {}

/** The version of a pack that a Brain has, and the values that filled it. */
export type Pin = { version: number; parameters: { [name: string]: ParameterValue } }

const pinItem = 'install'

const toPin = (items: readonly ItemRow[]): Pin | undefined => {
  const found = items.find(({ item }) => item === pinItem)
  return found && JSON.parse(found.ref)
}

/** The install of a pack on a Brain, if there was one. */
export const readPin = async (db: Queryable, { brainId }: Pick<BrainRow, 'brainId'>, pack: string) =>
  toPin(await selectItems(db, brainId, pack))

type Named = Pick<InstalledItem, 'type' | 'name'>

/** Items of a filled pack, each with its name in the file. */
export const withFileNames = <Item extends { name: string }>(
  filled: readonly Item[],
  inFile: readonly { name: string }[],
): { item: Item; fileName: string }[] =>
  filled.map((item, index) => ({ item, fileName: inFile[index]?.name ?? item.name }))

/** Records what was made, in the transaction that makes it. */
type Note = (db: Queryable, ref: string) => Promise<void>

/** Records the version that an install made. */
export type NoteVersion = (db: Queryable, id: string, version: number) => Promise<void>

/** Finds, makes and changes an item with versions. `change` notes nothing if the item has another version than that. */
type Versioned = {
  /** The current version; undefined if it is gone. */
  findVersion(id: string): Promise<number | undefined>
  make(note: NoteVersion): Promise<void>
  change(id: string, version: number, note: NoteVersion): Promise<void>
}

export type ItemStore = {
  /** Keeps which version is installed, with which values. */
  pin(pin: Pin): Promise<void>
  /** Makes an item, by its name in the file, unless it was made and is there still. `make` notes what it made in its own transaction. */
  install(
    item: Named,
    isThere: (ref: string) => Promise<boolean>,
    make: (note: Note) => Promise<void>,
  ): Promise<{ isNew: boolean; ref: string }>
  /** Makes an item, by its name in the file, or its next version if no one has changed it since the last install. */
  installVersion(item: Named, versioned: Versioned): Promise<{ outcome: 'created' | 'updated' | 'present'; id: string }>
}

/** An item with the version that an install made: releases before noted the id alone, of items that they made but never changed. */
const readVersion = (ref: string): { id: string; version: number } => {
  const [id = '', version = '1'] = ref.split(' ')
  return { id, version: Number(version) }
}

const toVersionNote =
  (note: Note): NoteVersion =>
  (db, id, version) =>
    note(db, `${id} ${version}`)

/** Opens what is known of a pack on a Brain. */
export const openItemStore = async (
  { db, clock }: { db: Db; clock: Clock },
  { brainId, handle }: Pick<BrainRow, 'brainId' | 'handle'>,
  pack: string,
): Promise<ItemStore> => {
  const readRefs = async () => new Map((await selectItems(db, brainId, pack)).map(({ item, ref }) => [item, ref]))
  const known = await readRefs()
  /** The ref of the made item; undefined if none was made, or another install was first. */
  const attempt = async (item: string, make: (note: Note) => Promise<void>): Promise<string | undefined> => {
    let made: string | undefined
    const note: Note = async (at, ref) => {
      if (!(await insertItem(at, { brainId, pack, item, ref, now: clock.now() }, known.get(item))))
        throw new AlreadyInstalled()
      made = ref
    }
    try {
      await make(note)
      return made
    } catch (error) {
      if (!(error instanceof AlreadyInstalled)) throw error
      return undefined
    }
  }
  const readRef = async (item: string): Promise<string> => {
    const ref = (await readRefs()).get(item)
    // A Brain that was deleted meanwhile gets no items.
    if (ref === undefined) throw noSuchBrain(handle)
    return ref
  }
  return {
    pin: async (pin) => {
      const ref = JSON.stringify(pin)
      if (known.get(pinItem) === ref) return
      await insertItem(db, { brainId, pack, item: pinItem, ref, now: clock.now() }, known.get(pinItem))
    },
    install: async ({ type, name }, isThere, make) => {
      const item = `${type} ${name}`
      const former = known.get(item)
      if (former !== undefined && (await isThere(former))) return { isNew: false, ref: former }
      const made = await attempt(item, make)
      return { isNew: made !== undefined, ref: made ?? (await readRef(item)) }
    },
    installVersion: async ({ type, name }, { findVersion, make, change }) => {
      const item = `${type} ${name}`
      const ref = known.get(item)
      const former = ref === undefined ? undefined : readVersion(ref)
      const current = former && (await findVersion(former.id))
      if (!former || current === undefined) {
        const made = await attempt(item, (note) => make(toVersionNote(note)))
        return made === undefined
          ? { outcome: 'present', id: readVersion(await readRef(item)).id }
          : { outcome: 'created', id: readVersion(made).id }
      }
      const { id, version } = former
      const isChanged =
        current === version && (await attempt(item, (note) => change(id, version, toVersionNote(note)))) !== undefined
      return { outcome: isChanged ? 'updated' : 'present', id }
    },
  }
}
