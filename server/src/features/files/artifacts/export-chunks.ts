import type { Db } from '../../../storage/database.ts'
import { chunkBytes, createReader } from './body-objects.ts'
import { selectVersionBodies } from './object-queries.ts'
import type { ObjectStore } from './object-store.ts'

/** A piece of a version of a file, in base64. */
export type ExportedChunk = { artifactId: string; version: number; number: number; base64: string }

const bodiesAtOnce = 100

/** The bytes of all files of an organization, wherever they are, a chunk at a time. Files that are deleted meanwhile end early. */
export async function* readArtifactChunks(
  deps: { db: Db; objects: ObjectStore },
  organizationId: string,
): AsyncGenerator<ExportedChunk> {
  for (let after = { artifactId: '', version: 0 }; ; ) {
    const bodies = await selectVersionBodies(deps.db, { organizationId, after, limit: bodiesAtOnce })
    for (const { artifactId, version, id, bytes } of bodies) {
      const read = createReader(deps, { organizationId, id })
      for (let number = 0; number * chunkBytes < bytes; number++) {
        const chunk = await read({ from: number * chunkBytes, to: bytes })
        if (!chunk) break
        yield { artifactId, version, number, base64: chunk.toString('base64') }
      }
    }
    const last = bodies.at(-1)
    if (!last || bodies.length < bodiesAtOnce) return
    after = last
  }
}
