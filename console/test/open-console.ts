import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Browser, openBrowser, whyNot } from './browser.ts'
import { type Service, startService } from './service.ts'

/**
 * The service with a browser on its pages, for a file that tells one story: opened and prepared before its first test, closed
 * after its last. Where there is no browser, each test is skipped and says why. What this answers is filled in by a hook: read it
 * in tests and hooks, not while the file is being loaded.
 */
export const openConsole = (
  prepare: () => Promise<void> = async () => undefined,
  settings: Record<string, string> = {},
): { service: Service; browser: Browser } => {
  const service = {} as Service
  const browser = {} as Browser

  beforeAll(async () => {
    if (whyNot()) return
    Object.assign(service, await startService(async () => settings))
    Object.assign(browser, await openBrowser(service.origin))
    await prepare()
  })

  // What could not be opened is not there to be closed.
  afterAll(async () => {
    await browser.close?.()
    await service.close?.()
  })

  beforeEach(({ skip }) => {
    const reason = whyNot()
    if (reason) skip(reason)
  })

  return { service, browser }
}
