import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'checks', include: ['checks/*.test.ts'] } },
      {
        test: {
          name: 'suite',
          include: ['{contracts,server,sdk,cli}/**/*.test.ts', 'docs/*.test.ts', 'console/test/*.test.ts'],
          globalSetup: ['server/src/test/postgres.setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
