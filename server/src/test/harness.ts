import { afterAll, beforeAll, beforeEach } from 'vitest'
import {
  addBrain,
  createBrain,
  createMember,
  startTestApp,
  type TestApp,
  type TestBrain,
  type TestMember,
} from './app.ts'

// What most test files begin with, in a line each. What these functions answer is filled in by a hook: read it in tests and
// hooks, not while the file is being loaded.

/** The whole service for a test file: started before its first test, closed after its last. */
export const useApp = (...settings: Parameters<typeof startTestApp>): TestApp => {
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

/** A Brain of an organization of its own, shared by the tests of a file. */
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
