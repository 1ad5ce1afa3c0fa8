import { beforeAll, expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { declareTask, emitDueDates, inDays, inMinutes, listReached } from './dates-app.fixture.ts'

const app = useOwnApp()
// The clock is stopped, so that all days are counted from one.
beforeAll(() => app.clock.hold())

type Coming = { record: { id: string; kind: string }; field: string; value: string; offset: string; dueAt: string }

test('DAT-08 future reminders are listed in the order of the stream, from a time to a time, and no longer once sent', async () => {
  const brain = await createBrain(app)
  const key = await brain.mintKey(['read'])
  await declareTask(brain)
  const put = (id: string, fields: object) => brain.call('PUT', `/records/${id}`, { kind: 'Task', fields })
  const times = [90, 200].map((minutes) => inMinutes(app, minutes))
  await put('late', { due: inDays(app, 9) })
  await put('soon', { at: times })
  await put('gone', { due: inDays(app, 5) })
  await brain.call('DELETE', '/records/gone')
  const list = async (query = ''): Promise<Coming[]> => {
    const { status, body } = await brain.call('GET', `/dates${query}`, undefined, { key })
    expect(status).toBe(200)
    return body.data.dates
  }
  const all = await list()
  expect(all).toEqual([
    ...times.map((value) => ({
      ...{ record: { id: 'soon', kind: 'Task' }, field: 'at', offset: 'PT1H' },
      ...{ value, dueAt: new Date(Date.parse(value) - 3_600_000).toISOString() },
    })),
    ...['P1D', 'P0D'].map((offset, index) => ({
      ...{ record: { id: 'late', kind: 'Task' }, field: 'due', offset, value: `${inDays(app, 9)}T00:00:00.000Z` },
      dueAt: `${inDays(app, 8 + index)}T00:00:00.000Z`,
    })),
  ])
  expect(await list('?order=desc')).toEqual(all.toReversed())
  const [first, second] = all
  expect(await list(`?from=${second?.dueAt}`)).toEqual(all.slice(1))
  expect(await list(`?to=${second?.dueAt}`)).toEqual([first])
  const page = (await brain.call('GET', '/dates?limit=1')).body.data
  expect(page.hasMore).toBe(true)
  expect(await list(`?after=${page.cursor}`)).toEqual(all.slice(1))
  expect((await brain.call('GET', '/dates?from=tomorrow')).status).toBe(400)
  app.clock.advance({ minutes: 31 })
  await emitDueDates(app.app.workers)
  expect((await listReached(brain)).map(({ data }) => data.dueAt)).toEqual([first?.dueAt])
  expect(await list()).toEqual(all.slice(1))
})
