import { expect, test } from 'vitest'
import { useApp, useMember } from '../server/src/test/harness.ts'
import { usePage } from './use-page.ts'

const app = useApp()
const member = useMember(app)
const { run, runUntilShown } = usePage('automations.md', app, member)

test('D-77 the first trigger of the page starts a run by a write', async () => {
  await run('brain')
  await run('agent')
  await run('trigger')
  await run('write')
  await runUntilShown('run')
})

test('D-77 the first schedule of the page has a next run', async () => {
  const { schedule } = await run('schedule')
  expect(Date.parse(schedule.nextRunAt)).toBeGreaterThan(Date.now())
})
