import { afterAll, beforeAll, test } from 'vitest'
import { toShared } from '../../server/src/test/harness.ts'
import { whyNot } from './browser.ts'
import { createPerson } from './people.ts'
import { type Service, type ServiceSettings, startService } from './service.ts'

// The service of a test file. Hooks fill in the result of these functions: read it in tests and hooks, not while the file loads.

/** A service for all files of a worker, started for the first of them and closed after the last. */
const worker = test.extend<{ sharedService: Service }>({
  sharedService: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
    async ({}, use) => {
      const service = await startService()
      // The first account administers the service. It belongs to no file, so the order of the files makes no difference.
      await createPerson(service, 'administrator@example.com')
      await use(service)
      await service.close()
    },
    { scope: 'worker' },
  ],
})

/** The service, shared with other files: a file creates its own accounts, and does not move the clock. */
export const provideService = (): Service => {
  const service = {} as Service
  if (whyNot() === undefined)
    worker.beforeAll(async ({ sharedService }) => {
      Object.assign(service, toShared(sharedService))
    })
  return service
}

/** The service for one file, with its own settings, clock and administrator. */
export const provideOwnService = (settings?: ServiceSettings): Service => {
  const service = {} as Service
  if (whyNot() === undefined) {
    beforeAll(async () => {
      Object.assign(service, await startService(settings))
    })
    // A service that did not start cannot be closed.
    afterAll(() => service.close?.())
  }
  return service
}
