import type { Page } from 'playwright-core'
import { findFreePort } from '../../bench/parts/free-port.ts'
import { startNoema } from '../../bench/parts/noema.ts'
import { startScratchPostgres } from '../../bench/parts/scratch-postgres.ts'
import { openBrowser, quitBrowser } from './browser.ts'

// A console to measure: a service in a separate process, and a browser that is signed in to it.

export type MeasuredConsole = {
  page: Page
  /** Calls the service with the browser's session. Throws if it refuses. */
  call(method: string, path: string, data: object): Promise<void>
  close(): Promise<void>
}

/** Starts PostgreSQL, the service and a browser. */
export const startMeasuredConsole = async (): Promise<MeasuredConsole> => {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const postgres = await startScratchPostgres()
  const settings = {
    ...{ NOEMA_PORT: String(port), NOEMA_PUBLIC_URL: origin, NOEMA_EMBEDDINGS: 'off' },
    NOEMA_TIERS: '{"unverified":{"dailyWrites":10000000,"dailyMegabytes":100000}}',
  }
  const noema = await startNoema(await postgres.createDatabase('console'), undefined, settings)
  const browser = await openBrowser(origin)
  const { request } = browser.page.context()
  const headers = { origin }
  const account = { email: 'bench@example.com', password: 'correct horse battery', name: 'Bench' }
  await request.post('/api/auth/sign-up/email', { headers, data: account })
  const { data } = await (await request.get('/v1/whoami', { headers })).json()
  const inOrganization = { ...headers, 'x-organization-id': data.organizations[0].id }
  return {
    page: browser.page,
    call: async (method, path, body) => {
      const answer = await request.fetch(path, { method, headers: inOrganization, data: body })
      if (!answer.ok()) throw new Error(await answer.text())
    },
    close: async () => {
      await browser.close()
      await quitBrowser()
      await noema.stop()
      await postgres.stop()
    },
  }
}
