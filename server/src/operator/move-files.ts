import { readConfig } from '../config/config.ts'
import { moveBodies } from '../features/files/artifacts/move-bodies.ts'
import { openObjectStore, StoreFailed } from '../features/files/artifacts/object-store.ts'
import { conflict, unavailable, validation } from '../shared/errors.ts'
import { createLog } from '../shared/log.ts'
import { openDatabase } from '../storage/database.ts'
import { openLongSession } from '../storage/long-session.ts'
import { migrateAt } from '../storage/migrate.ts'
import { openStorage } from '../storage/open-storage.ts'

// The operator moves the bytes of all files into the store of objects or back, while the service runs.

/** "files" in ASCII, so that no other advisory lock of the database meets it by chance. */
const lockNumber = 0x66_69_6c_65_73

export type MovedFiles = { place: string; files: number; bytes: number }

/** Moves the bytes of all files, and counts them. It may be repeated after a failure, and goes on then. */
export const moveFiles = async ({
  to,
  cwd,
  env,
}: {
  to: 'store' | 'database'
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}): Promise<MovedFiles> => {
  const config = readConfig(env, cwd)
  if (!config.artifactStore)
    throw validation('NOEMA_ARTIFACT_S3_URL is not set. Set it and its access key as for the service.')
  const objects = await openObjectStore(config.artifactStore)
  const log = createLog('error')
  const storage = await openStorage(config, { log, cwd, ownership: 'shared' })
  const { db, close } = openDatabase(storage.address, log, 2)
  const moved = { place: storage.place, files: 0, bytes: 0 }
  try {
    await migrateAt(storage.address, log)
    const session = await openLongSession(db, storage.address, undefined)
    try {
      if (!(await session.takeLock(lockNumber)))
        throw conflict('Another move of files is running. Wait until it is done.')
      await moveBodies({ db, objects }, to, (bytes) => {
        moved.files += 1
        moved.bytes += bytes
      })
    } finally {
      await session.end()
    }
    return moved
  } catch (error) {
    if (!(error instanceof StoreFailed)) throw error
    throw unavailable(`The store of files failed after ${moved.files} files: ${error.reason} Run this again to go on.`)
  } finally {
    await close()
    await storage.close()
  }
}
