import { endpoints } from '@noema/contracts/api.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { describe, expect, test } from 'vitest'
import { addRun } from '../agent-runtime/tools/run-tools.fixture.ts'
import { ApiError } from '../shared/errors.ts'
import { allEndpoints, endpointRows } from '../test/endpoints/all.ts'
import { useApp, useBrain } from '../test/harness.ts'
import { allCapabilities } from '../test/walk/callers.ts'
import { needsByBody } from '../test/walk/visit.ts'
import { authenticateRun } from './authenticate-run.ts'
import { authorize } from './authorize.ts'
import type { BrainPrincipal } from './principal.ts'

// The calls that runs and Brain keys may make, endpoint by endpoint: with each set of capabilities, on one Brain, and none of
// the organization's.

const app = useApp()
const brain = useBrain(app)

const passes = async (endpoint: Endpoint, principal: BrainPrincipal, handle: string): Promise<boolean> => {
  try {
    await authorize(app.app.deps, endpoint, principal, endpoint.path.includes('{handle}') ? handle : undefined)
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return false
  }
}

const authenticate = async (access: 'read_only' | 'read_write') => {
  const run = await addRun(app, [{ brain, access }])
  const named = { organizationId: run.organizationId, runId: run.id, brainId: brain.brain.id }
  return authenticateRun(app.app.deps, named)
}

test.each([
  ['read_only', ['read']],
  ['read_write', ['read', 'write']],
] as const)('a run with %s passes where %j is enough, on its Brain, and nowhere else', async (access, held) => {
  const principal = await authenticate(access)
  const isOpenToAll = ({ access: who }: Endpoint) => who === 'public' || who === 'anyone'
  for (const { name, endpoint } of endpoints) {
    const needed = typeof endpoint.access === 'object' ? endpoint.access.capabilities : undefined
    const mayCall = isOpenToAll(endpoint) || needed?.every((one) => (held as readonly string[]).includes(one)) === true
    expect(await passes(endpoint, principal, 'brain'), name).toBe(mayCall)
    expect(await passes(endpoint, principal, 'other'), name).toBe(isOpenToAll(endpoint))
  }
})

const sets = Array.from({ length: 16 }, (_, bits) => allCapabilities.filter((_name, index) => bits & (1 << index)))

describe.each(sets.map((holds) => ({ holds, name: holds.join('+') || 'nothing' })))('with $name', ({ holds }) => {
  test('AUT-04 a Brain key passes where the table says that its capabilities are enough', async () => {
    const principal = { ...(await authenticate('read_only')), capabilities: holds }
    for (const { name, endpoint } of allEndpoints.filter((one) => !needsByBody.includes(one.name))) {
      const { needs } = endpointRows[name]
      const isEnough = typeof needs === 'object' && needs.every((one) => holds.some((held) => held === one))
      const isOpen = ['nobody', 'any credential'].includes(String(needs))
      expect(await passes(endpoint, principal, 'brain'), name).toBe(isEnough || isOpen)
    }
  })
})
