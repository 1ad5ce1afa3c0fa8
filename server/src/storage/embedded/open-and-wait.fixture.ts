// Opens the data folder from the command line, prints the outcome, and stays until it is killed.

import { openEmbeddedPostgres } from './embedded-postgres.ts'
import { DataFolderInUse } from './owner-lock.ts'

const [, , dataDir = '', ownership = 'exclusive'] = process.argv
const silent = { info: () => {}, warn: () => {}, error: () => {} }
try {
  await openEmbeddedPostgres({
    dataDir,
    log: silent,
    ownership: ownership === 'shared' ? 'shared' : 'exclusive',
    settings: { fsync: 'off' },
  })
  process.stdout.write('open\n')
  setInterval(() => {}, 60_000)
} catch (error) {
  process.stdout.write(error instanceof DataFolderInUse ? 'in use\n' : `failed: ${error}\n`)
}
