import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { findMemoryFolder } from './checks/memory-folder.ts'
import { skippedTests } from './checks/skipped-tests.ts'
import { SlowestFirst } from './checks/slowest-first.ts'
import { sortTests } from './checks/unit-tests.ts'

const { unit } = sortTests()

const memoryFolder = findMemoryFolder()
if (memoryFolder) process.env.TMPDIR ??= memoryFolder

// Many tests start the service as a program: the cache saves half of that time.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'noema-test-compile-cache')

// Limits are only there to end what hangs. Tests wait for states, which come at once on a quiet machine and late on one whose
// load is 20 times its processors.
const limits = { testTimeout: 180_000, hookTimeout: 240_000, expect: { poll: { timeout: 90_000 } } }

const faults = 'server/src/test/faults/*.test.ts'

/** A process of tests keeps all modules of the service, which the usual limits of its heap collect again and again, with threads of their own. */
const collectLess = [
  '--initial-old-space-size=512',
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
  '--single-threaded-gc',
]

const onPostgres = {
  execArgv: collectLess,
  isolate: false,
  globalSetup: ['server/src/test/postgres.setup.ts'],
  setupFiles: ['server/src/test/file.setup.ts'],
  ...limits,
}

export default defineConfig({
  test: {
    reporters: ['default', skippedTests],
    // Tests wait for PostgreSQL, for browsers and for clocks: with three at once, a quarter of two processors was idle.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    sequence: { sequencer: SlowestFirst },
    projects: [
      { test: { name: 'checks', include: ['checks/*.test.ts'], ...limits } },
      // Tests without PostgreSQL, found by their imports.
      { test: { name: 'unit', include: unit, pool: 'threads', isolate: false, ...limits } },
      {
        // One process loads the modules once for all of its files.
        test: {
          ...onPostgres,
          name: 'suite',
          include: ['{bench,contracts,server,sdk,cli}/**/*.test.ts', 'docs/*.test.ts', 'console/test/*.test.ts'],
          exclude: [...unit, faults, '**/node_modules/**'],
        },
      },
      // `npm run test:packages`: tests that kill nodes and databases, and that pack and install like a user.
      { test: { ...onPostgres, name: 'faults', include: [faults] } },
      { test: { ...onPostgres, name: 'packages', include: ['packaging/*.test.ts', 'python/*.test.ts'] } },
    ],
  },
})
