import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import {
  addBrain,
  createBrain,
  createMember,
  startTestApp,
  type TestApp,
  type TestBrain,
  type TestMember,
} from './app.ts'

// The first lines of most test files. A hook fills the results of these functions: read them in tests and hooks, not while
// the file is being loaded.

/** An app for all files of a worker, started for the first of them and closed after the last. */
const worker = test.extend<{ sharedApp: TestApp }>({
  sharedApp: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
    async ({}, use) => {
      const app = await startTestApp()
      // The first account administers the service: it must not be one of a file, whichever file is first.
      await createMember(app)
      await use(app)
      await app.close()
    },
    { scope: 'worker' },
  ],
})

const refuse = () => {
  throw new Error('Other files share this app. Start one for this file alone to move its clock.')
}

/** A shared app as one file sees it: with its own log lines, and a clock that it cannot move. */
export const toShared = <App extends TestApp>(app: App): App => {
  app.logLines.length = 0
  return { ...app, clock: { ...app.clock, advance: refuse, hold: refuse }, close: refuse }
}

/**
 * The whole service, on a database that other files use as well: a file has its own organizations, sees its own log lines,
 * and leaves the clock alone. A file that needs more than that calls `useOwnApp`.
 */
export const useApp = (): TestApp => {
  const app = {} as TestApp
  worker.beforeAll(async ({ sharedApp }) => {
    Object.assign(app, toShared(sharedApp))
  })
  return app
}

/** The whole service for one file, with its own settings: started before its first test, closed after its last. */
export const useOwnApp = (...settings: Parameters<typeof startTestApp>): TestApp => {
  const app = {} as TestApp
  beforeAll(async () => {
    Object.assign(app, await startTestApp(...settings))
  })
  afterAll(() => app.close())
  return app
}

/** A confirmed account with its organization and a management key, shared by the tests of a file. */
export const useMember = (app: TestApp): TestMember => {
  const member = {} as TestMember
  beforeAll(async () => {
    Object.assign(member, await createMember(app))
  })
  return member
}

/** A Brain of a new organization, shared by the tests of a file. */
export const useBrain = (app: TestApp): TestBrain => {
  const brain = {} as TestBrain
  beforeAll(async () => {
    Object.assign(brain, await createBrain(app))
  })
  return brain
}

/** A new Brain of one member's organization for every test. */
export const useBrainPerTest = (app: TestApp, member: TestMember): TestBrain => {
  const brain = {} as TestBrain
  let made = 0
  beforeEach(async () => {
    Object.assign(brain, await addBrain(app, member, `brain-${++made}`))
  })
  return brain
}
