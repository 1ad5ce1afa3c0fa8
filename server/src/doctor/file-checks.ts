import { randomUUID } from 'node:crypto'
import { openObjectStore, StoreFailed } from '../features/files/artifacts/object-store.ts'
import type { Db } from '../storage/database.ts'
import { type Finding, failed, isOk, type Subject, toReason, warns } from './finding.ts'
import { readStoredFiles } from './queries.ts'

const check = 'Store of files'

const keepsVersions = (place: string): Finding =>
  warns(
    check,
    `${place} keeps versions of objects, so deletions do not erase the bytes of files.`,
    'Turn versioning off for the bucket, or add a rule that expires versions that are not current.',
  )

/** Checks the store of files by writing, reading and deleting a small object; no finding where none is set up. */
export const checkFileStore = async ({ config }: Subject): Promise<Finding[]> => {
  if (!config.artifactStore) return []
  const { host } = new URL(config.artifactStore.url)
  const objects = await openObjectStore(config.artifactStore)
  const key = `noema-doctor/${randomUUID()}`
  const bytes = new TextEncoder().encode(key)
  try {
    const isVersioned = await objects.put(key, bytes)
    const read = await objects.get(key, { from: 0, to: bytes.length })
    await objects.delete(key)
    if (read?.toString() !== key) throw new Error('It did not answer the object that was written.')
    return [isVersioned ? keepsVersions(host) : isOk(check, `${host} writes, reads and deletes.`)]
  } catch (error) {
    return [
      failed(
        check,
        `${host} cannot be used: ${error instanceof StoreFailed ? error.reason : toReason(error)}`,
        'Check NOEMA_ARTIFACT_S3_URL with its bucket, the region, and that the access key may put, get and delete objects.',
      ),
    ]
  }
}

/** Checks whether files are in a store that is not set, and whether the bytes of deleted ones are gone. */
export const checkStoredFiles = async (db: Db, { config }: Subject): Promise<Finding[]> => {
  const { stored, overdue } = await readStoredFiles(db)
  if (stored > 0 && !config.artifactStore)
    return [
      failed(
        check,
        `The bytes of ${stored} versions of files are in a store, and NOEMA_ARTIFACT_S3_URL is not set.`,
        'Set it again. To give the store up, run noema move-files --to-database first.',
      ),
    ]
  if (overdue === 0) return []
  return [
    warns(
      check,
      `The bytes of ${overdue} deleted versions of files are still in the store.`,
      'The service erases them once the store answers. Its log says why it does not.',
    ),
  ]
}
