import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findCitus } from './find-citus.ts'

// `npm run test:citus -- [URL] [files]`: tests of the server on a Citus cluster, one that it starts from this machine's packages, or the
// one whose coordinator the URL or NOEMA_CITUS_URL names. `--selected` runs the part that CI runs; with `--workers` nodes connect to the workers, too.

/** The areas with the most statements of their own for several servers. */
const selected = [
  'cli/src/commands/distribute.test.ts',
  'server/src/storage/cluster-worker.test.ts',
  'server/src/storage/distribute.test.ts',
  'server/src/storage/one-server.test.ts',
  'server/src/storage/two-phase-commits.test.ts',
  'server/src/backups/divided-backup.test.ts',
  'server/src/features/knowledge/dates/dates.test.ts',
  'server/src/features/oversight',
  'server/src/features/writing/review/review.test.ts',
]

/** Tests that make all tables again, which are on one server then. */
const onOneServer = ['migrate', 'partitions', 'actors-backfill'].map((name) => `server/src/storage/${name}.test.ts`)

const flags = ['--selected', '--workers']
const given = process.argv.slice(2).filter((argument) => !flags.includes(argument))
const isUrl = given[0]?.startsWith('postgres') === true
const url = isUrl ? given[0] : process.env.NOEMA_CITUS_URL
const files = given.slice(isUrl ? 1 : 0)
const isSelection = process.argv.includes('--selected')
const workers = process.argv.includes('--workers') ? { NOEMA_TEST_WORKERS: 'on' } : {}

if (!url && findCitus() === undefined) {
  process.stdout.write(
    'The tests on a Citus cluster did not run: this machine has no Citus, and NOEMA_CITUS_URL names no cluster.\n',
  )
  process.exit(isSelection ? 0 : 1)
}

/** The URL without its database, as the tests add theirs. */
const toServer = (coordinator: string): string => {
  const { protocol, username, password, host } = new URL(coordinator)
  const account = username === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`
  return `${protocol}//${account}${host}/?sslmode=disable`
}

const paths = isSelection ? selected : files.length > 0 ? files : ['server/src']
const vitest = spawn(
  'npx',
  ['vitest', 'run', '--project', 'suite', ...paths, ...onOneServer.map((path) => `--exclude=${path}`)],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      NOEMA_TEST_CITUS: 'on',
      ...workers,
      ...(url ? { NOEMA_TEST_POSTGRES_URL: toServer(url) } : {}),
    },
  },
)
const [code] = await once(vitest, 'exit')
process.exitCode = code ?? 1
