import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Machine } from './comparison.ts'
import { createScratchFolder } from './scratch-postgres.ts'
import { median } from './statistics.ts'

const syncs = 200

const server = JSON.parse(readFileSync(new URL('../../server/package.json', import.meta.url), 'utf8')) as {
  version: string
  optionalDependencies: Record<string, string>
}
const postgres = Object.values(server.optionalDependencies)[0]?.replace(/-.*$/, '')
const versions = `Noema ${server.version}, Node ${process.version.slice(1)}, PostgreSQL ${postgres}`

const measureSync = async (): Promise<number> => {
  const folder = await createScratchFolder()
  const file = openSync(join(folder, 'sync'), 'w')
  const block = Buffer.alloc(8192, 1)
  const times = Array.from({ length: syncs }, (_, index) => {
    const startedAt = performance.now()
    writeSync(file, block, 0, block.length, (index % 16) * block.length)
    fdatasyncSync(file)
    return performance.now() - startedAt
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return median(times)
}

/** Describes the machine of the measurement. */
export const describeMachine = async (): Promise<Machine> => ({
  cores: availableParallelism(),
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGigabytes: Math.round(totalmem() / 2 ** 30),
  versions,
  loadAtStart: loadavg()[0] ?? 0,
  syncMilliseconds: await measureSync(),
})
