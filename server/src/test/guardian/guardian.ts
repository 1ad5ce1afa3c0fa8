// Guards one run of the tests: creates a folder for temporary files and a PostgreSQL, and removes both when the run ends,
// however it ends. The run has the other end of this program's standard input, which the system closes with it.
import { tmpdir } from 'node:os'
import { basename } from 'node:path'
import { createLog } from '../../shared/log.ts'
import { openEmbeddedPostgres } from '../../storage/embedded/embedded-postgres.ts'
import { startCitusCluster } from '../citus-cluster.ts'
import { isCluster } from '../cluster.ts'
import { clearRunFolder, clearStaleRuns, makeRunFolder, waitForWorkers } from './run-folder.ts'

/** Starts PostgreSQL without syncing, and returns its URL, without a database. */
const startPostgres = async (dataDir: string) => {
  const postgres = await openEmbeddedPostgres({
    dataDir,
    log: createLog('error'),
    ownership: 'exclusive',
    settings: {
      fsync: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      // In the data folder, which is removed even where PostgreSQL is killed.
      dynamic_shared_memory_type: 'mmap',
    },
  })
  const { host, port, user } = postgres.connection
  return { url: `postgres://${user}@localhost/?host=${encodeURIComponent(host)}&port=${port}`, stop: postgres.stop }
}

/** Resolves when the run has ended. */
const ended = new Promise<void>((resolve) => {
  process.stdin
    .once('end', resolve)
    .once('error', () => resolve())
    .resume()
})
// Ctrl-C and the end of a session are for the run; this program ends after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

await clearStaleRuns(tmpdir(), basename(import.meta.filename))
const folder = await makeRunFolder(tmpdir())
const given = process.argv[2]
const start = isCluster ? startCitusCluster : startPostgres
const postgres = given === undefined ? await start(folder) : { url: given, stop: async () => {} }
process.stdout.write(`${JSON.stringify({ folder, url: postgres.url })}\n`)
await ended
await waitForWorkers(folder)
await postgres.stop()
await clearRunFolder(folder)
