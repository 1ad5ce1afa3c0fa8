import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contracts,server,sdk,cli,scripts}/**/*.test.ts', '*.test.ts'],
    globalSetup: ['server/src/test/postgres.setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
