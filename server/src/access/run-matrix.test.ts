import { endpoints } from '@noema/contracts/api.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { expect, test } from 'vitest'
import { addRun } from '../agent-runtime/tools/run-tools.fixture.ts'
import { ApiError } from '../shared/errors.ts'
import { useApp, useBrain } from '../test/harness.ts'
import { authenticateRun } from './authenticate-run.ts'
import { authorize } from './authorize.ts'

// The calls that a run may make, endpoint by endpoint: those of a Brain key with its capabilities, and none of the
// organization's.

const app = useApp()
const brain = useBrain(app)

test.each([
  ['read_only', ['read']],
  ['read_write', ['read', 'write']],
] as const)('a run with %s passes where %j is enough, on its Brain, and nowhere else', async (access, held) => {
  const { deps } = app.app
  const run = await addRun(app, [{ brain, access }])
  const wanted = { organizationId: run.organizationId, runId: run.id, brainId: brain.brain.id }
  const principal = await authenticateRun(deps, wanted)
  const passes = async (endpoint: Endpoint, handle: string) => {
    try {
      await authorize(deps, endpoint, principal, endpoint.path.includes('{handle}') ? handle : undefined)
      return true
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return false
    }
  }
  const isOpenToAll = ({ access: who }: Endpoint) => who === 'public' || who === 'anyone'
  for (const { name, endpoint } of endpoints) {
    const needed = typeof endpoint.access === 'object' ? endpoint.access.capabilities : undefined
    const mayCall = isOpenToAll(endpoint) || needed?.every((one) => (held as readonly string[]).includes(one)) === true
    expect(await passes(endpoint, 'brain'), name).toBe(mayCall)
    expect(await passes(endpoint, 'other'), name).toBe(isOpenToAll(endpoint))
  }
})
