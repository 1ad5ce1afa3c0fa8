// Opens the data folder named on the command line, says what came of it, and stays until it is ended.

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
