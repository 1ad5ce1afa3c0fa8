import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createScratchFolder } from './scratch-postgres.ts'

/** A file of a folder of its own, on the disk that the run's PostgreSQL writes to. */
export const createScratchFile = async (name: string): Promise<{ file: string; remove(): Promise<void> }> => {
  const folder = await createScratchFolder()
  return { file: join(folder, name), remove: () => rm(folder, { recursive: true, force: true }) }
}
