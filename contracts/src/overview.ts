import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'

const amount = z.int().min(0)

/** Counts of an organization: the current content of its Brains, agents that are not archived, and active runs. */
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
  description: 'Counts what the organization has. Notifications show the items that wait for people.',
  access: 'management',
  status: [200],
  result: z.object({ overview: overview.describe('The overview.') }),
})
