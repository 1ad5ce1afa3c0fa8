import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'

const amount = z.int().min(0)

/** What an organization has: what its Brains hold now, its agents that are not archived, and its runs that go on. */
export const overview = z.object({
  brains: amount,
  records: amount,
  statements: amount,
  documents: amount,
  agents: amount,
  openRuns: amount,
})
export type Overview = z.infer<typeof overview>

/** Counts what the organization has. What waits for people is told by its notifications. */
export const readOverview = defineEndpoint({
  method: 'GET',
  path: '/v1/overview',
  summary: 'Count what the organization has',
  access: 'management',
  status: [200],
  result: z.object({ overview }),
})
