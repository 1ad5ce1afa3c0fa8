import type { Queryable } from '../../../storage/database.ts'
import { type BodyKey, insertChunk, selectChunk } from './body-queries.ts'
import { addPart, deleteObjects, findObjects } from './object-queries.ts'
import { type ObjectStore, StoreFailed } from './object-store.ts'

// The bytes of a body are chunks in PostgreSQL, or objects of a store. It begins in one of them. It may move while it is read, so a
// reader looks in both.

/** The size of every chunk of a body in PostgreSQL but the last. */
export const chunkBytes = 256 * 1024

/** The size of every new object but the last of a body. A transfer has one in memory. */
export const partBytes = 2 * 1024 * 1024

type Deps = { db: Queryable; objects: ObjectStore }

const toKey = ({ organizationId, id }: BodyKey, number: number): string => `${organizationId}/${id}/${number}`

/** Takes the chunks of a body one after the other, all but the last of the same size. False once the body is erased. */
export type BodySink = { add(chunk: Buffer): Promise<boolean>; end(): Promise<boolean> }

const createRowSink = ({ db }: Deps, key: BodyKey): BodySink => {
  let number = 0
  return {
    add: (bytes) => insertChunk(db, { ...key, number: number++, bytes }),
    end: async () => true,
  }
}

/** Gathers chunks into objects. `bytes` is the length of the body, if it is known. */
export const createObjectSink = ({ db, objects }: Deps, key: BodyKey, bytes: number | undefined): BodySink => {
  const part = Buffer.allocUnsafeSlow(Math.min(Math.max(bytes ?? partBytes, chunkBytes), partBytes))
  let filled = 0
  let parts = 0
  const store = async () => {
    if (!(await addPart(db, key, parts + 1))) return false
    await objects.put(toKey(key, parts), part.subarray(0, filled))
    parts += 1
    filled = 0
    return true
  }
  return {
    add: async (chunk) => {
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(part, filled, at)
        filled += copied
        at += copied
        if (filled === part.length && !(await store())) return false
      }
      return true
    },
    end: async () => filled === 0 || store(),
  }
}

/** A sink for a new body: the store if there is one, else PostgreSQL. */
export const createSink = (deps: Deps, key: BodyKey, bytes: number | undefined): BodySink =>
  deps.objects.isOpen ? createObjectSink(deps, key, bytes) : createRowSink(deps, key)

/** Reads bytes of a body from a place on, some at a time; undefined once it is erased. */
export type ReadBody = (range: { from: number; to: number }) => Promise<Buffer | undefined>

/** A reader of a body. It has one object in memory, and holds no connection between two reads. */
export const createReader = ({ db, objects }: Deps, key: BodyKey): ReadBody => {
  let size: number | undefined
  let held: { from: number; bytes: Buffer } = { from: 0, bytes: Buffer.alloc(0) }
  const readRow: ReadBody = async ({ from, to }) => {
    const number = Math.floor(from / chunkBytes)
    const start = number * chunkBytes
    return (await selectChunk(db, { ...key, number }))?.subarray(from - start, to - start)
  }
  const readObject: ReadBody = async ({ from, to }) => {
    const isHeld = from >= held.from && from < held.from + held.bytes.length
    if (!isHeld) {
      size ??= (await findObjects(db, key))?.partBytes
      if (size === undefined) return undefined
      const start = Math.floor(from / size) * size
      const bytes = await objects.get(toKey(key, start / size), {
        from: from - start,
        to: Math.min(to, start + size) - start,
      })
      if (!bytes) return undefined
      held = { from, bytes }
    }
    return held.bytes.subarray(from - held.from, from - held.from + chunkBytes)
  }
  return async (range) => {
    const [first, second] = size === undefined ? [readRow, readObject] : [readObject, readRow]
    const bytes = (await first(range)) ?? (await second(range))
    if (bytes || size === undefined || !(await findObjects(db, key))) return bytes
    throw new StoreFailed(`It has no object ${toKey(key, Math.floor(range.from / size))}.`)
  }
}

const deletedAtOnce = 8

/** Deletes the first objects of a body. */
export const deleteParts = async (
  objects: ObjectStore,
  key: BodyKey,
  { parts, isWaitedFor = false }: { parts: number; isWaitedFor?: boolean },
): Promise<void> => {
  for (let from = 0; from < parts; from += deletedAtOnce)
    await Promise.all(
      Array.from({ length: Math.min(deletedAtOnce, parts - from) }, (_, index) =>
        objects.delete(toKey(key, from + index), { isWaitedFor }),
      ),
    )
}

/** Deletes the objects of a body, and then the record of them. Throws StoreFailed while the store does not answer. */
export const eraseObjects = async (
  { db, objects }: Deps,
  key: BodyKey,
  given: { isWaitedFor?: boolean } = {},
): Promise<void> => {
  const found = await findObjects(db, key)
  if (!found) return
  await deleteParts(objects, key, { ...given, parts: found.parts })
  await deleteObjects(db, key)
}
