import { expect, test } from 'vitest'
import { runPass } from '../../../test/run-pass.ts'
import { evolve } from '../../knowledge/schema/schema-app.fixture.ts'
import { createReminding } from '../../writing/due-dates/due-dates.ts'
import { useTriggers } from './use-triggers.fixture.ts'

const { app, createTrigger, fire, runs, scene, write, writeAs } = useTriggers()

test('D-77 a date that a person wrote starts a run when it is reached, and one that its own run wrote does not', async () => {
  const due = { name: 'due', type: 'datetime', notifyBefore: ['P0D'] }
  await evolve(scene.brain, { op: 'addKind', kind: 'task', fields: [due] })
  const at = new Date(app.clock.now().getTime() + 3_600_000).toISOString()
  const { id } = await createTrigger({ kindScopes: [{ entityKind: 'task' }] })
  await write('task', { due: at })
  await fire()
  const [first] = await runs(id)
  if (!first) throw new Error('The trigger started no run.')
  await writeAs(first, [{ op: 'record.create', kind: 'task', fields: { due: at } }])
  app.clock.advance({ seconds: 7_200 })
  await runPass(app.app.deps, createReminding(app.app.deps))
  const { events } = (await scene.brain.call('GET', '/events?types=date.reached')).body.data
  expect(events).toHaveLength(2)
  await fire()
  expect((await runs(id)).map(({ input }) => /"type":"([a-z.]+)"/.exec(input)?.[1])).toEqual([
    'record.accepted',
    'date.reached',
  ])
})
