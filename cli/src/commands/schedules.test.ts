import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const id = `sch_${'0'.repeat(26)}`
const times = { cron: '0 3 * * *', timezone: 'Europe/Berlin', enabled: true, nextRunAt: '2026-03-02T02:00:00.000Z' }
const ofEval = { id, evalId: 'evl_1', ...times, lastRunId: 'evr_1', lastFiredAt: '2026-03-01T02:00:00.000Z' }
const into = { from: {}, into: { brain: 'handbook' }, produce: ['lesson'], allowWider: false }
const ofRuns = { id: 'sch_2', distillation: into, ...times, lastRunId: null, lastFiredAt: null }
const lost = { ...ofRuns, id: 'sch_3', paused: { reason: 'The Brain is deleted.' } }

const serve = () =>
  startScriptedServer(({ url = '', method }) => {
    if (url.includes('/v1/agents'))
      return { data: { agents: [{ id: 'agt_1', name: 'Support' }], cursor: 'c', hasMore: false } }
    if (url.includes('/v1/evals'))
      return { data: { evals: [{ id: 'evl_1', name: 'Tides' }], cursor: 'c', hasMore: false } }
    if (url.startsWith('/v1/schedules?'))
      return { data: { schedules: [ofEval, ofRuns, lost], cursor: 'c', hasMore: false } }
    if (method === 'DELETE') return { data: { deleted: true } }
    return { data: { schedule: url.endsWith('sch_3') ? lost : ofEval } }
  })

test('EVL-24 schedules are listed with what they start, made, paused, resumed and deleted', async () => {
  const { url, requests } = await serve()
  const listed = await runCli(['schedules', 'list', '--eval', 'Tides'], url)
  expect(listed.stdout.split('\n').slice(0, 3)).toEqual([
    `${id}\t0 3 * * *\tEurope/Berlin\teval evl_1\tnext 2026-03-02T02:00:00.000Z`,
    'sch_2\t0 3 * * *\tEurope/Berlin\tdistillation into handbook\tnext 2026-03-02T02:00:00.000Z',
    'sch_3\t0 3 * * *\tEurope/Berlin\tdistillation into handbook\tpaused',
  ])
  expect(requests.at(-1)?.url).toContain('evalId=evl_1')
  expect((await runCli(['schedules', 'show', 'sch_3'], url)).stdout).toContain('The Brain is deleted.')
  const create = async (...argv: string[]) => {
    const ran = await runCli(['schedules', 'create', '--cron', '@daily', ...argv], url)
    return ran.code === 0 ? JSON.parse(requests.at(-1)?.body ?? '') : ran.code
  }
  expect(await create('--eval', 'Tides', '--trials', '2')).toEqual({ cron: '@daily', evalId: 'evl_1', trials: 2 })
  expect(await create('--into', 'handbook', '--agent', 'Support', '--since-days', '3', '--timezone', 'UTC')).toEqual({
    ...{ cron: '@daily', timezone: 'UTC' },
    distillation: { from: { agentId: 'agt_1', sinceDays: 3 }, into: { brain: 'handbook' } },
  })
  expect(await create('--agent', 'Support', '--input', 'Hi')).toEqual({ cron: '@daily', agentId: 'agt_1', input: 'Hi' })
  for (const wrong of [[], ['--agent', 'Support'], ['--eval', 'Tides', '--into', 'handbook']])
    expect(await create(...wrong)).toBe(2)
  await runCli(['schedules', 'pause', id], url)
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({ enabled: false })
  await runCli(['schedules', 'resume', id], url)
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({ enabled: true })
  expect((await runCli(['schedules', 'delete', id], url)).code).toBe(2)
  expect(await runCli(['schedules', 'delete', id, '--yes'], url)).toMatchObject({ code: 0 })
  expect(requests.at(-1)).toMatchObject({ method: 'DELETE', url: `/v1/schedules/${id}` })
})
