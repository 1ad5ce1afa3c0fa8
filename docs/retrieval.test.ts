import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../server/src/test/app.ts'
import { useApp } from '../server/src/test/harness.ts'
import { createAnswering } from './examples/retrieval.ts'

// Runs the commands and the example of docs/retrieval.md, unchanged, against the service.

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const page = read('retrieval.md')

const app = useApp()
let member: TestBrain
beforeAll(async () => {
  member = await createBrain(app)
  await run('setup')
})

const run = async (name: string) => {
  const commands = new RegExp(`^\`\`\`sh name=${name}\\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? ''
  const env = { ...process.env, NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key }
  const { stdout } = await promisify(execFile)('bash', ['-ec', commands], { env })
  return name === 'setup' ? undefined : JSON.parse(stdout).data
}

test('QRY-01 the search on the page finds its results', async () => {
  const { results } = await run('search')
  expect(results[0]).toMatchObject({ type: 'document', id: 'audit', snippet: expect.stringContaining('March') })
})

test('QRY-02 D-51 the context on the page has the state of that time, in the frame that the page shows', async () => {
  const { context, items, budget } = await run('context')
  expect(items.map(({ id }: { id: string }) => id)).toContain('ann-leads')
  expect(budget.used).toBeLessThanOrEqual(600)
  expect(context).toMatch(/^\[\[\w{10} item \d: statement "ann-leads" version 1, about record "ann", valid from /m)
  expect(context).toContain('> Ann leads the yearly audit\n[[')
})

test('QRY-02 QRY-03 the query of the page reads a record by its slug', async () => {
  expect(await run('query')).toMatchObject({ records: [{ id: 'ann', fields: { role: 'auditor' } }], linked: [] })
})

test('QRY-04 the receipts of the page are those of its search and its context', async () => {
  await run('search')
  await run('context')
  const { receipts } = await run('receipts')
  const operations = receipts.slice(-2).map(({ operation }: { operation: string }) => operation)
  expect(operations).toEqual(['search', 'context'])
})

test('QRY-04 the example answers with a context and reports when its versions have moved', async () => {
  const { answer, stillStands, people } = createAnswering(app.base, member.key, async (prompt) => prompt)
  expect(await people()).toEqual(['Ann'])
  const { text, receipt } = await answer('Who leads the audit?')
  expect(text).toContain('> Ann leads the yearly audit')
  expect(await stillStands(receipt)).toBe(true)
  await app.request('DELETE', '/v1/brains/handbook/statements/ann-leads', { key: member.key })
  expect(await stillStands(receipt)).toBe(false)
})

test('the page shows the example as it is', () => {
  expect(page).toContain(read('examples/retrieval.ts'))
})
