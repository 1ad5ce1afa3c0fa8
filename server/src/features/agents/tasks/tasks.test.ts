import { beforeAll, expect, test } from 'vitest'
import { firstIdAt } from '../../../shared/ids.ts'
import { createMember } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'

const app = useApp()
const member = useMember(app)

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute))
const questions = ['Who signs the OFFER for Lyon?', 'Is the offer 10 % lower?', 'Which quay is free?']

beforeAll(async () => {
  const stranger = await createMember(app)
  for (const { organizationId } of [member, stranger])
    for (const [minute, question] of questions.entries())
      await app.database.pool.query(
        `insert into run_tasks (organization_id, id, run_id, agent_id, operation_id, state, question, created_at)
         values ($1, $2, 'run_1', 'agt_1', 'opr_1', $3, $4, $5)`,
        [organizationId, `${firstIdAt('tsk', at(minute))}x`, minute === 0 ? 'completed' : 'open', question, at(minute)],
      )
})

const list = async (query: string) => {
  const { status, body } = await app.request('GET', `/v1/tasks?${query}`, { key: member.key })
  expect([query, status]).toEqual([query, 200])
  return body.data
}
const find = async (query: string): Promise<string[]> =>
  (await list(query)).tasks.map(({ question }: { question: string }) => question)

test('D-74 tasks are found by words of their question, by state and by time, in either order', async () => {
  expect(await find('text=offer')).toEqual(questions.slice(0, 2))
  expect(await find('text=offer&order=desc')).toEqual(questions.slice(0, 2).reverse())
  expect(await find('text=offer&state=open')).toEqual([questions[1]])
  expect(await find('text=offer%20lyon')).toEqual([questions[0]])
  expect(await find('text=%25')).toEqual([questions[1]])
  expect(await find(`from=${at(1).toISOString()}&until=${at(2).toISOString()}`)).toEqual([questions[1]])
  expect(await find('text=nobody')).toEqual([])
})

test('D-74 the pages of a search for tasks have each task once', async () => {
  const first = await list('text=offer&limit=1')
  expect([first.tasks.length, first.hasMore]).toEqual([1, true])
  const second = await list(`text=offer&limit=1&after=${first.cursor}`)
  expect([second.tasks[0].question, second.hasMore]).toEqual([questions[1], false])
  // A cursor belongs to the search that gave it.
  expect((await app.request('GET', `/v1/tasks?text=quay&after=${first.cursor}`, { key: member.key })).status).toBe(400)
})
