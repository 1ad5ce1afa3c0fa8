import { type App, createApp } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config/config.ts'
import { createLog } from '../../server/src/shared/log.ts'

/** The service inside a benchmark's own process, without background work during the measurement. */
export const openApp = (databaseUrl: string, settings: Readonly<Record<string, string>> = {}): Promise<App> =>
  createApp({
    config: readConfig({ NOEMA_ROLES: 'http', ...settings }, '/'),
    address: databaseUrl,
    secret: 'benchmarks-only-benchmarks-only-benchmarks',
    clock: { now: () => new Date() },
    log: createLog('warn'),
  })
