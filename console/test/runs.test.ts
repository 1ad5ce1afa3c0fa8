import { beforeAll, beforeEach, expect, test } from 'vitest'
import { barriers, whyNot } from './browser.ts'
import { createBusyReader } from './main-thread.ts'
import { createPerson } from './people.ts'
import { provideBrowserPerTest } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { password } from './service.ts'

// Runs of agents, as a person watches them: their operations, their questions, and their progress.

const service = provideService()
const browser = provideBrowserPerTest(() => service)
let person: Awaited<ReturnType<typeof createMemberWithBrain>>

/** A person with a key, a Brain with one document, and an agent that reads it and can ask. */
const createMemberWithBrain = async () => {
  const { email, cookie } = await createPerson(service, 'runner@example.com')
  const headers = { origin: service.origin, cookie }
  const { organizations } = (await service.request('GET', '/v1/whoami', { headers })).body.data
  const session = { ...headers, 'x-organization-id': organizations[0].id }
  const minted = await service.request('POST', '/v1/keys', { headers: session, body: { name: 'test' } })
  const key: string = minted.body.data.secret
  const send = (method: string, path: string, body: object) => service.request(method, path, { key, body })
  await send('PUT', '/v1/brains/stories', {})
  await send('POST', '/v1/brains/stories/documents', {
    id: 'lyon',
    text: 'The warehouse in Lyon opens at six in the morning.',
  })
  const made = await send('POST', '/v1/agents', {
    ...{ name: 'Librarian', instructions: 'Answer from the Brain.', model: 'noema/extractive', tools: ['ask_human'] },
    brains: [{ handle: 'stories', access: 'read_only' }],
  })
  return { email, key, agentId: String(made.body.data.agent.id) }
}

beforeAll(async () => {
  if (whyNot()) return
  person = await createMemberWithBrain()
})

beforeEach(async () => {
  const { page } = browser
  await page.goto('/sign-in?next=/runs')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
})

const start = async (input: string, wait = 5): Promise<string> => {
  const body = { agentId: person.agentId, input }
  const answer = await service.request('POST', '/v1/runs', {
    key: person.key,
    body,
    headers: wait === 0 ? {} : { prefer: `wait=${wait}` },
  })
  return answer.body.data.run.runId
}

test('a page that opens as its run ends shows the last operations, also if it read them before the end', async () => {
  const { page } = browser
  const id = await start('When does the warehouse in Lyon open?')
  let before = 0
  await page.route(`**/v1/runs/${id}/operations?*`, (route) =>
    before++ > 0 ? route.continue() : route.fulfill({ json: { data: { operations: [], cursor: '', hasMore: false } } }),
  )
  await page.goto(`/runs/${id}`)
  await page.getByRole('button', { name: /knowledge_context/ }).waitFor()
  expect(before).toBe(2)
  await page.unrouteAll({ behavior: 'wait' })
})

test('a finished run shows its operations over time, its reads, and its answer', async () => {
  const { page } = browser
  const id = await start('When does the warehouse open?')
  await page.goto('/runs')
  await page.getByRole('link', { name: 'When does the warehouse open?' }).first().click()
  await page.waitForURL(`**/runs/${id}`)
  await page.getByText('completed').first().waitFor()
  await page.getByRole('list', { name: 'Messages' }).getByText('opens at six in the morning').first().waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: /knowledge_context/ }).click()
  const detail = page.getByRole('dialog')
  await detail.getByText('When does the warehouse open?').waitFor()
  expect(await barriers(page)).toEqual([])
  await detail.getByRole('link', { name: 'Receipt of the read' }).click()
  await page.waitForURL('**/brains/stories/receipts/*')
})

test('a question of a run is answered on its page, and the run continues in view', async () => {
  const { page } = browser
  const id = await start('Who paints the ceiling of the zebra house?')
  await page.goto(`/runs/${id}`)
  const question = page.getByRole('group', { name: 'Question from this run' })
  await question.getByLabel('Your answer').fill('Nobody does.')
  expect(await barriers(page)).toEqual([])
  await question.getByRole('button', { name: 'Answer' }).click()
  await page.locator('[data-status=completed]').first().waitFor()
  await question.waitFor({ state: 'detached' })
})

test('the questions of all runs are in one list, and are answered there', async () => {
  const { page } = browser
  await start('Who feeds the giraffes of Madrid?')
  await page.goto('/tasks')
  const question = page.getByRole('group', { name: 'Question from this run' }).first()
  await question.getByLabel('Your answer').fill('The keeper.')
  expect(await barriers(page)).toEqual([])
  await question.getByRole('button', { name: 'Answer' }).click()
  await page.getByText('Nothing is asked at the moment').waitFor()
})

