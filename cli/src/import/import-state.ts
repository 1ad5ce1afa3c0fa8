import { createHash, randomUUID } from 'node:crypto'
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'

// The progress of an import, in a file next to the imported one. Each batch replaces the whole file; the end removes it.

/** The rows that are done, by what became of them; `import` identifies the file and where it goes, `attempt` this import of it. */
export type ImportState = {
  import: string
  attempt: string
  rows: number
  written: number
  unchanged: number
  staged: number
  rejected: number
}

const headBytes = 64 * 1024

/** Identifies a file and the options of its import: its size and beginning, so that another file is not continued. */
export const identifyImport = async (path: string, options: readonly unknown[]): Promise<string> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(headBytes) })
    const { size } = await file.stat()
    return createHash('sha256')
      .update(JSON.stringify([size, ...options]))
      .update(buffer.subarray(0, bytesRead))
      .digest('hex')
  } finally {
    await file.close()
  }
}

/** Reads the state of an interrupted import; undefined if there is none of this file. */
export const readState = async (path: string, identity: string): Promise<ImportState | undefined> => {
  try {
    // States of release 0.1.0 have no attempt.
    const state: ImportState = { attempt: '', ...JSON.parse(await readFile(path, 'utf8')) }
    return state.import === identity ? state : undefined
  } catch {
    return undefined
  }
}

export const writeState = async (path: string, state: ImportState): Promise<void> => {
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, JSON.stringify(state))
  await rename(draft, path)
}

export const removeState = (path: string): Promise<void> => rm(path, { force: true })
