import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'

const amount = z.int().min(0)

/** What an organization has: what its Brains hold now, its agents that are not archived, and its runs that go on. */
export const overview = z.object({
  brains: amount.describe('How many Brains there are.'),
  records: amount.describe('How many records there are.'),
  statements: amount.describe('How many statements there are.'),
  documents: amount.describe('How many documents there are.'),
  agents: amount.describe('How many agents there are.'),
  openRuns: amount.describe('How many runs have not ended.'),
})
export type Overview = z.infer<typeof overview>

export const readOverview = defineEndpoint({
  method: 'GET',
  path: '/v1/overview',
  summary: 'Count what the organization has',
  description: 'Counts what the organization has. What waits for people is told by its notifications.',
  access: 'management',
  status: [200],
  result: z.object({ overview: overview.describe('The overview.') }),
})
