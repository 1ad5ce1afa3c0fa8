import { expect, test } from 'vitest'
import { addBrain } from '../../../test/app.ts'
import { useOrganization } from './use-organization.fixture.ts'

// The app runs no workers: what is added to the outbox stays there.

const { scene, write, create, correct, call } = useOrganization({ NOEMA_ROLES: 'http' })

/** Rows that wait in the outbox of the test's organization. */
const waiting = async (): Promise<{ event: string; wanted_by: string[] }[]> =>
  (
    await scene.app.database.pool.query('select event, wanted_by from outbox where organization_id = $1', [
      scene.brain.organizationId,
    ])
  ).rows

test('D-44 a correction that no webhook wants is not added to the outbox', async () => {
  await correct()
  await create({ events: ['run.completed'] })
  await addBrain(scene.app, scene.brain, 'other')
  await create({ scope: { brain: 'other' } })
  const { webhook } = await create()
  await call('DELETE', `/${webhook.id}`)
  await correct()
  expect(await waiting()).toEqual([])
})

test('D-44 a correction is added once, for the webhooks that want it', async () => {
  const mine = await create({ scope: { brain: 'brain' } })
  const all = await create()
  await create({ events: ['run.failed'] })
  await correct()
  expect(await waiting()).toEqual([{ event: 'knowledge.corrected', wanted_by: [mine.webhook.id, all.webhook.id] }])
})

test('D-44 a write that names no change it corrects, or that changes nothing, adds nothing to the outbox', async () => {
  await create()
  const { change, record } = await write('POST', '/records', { kind: 'person', fields: { name: 'Ada' } })
  await write('PATCH', `/records/${record.id}`, { fields: { name: 'Ada' }, corrects: change.id })
  await write('PATCH', `/records/${record.id}`, { fields: { name: 'Bea' } })
  expect(await waiting()).toEqual([])
})