test('an agent is created, started, watched, asked and answered, and changed by a version', async () => {
  const { page } = browser
  await page.goto('/agents')
  await page.getByRole('button', { name: 'New agent' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Archivist')
  await dialog.getByLabel('Instructions').fill('Answer from the Brain alone.')
  await dialog.getByLabel('stories').selectOption('reads')
  await dialog.getByLabel('Can ask a person').check()
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('heading', { name: 'Archivist' }).waitFor()
  await page.getByRole('button', { name: 'Start a run' }).click()
  await page.getByLabel('Input').fill('Who sings in the harbour of Oslo?')
  await page.getByRole('button', { name: 'Start run' }).click()
  const question = page.getByRole('group', { name: 'Question from this run' })
  await question.getByLabel('Your answer').fill('The gulls.')
  await question.getByRole('button', { name: 'Answer' }).click()
  await page.locator('[data-status=completed]').first().waitFor()
  await page.goto('/agents')
  await page.getByRole('link', { name: 'Archivist' }).click()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await dialog.getByLabel('Instructions').fill('Answer from the Brain alone, in one line.')
  await dialog.getByRole('button', { name: 'Save as a new version' }).click()
  await page.getByText('Version 2', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'What changed' }).click()
  await page.getByText('in one line').first().waitFor()
  expect(await page.getByRole('navigation', { name: 'Breadcrumbs' }).textContent()).toBe('AgentsArchivist')
  expect(await barriers(page)).toEqual([])
})

/** Inserts many operations of one run into the database. */
const addOperations = (id: string, count: number) =>
  service.database.pool.query(
    `insert into run_operations (organization_id, run_id, agent_id, id, sequence, step, type, name, status, error,
       project_id, created_at, completed_at)
     select organization_id, id, agent_id, 'opr_many' || n, 1000 + n, 2 + n / 10, 'system_action', 'work ' || n,
       case when n % 100 = 0 then 'failed' else 'succeeded' end, case when n % 100 = 0 then 'It broke.' end, project_id,
       created_at + n * interval '10 milliseconds', created_at + (n + 5) * interval '10 milliseconds'
     from runs, generate_series(1, $2) n where id = $1`,
    [id, count],
  )

test('a run of a thousand operations is drawn in half a second of CPU time, and the failed ones are found', async () => {
  const { page } = browser
  const id = await start('When does the warehouse open?')
  await addOperations(id, 1_000)
  await page.goto('/runs')
  const link = page.locator(`a[href="/runs/${id}"]`)
  await link.waitFor()
  const readBusy = await createBusyReader(page)
  const before = await readBusy()
  await link.click()
  await page.getByRole('button', { name: /work 1\b/ }).waitFor()
  // The elapsed time depends on the machine.
  expect((await readBusy()) - before).toBeLessThan(0.5)
  // The page draws the visible operations only.
  expect(await page.locator('.waterfall-row').count()).toBeLessThan(90)
  expect(await page.locator('*').count()).toBeLessThan(1_500)
  await page.getByLabel('Failed only (10)').check()
  await page.getByRole('button', { name: /work 1000/ }).click()
  await page.getByRole('dialog').getByText('It broke.').waitFor()
  expect(await page.locator('.waterfall-line').count()).toBe(10)
})

test('FIL-16 the page of a run shows the files that it wrote', async () => {
  const { page } = browser
  const id = await start('When does the warehouse open?')
  const { body } = await service.request('POST', `/v1/artifacts?path=runs/${id}/report.md`, {
    ...{ key: person.key, headers: { 'content-type': 'text/markdown' }, body: '# Hours' },
  })
  // As a model's call of the tool leaves them.
  await service.database.pool.query(
    `update artifact_versions set source = 'run', created_by = json_build_object('type', 'run', 'id', $1::text, 'runId', $1::text)
     where artifact_id = $2`,
    [id, body.data.artifact.id],
  )
  await addOperations(id, 1)
  await service.database.pool.query(
    `update run_operations set type = 'tool_call', tool_name = 'artifact_write' where run_id = $1 and id = 'opr_many1'`,
    [id],
  )
  await page.goto(`/runs/${id}`)
  const link = page.getByRole('link', { name: 'report.md' })
  await link.waitFor()
  await page.getByText('version 1, 7 bytes').waitFor()
  expect(await barriers(page)).toEqual([])
  await link.click()
  await page.getByText(`runs/${id}/report.md`).first().waitFor()
})

test('a waiting run is canceled', async () => {
  const { page } = browser
  const id = await start('Who mends the clocks of the moon?')
  await page.goto(`/runs/${id}`)
  await page.getByRole('button', { name: 'Cancel run' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click()
  await page.locator('[data-status=abandoned]').first().waitFor()
})

test('SHR-05 a run is shared by a link, whose page needs no account, and the link is revoked', async () => {
  const { page } = browser
  const id = await start('When does the warehouse in Lyon open?')
  await page.goto(`/runs/${id}`)
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share this run' })
  await dialog.getByLabel('All messages').click()
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const url = (await dialog.getByTestId('link').textContent()) ?? ''
  expect(await barriers(page)).toEqual([])
  const stranger = await fetch(url)
  expect(await stranger.text()).toContain('opens at six')
  await page.goto(url)
  await page.getByRole('heading', { name: 'Messages' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.goto(`/runs/${id}`)
  await page.getByRole('button', { name: 'Share' }).click()
  await dialog.getByText('2 views').waitFor()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Revoke link' }).click()
  await page.getByRole('dialog', { name: 'Revoke this link?' }).waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Create link' }).waitFor()
  expect(await dialog.getByText('2 views').count()).toBe(0)
  expect((await fetch(url)).status).toBe(404)
})
