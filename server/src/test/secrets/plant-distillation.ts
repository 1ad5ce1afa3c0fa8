import type { TestApp, TestBrain } from '../app.ts'

/** A distillation that no node works on, with something that it found, and a derived page that none follows. */
export const plantDistillation = async (
  test: TestApp,
  { key, brain, organizationId }: TestBrain,
  insist: (sent: ReturnType<TestApp['request']>) => Promise<ReturnType<typeof JSON.parse>>,
) => {
  const body = { from: {}, into: { brain: brain.handle }, allowWider: true }
  const { distillation } = await insist(test.request('POST', '/v1/distillations', { key, body }))
  const lesson = { situation: 'zqcontent-situation', advice: 'zqcontent-advice', outcome: 'zqcontent-outcome' }
  const content = { finding: 'no_evidence', seen: 1, citations: [], flags: [], wordedBy: 'service', lesson }
  await test.database.pool.query(
    `insert into distillation_items (organization_id, distillation_id, number, brain, type, item, content, outcome)
     values ($1, $2, 1, $3, 'lesson', 'lesson-planted', $4, 'known')`,
    [organizationId, distillation.id, brain.id, JSON.stringify(content)],
  )
  await test.database.pool.query('update distillations set due_at = null where id = $1', [distillation.id])
  const given = { name: 'zqorganization-writer', instructions: 'Write.', model: 'noema/extractive' }
  const brains = [{ handle: brain.handle }]
  const { agent } = await insist(test.request('POST', '/v1/agents', { key, body: { ...given, brains } }))
  const page = { agentId: agent.id, question: 'zqcontent-question' }
  await insist(test.request('PUT', `/v1/brains/${brain.handle}/derived-pages/planted`, { key, body: page }))
  await test.database.pool.query(
    "update derived_pages set due_at = null, paused_reason = 'zqcontent-reason' where document_id = 'planted'",
  )
  return { distillation: distillation.id as string, pageAgent: agent.id as string }
}
