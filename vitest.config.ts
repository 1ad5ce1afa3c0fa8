import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { findMemoryFolder } from './checks/memory-folder.ts'
import { skippedTests } from './checks/skipped-tests.ts'
import { sortTests } from './checks/unit-tests.ts'

const { unit } = sortTests()

const memoryFolder = findMemoryFolder()
if (memoryFolder) process.env.TMPDIR ??= memoryFolder

// Each test file loads the service anew, and many start it as a program: half of that is compiling what was compiled before.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'noema-test-compile-cache')

// What is awaited comes at once on a quiet machine, and late beside other tests.
const expectations = { poll: { timeout: 20_000 } }

export default defineConfig({
  test: {
    reporters: ['default', skippedTests],
    // Tests wait for PostgreSQL, for browsers and for clocks, so three at once even where there are two processors.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      { test: { name: 'checks', include: ['checks/*.test.ts'], testTimeout: 60_000 } },
      // What needs no PostgreSQL: found by what the tests import.
      { test: { name: 'unit', include: unit, pool: 'threads', isolate: false, expect: expectations } },
      {
        test: {
          name: 'suite',
          include: ['{bench,contracts,server,sdk,cli}/**/*.test.ts', 'docs/*.test.ts', 'console/test/*.test.ts'],
          exclude: [...unit, '**/node_modules/**'],
          globalSetup: ['server/src/test/postgres.setup.ts'],
          testTimeout: 30_000,
          expect: expectations,
          hookTimeout: 60_000,
        },
      },
      {
        // What is published, packed and installed as somebody else would.
        test: {
          name: 'packages',
          include: ['packaging/*.test.ts', 'python/*.test.ts'],
          globalSetup: ['server/src/test/postgres.setup.ts'],
          testTimeout: 120_000,
          expect: expectations,
          hookTimeout: 240_000,
        },
      },
    ],
  },
})
