import { createServer, type Server } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { startMcpServer } from '../../server/src/features/agents/connectors/mcp-server.fixture.ts'
import { barriers } from './browser.ts'
import { type Call, createCaller } from './callers.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// Whom agents ask, and whose tools they have: set up on the page, tried, and deleted with a word on who uses it.

let call: Call
let models: Server
let tools: Awaited<ReturnType<typeof startMcpServer>>
const asked: { url: string | undefined; key: string | undefined }[] = []

/** Chat completions of a model that is called small; no other. */
const startModels = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      asked.push({ url: request.url, key: request.headers.authorization })
      const isKnown = request.url === '/v1/models' || Buffer.concat(chunks).includes('"small"')
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(
          isKnown ? { choices: [{ message: { content: 'Yes' } }], data: [] } : { error: { message: 'No such model.' } },
        ),
      )
    })
    server.listen(0, '127.0.0.1', () => resolve(server))
  })

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = createCaller(service, await signUp(service, browser, 'providers@example.com'))
    models = await startModels()
    tools = await startMcpServer()
  },
)

afterAll(async () => {
  await new Promise<void>((resolve) => (models ? models.close(() => resolve()) : resolve()))
  await tools?.close()
})

const toPort = (): number => {
  const address = models.address()
  return typeof address === 'object' && address ? address.port : 0
}

test('a provider is added, tried, replaced without its key being shown, and deleted with a word on its agents', async () => {
  const { page } = browser
  await page.goto('/providers')
  await page.getByText('No providers yet').waitFor()
  await page.getByRole('button', { name: 'Add a provider' }).first().click()
  const dialog = page.getByRole('dialog').last()
  await dialog.getByLabel('Service').selectOption('Ollama')
  expect(await dialog.getByLabel('Base URL').inputValue()).toBe('http://ollama.internal:11434/v1')
  await dialog.getByLabel('Base URL').fill('http://10.0.0.1/v1')
  await dialog.getByLabel('API key').fill('sk-never-seen-again')
  await dialog.getByRole('button', { name: 'Add a header' }).click()
  await dialog.getByLabel('Name of header 1').fill('X-Team')
  await dialog.getByLabel('Value of header 1').fill('harbour')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  const url = dialog.getByLabel('Base URL')
  await dialog
    .locator('.field', { has: page.getByLabel('Base URL') })
    .getByText('not a public internet address')
    .waitFor()
  await url.and(page.locator(':focus')).waitFor()
  await dialog.getByLabel('Base URL').fill(`http://127.0.0.1:${toPort()}/v1`)
  await dialog.getByRole('button', { name: 'Add provider' }).click()

  const drawer = page.getByRole('dialog', { name: 'ollama' })
  await drawer.getByText('kept, and never shown').waitFor()
  await drawer.getByText('X-Team').waitFor()
  await drawer.getByRole('button', { name: 'Test' }).click()
  await drawer.getByText('It answered').waitFor()
  await drawer.getByLabel('Model', { exact: true }).fill('large')
  await drawer.getByRole('button', { name: 'Test' }).click()
  await drawer.getByRole('alert').getByText('No such model.').waitFor()
  expect(asked.at(-1)).toEqual({ url: '/v1/chat/completions', key: 'Bearer sk-never-seen-again' })
  expect(await barriers(page)).toEqual([])
  expect(await page.content()).not.toContain('sk-never-seen-again')

  await call('POST', '/v1/agents', { name: 'Local', instructions: '', model: 'ollama/small' })
  await page.reload()
  await drawer.getByRole('link', { name: 'Local' }).waitFor()
  await drawer.getByRole('button', { name: 'Replace' }).click()
  const replacing = page.getByRole('dialog', { name: 'Replace ollama' })
  await replacing.getByLabel('API key').fill('sk-another')
  await replacing.getByRole('button', { name: 'Remove header 1' }).click()
  await replacing.getByRole('button', { name: 'Replace provider' }).click()
  await replacing.waitFor({ state: 'detached' })
  await drawer.getByRole('button', { name: 'Test' }).click()
  await drawer.getByText('It answered').waitFor()
  expect(asked.at(-1)).toEqual({ url: '/v1/chat/completions', key: 'Bearer sk-another' })
  await drawer.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: 'Delete ollama?' })
  await question.getByText('One agent uses its models: their runs fail').waitFor()
  await question.getByRole('button', { name: 'Delete provider' }).click()
  await page.getByText('No providers yet').waitFor()
})

test('a connector is added, its tools are listed, its headers are kept or removed, and it is deleted', async () => {
  const { page } = browser
  await page.goto('/agents')
  await page.getByRole('navigation', { name: 'Of agents' }).getByRole('link', { name: 'Connectors' }).click()
  await page.getByText('No connectors yet').waitFor()
  await page.getByRole('button', { name: 'Add a connector' }).click()
  const dialog = page.getByRole('dialog').last()
  await dialog.getByLabel('Name', { exact: true }).fill('tickets')
  await dialog.getByLabel('URL').fill(tools.url)
  await dialog.getByRole('button', { name: 'Add a header' }).click()
  await dialog.getByLabel('Name of header 1').fill('X-Api-Key')
  await dialog.getByLabel('Value of header 1').fill('never-seen-either')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add connector' }).click()

  const drawer = page.getByRole('dialog', { name: 'tickets' })
  await drawer.getByText('Tools are loaded at the first test').waitFor()
  await drawer.getByRole('button', { name: 'Load tools' }).click()
  await drawer.getByText('It answered').waitFor()
  await drawer.getByText('echo').click()
  await drawer.getByText('Input', { exact: true }).waitFor()
  expect(await barriers(page)).toEqual([])
  expect(await page.content()).not.toContain('never-seen-either')

  await drawer.getByRole('button', { name: 'Change' }).click()
  const changing = page.getByRole('dialog', { name: 'Edit tickets' })
  await changing.getByText('Keep the header').waitFor()
  await changing.getByLabel('Name', { exact: true }).fill('helpdesk')
  await changing.getByRole('button', { name: 'Save connector' }).click()
  const renamed = page.getByRole('dialog', { name: 'helpdesk' })
  await renamed.getByText('X-Api-Key').waitFor()
  await renamed.getByRole('button', { name: 'Change' }).click()
  const removing = page.getByRole('dialog', { name: 'Edit helpdesk' })
  await removing.getByText('Remove', { exact: true }).click()
  await removing.getByRole('button', { name: 'Save connector' }).click()
  await renamed.getByText('none', { exact: true }).waitFor()

  const { connectors } = await call('GET', '/v1/connectors')
  await call('POST', '/v1/agents', {
    ...{ name: 'Helper', instructions: '', model: 'noema/extractive' },
    tools: [{ connector: connectors[0].id, allow: ['echo'] }],
  })
  await page.reload()
  await renamed.getByRole('link', { name: 'Helper' }).waitFor()
  await renamed.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: 'Delete helpdesk?' })
  await question.getByText('One agent uses its tools').waitFor()
  await question.getByRole('button', { name: 'Delete connector' }).click()
  await page.getByText('No connectors yet').waitFor()
  expect(browser.problems).toEqual([])
})
