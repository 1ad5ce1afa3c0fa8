import type { TestApp, TestBrain } from '../app.ts'
import { joinOrganization } from '../organizations.ts'
import { fresh } from './fresh.ts'
import { asIs, type EndpointRows, plain } from './row.ts'

// Brains and their keys.

const newBrainKey = async (brain: TestBrain): Promise<string> =>
  (await brain.call('POST', '/keys', { name: 'sample', capabilities: ['read'] })).body.data.key.id

const newBrain = async (test: TestApp, { key }: TestBrain): Promise<string> =>
  (await test.request('PUT', `/v1/brains/${fresh('brain')}`, { key })).body.data.brain.handle

const onBrainKey = async (_test: TestApp, brain: TestBrain) => ({ params: { keyId: await newBrainKey(brain) } })

/** A new Brain that is open to its creator only. */
const onClosedBrain = async (test: TestApp, { key }: TestBrain) => {
  const { body } = await test.request('PUT', `/v1/brains/${fresh('brain')}`, { key, body: { openTo: 'members' } })
  return { params: { handle: body.data.brain.handle as string } }
}

export const brainsRows = {
  'brains.list': { needs: 'management', call: plain, aimed: asIs },
  'brains.get': { needs: ['read'], call: plain, aimed: asIs },
  'brains.listRestricted': {
    needs: 'management',
    call: async (test, brain) => {
      await onClosedBrain(test, brain)
      return {}
    },
    aimed: asIs,
  },
  'brain.access.get': { needs: 'management', call: plain, aimed: asIs },
  'brain.access.patch': {
    needs: 'management',
    call: async (test, brain) => ({ params: { handle: await newBrain(test, brain) }, body: { openTo: 'members' } }),
    aimed: () => [{ body: { openTo: 'organization' } }],
    example: { body: { openTo: 'organization' } },
  },
  'brain.access.takeOver': {
    needs: 'session',
    call: onClosedBrain,
    aimed: asIs,
    unaudited: 'the owner manages the Brain already; the test of access checks its entry',
  },
  'brain.members.put': {
    needs: 'management',
    call: async (test, brain) => ({
      params: { ...(await onClosedBrain(test, brain)).params, member: brain.email },
      body: { role: 'manager' },
    }),
    aimed: () => [{ params: { member: 'zqreader-member' }, body: { role: 'reader' } }],
    unaudited: 'the member has the role already; the test of access checks its entry',
  },
  'brain.members.remove': {
    needs: 'management',
    call: async (test, brain) => {
      const { params } = await onClosedBrain(test, brain)
      const guest = await joinOrganization(test, brain)
      const path = `/v1/brains/${params.handle}/members/${guest.email}`
      await test.request('PUT', path, { key: brain.key, body: { role: 'reader' } })
      return { params: { ...params, member: guest.email } }
    },
    aimed: () => [{ params: { member: 'zqreader-member' } }],
  },
  'brain.keys.list': { needs: 'management', call: plain, aimed: asIs },
  'brain.keys.get': {
    needs: 'management',
    call: onBrainKey,
    aimed: ({ brainKey }) => [{ params: { keyId: brainKey } }],
  },
  'brains.patch': {
    needs: ['admin'],
    call: () => ({ body: { reviewRules: { requireOtherReviewer: false } } }),
    aimed: () => [{ body: {} }, { body: { reviewRules: { always: [] } } }, { body: { mode: 'review' } }],
    example: { body: { mode: 'direct', reviewRules: { requireOtherReviewer: false } } },
  },
  'brains.put': {
    needs: 'management',
    call: () => ({ params: { handle: fresh('brain') }, body: { purpose: fresh('purpose') } }),
    aimed: () => [{ body: {} }],
    example: {
      params: { handle: 'exoplanets' },
      body: { name: 'Exoplanets', purpose: 'What is known about planets of other stars', mode: 'review' },
    },
  },
  'brain.keys.mint': {
    needs: 'management',
    call: () => ({ body: { name: 'sample', capabilities: ['read'] } }),
    aimed: () => [{ body: { name: 'sample', capabilities: ['read'] } }],
    example: { body: { name: 'assistant', capabilities: ['read', 'write'], idempotencyKey: 'assistant-1' } },
  },
  'brain.keys.rotate': {
    needs: 'management',
    call: onBrainKey,
    aimed: ({ brainKey }) => [{ params: { keyId: brainKey } }],
  },
  'brain.keys.revoke': {
    needs: 'management',
    call: onBrainKey,
    aimed: ({ brainKey }) => [{ params: { keyId: brainKey } }],
  },
  'brain.hold': {
    needs: 'management',
    call: async (test, brain) => ({
      params: { handle: await newBrain(test, brain) },
      body: { reason: 'sample' },
    }),
    aimed: () => [{ body: { reason: 'zqreader-hold' } }],
    example: { body: { reason: 'Legal review' } },
    isLast: true,
  },
  'brain.release': {
    needs: 'management',
    call: plain,
    aimed: asIs,
    isLast: true,
    unaudited: 'the call has nothing to release; the test of holds checks its entry',
  },
  'brain.import': {
    needs: 'management',
    call: async (test, brain) => {
      const handle = await newBrain(test, brain)
      const exported = await fetch(`${test.base}/v1/brains/${handle}/export`, {
        headers: { authorization: `Bearer ${brain.key}` },
      })
      return { params: { handle }, body: await exported.text(), headers: { 'content-type': 'application/x-ndjson' } }
    },
    aimed: asIs,
    isLast: true,
  },
  'brains.delete': {
    needs: 'management',
    call: async (test, brain) => ({ params: { handle: await newBrain(test, brain) } }),
    aimed: asIs,
    isLast: true,
  },
} satisfies EndpointRows
