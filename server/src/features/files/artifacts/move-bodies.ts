import type { Db } from '../../../storage/database.ts'
import { chunkBytes, createObjectSink, createReader, deleteParts, eraseObjects, partBytes } from './body-objects.ts'
import { type BodyKey, deleteChunks } from './body-queries.ts'
import {
  findObjects,
  insertMovedChunk,
  insertObjects,
  lockKeptBody,
  markCopy,
  selectKeptBodies,
} from './object-queries.ts'
import type { ObjectStore } from './object-store.ts'

// Moves the bytes of files from PostgreSQL into the store of objects, or back, while the service runs. A body is copied first; then one
// transaction says where its bytes are. So a reader finds them at any moment, and a move may begin again anywhere. Only one move may
// run at a time.

type Deps = { db: Db; objects: ObjectStore }
type Body = BodyKey & { bytes: number }

const bodiesAtOnce = 50

/** Reads a body in chunks. It ends early if the body is erased meanwhile. */
async function* readChunks(deps: Deps, { bytes, ...key }: Body): AsyncGenerator<Buffer> {
  const read = createReader(deps, key)
  for (let from = 0; from < bytes; from += chunkBytes) {
    const chunk = await read({ from, to: bytes })
    if (!chunk) return
    yield chunk
  }
}

const copyIntoStore = async (deps: Deps, body: Body): Promise<boolean> => {
  const sink = createObjectSink(deps, body, body.bytes)
  let copied = 0
  for await (const chunk of readChunks(deps, body)) {
    if (!(await sink.add(chunk))) return false
    copied += chunk.length
  }
  return copied === body.bytes && (await sink.end())
}

/** False if the file was deleted meanwhile. */
const moveToStore = async (deps: Deps, body: Body): Promise<boolean> => {
  const { db, objects } = deps
  await insertObjects(db, { ...body, partBytes, isCopy: true })
  const isMoved =
    (await copyIntoStore(deps, body)) &&
    (await db.transaction().execute(async (tx) => {
      if (!(await lockKeptBody(tx, body))) return false
      await deleteChunks(tx, { ...body, limit: Math.ceil(body.bytes / chunkBytes) })
      await markCopy(tx, body, false)
      return true
    }))
  // It may have been erased before its last object was written.
  if (!isMoved) await deleteParts(objects, body, { parts: Math.ceil(body.bytes / partBytes) })
  return isMoved
}

/** False if the file was deleted meanwhile. */
const moveToDatabase = async (deps: Deps, body: Body): Promise<boolean> => {
  const { db } = deps
  const found = await findObjects(db, body)
  if (!found) return false
  if (!found.isCopy) {
    let number = 0
    for await (const bytes of readChunks(deps, body)) await insertMovedChunk(db, { ...body, number: number++, bytes })
    const isMoved = await db.transaction().execute(async (tx) => {
      if (!(await lockKeptBody(tx, body))) return false
      await markCopy(tx, body, true)
      return true
    })
    if (!isMoved) return false
  }
  await eraseObjects(deps, body)
  return true
}

/** Moves every file, and reports the size of each. */
export const moveBodies = async (
  deps: Deps,
  to: 'store' | 'database',
  onMoved: (bytes: number) => void,
): Promise<void> => {
  const move = to === 'store' ? moveToStore : moveToDatabase
  const from = to === 'store' ? 'database' : 'store'
  for (let after: BodyKey = { organizationId: '', id: '' }; ; ) {
    const bodies = await selectKeptBodies(deps.db, { from, after, limit: bodiesAtOnce })
    for (const body of bodies) if (await move(deps, body)) onMoved(body.bytes)
    const last = bodies.at(-1)
    if (!last || bodies.length < bodiesAtOnce) return
    after = last
  }
}
