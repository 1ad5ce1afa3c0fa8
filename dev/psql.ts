import { spawn } from 'node:child_process'
import { readConfig } from '../server/src/config/config.ts'
import { createLog } from '../server/src/shared/log.ts'
import { openStorage } from '../server/src/storage/open-storage.ts'

// `npm run psql`: the database of this checkout's service in psql, whether the service runs or not. Arguments after `--` go
// to psql: `npm run psql -- -c 'select handle, position from brains'`.

const cwd = process.cwd()
const storage = await openStorage(readConfig(process.env, cwd), { log: createLog('error'), cwd, ownership: 'shared' })
const { address } = storage
const target =
  typeof address === 'string'
    ? [address]
    : ['-h', address.host, '-p', String(address.port), '-U', address.user, '-d', address.database]

// Ctrl-C is for psql: it cancels the running statement.
process.on('SIGINT', () => undefined)
const psql = spawn('psql', [...target, ...process.argv.slice(2)], { stdio: 'inherit' })
psql.on('error', () => {
  process.stderr.write('There is no psql on this machine. Install the PostgreSQL client (Debian: postgresql-client).\n')
  process.exitCode = 127
})
psql.on('exit', (code) => {
  process.exitCode = code ?? 1
})
await new Promise((resolve) => psql.once('close', resolve))
await storage.close()
