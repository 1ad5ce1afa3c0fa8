import { beforeAll } from 'vitest'
import {
  addBrain,
  createMember,
  type startTestApp,
  type TestApp,
  type TestBrain,
  type TestMember,
} from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'

/** An app with one organization, its Brain `brain`, and a way to make agents in it. */
export const useAgents = (...settings: Parameters<typeof startTestApp>) => {
  const app = useOwnApp(...settings)
  const scene = {} as { member: TestMember; brain: TestBrain }
  beforeAll(async () => {
    scene.member = await createMember(app)
    scene.brain = await addBrain(app, scene.member, 'brain')
  })
  const call = (method: string, path: string, body?: unknown) =>
    app.request(method, path, { key: scene.member.key, ...(body === undefined ? {} : { body }) })
  const given = { name: 'Librarian', instructions: 'Answer from the Brain.', model: 'noema/extractive' }
  return {
    app: app as TestApp,
    scene,
    call,
    given,
    createAgent: async (more: object = {}) => {
      const { status, body } = await call('POST', '/v1/agents', { ...given, ...more })
      if (status !== 201) throw new Error(`No agent was made: ${status} ${JSON.stringify(body)}`)
      return body.data.agent
    },
  }
}
