import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { createPerson } from './people.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { password } from './service.ts'

// A conversation with an agent, and the activity of the organization's agents.

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    const { email, cookie } = await createPerson(service, 'talker@example.com')
    const headers = { origin: service.origin, cookie }
    const { organizations } = (await service.request('GET', '/v1/whoami', { headers })).body.data
    const session = { ...headers, 'x-organization-id': organizations[0].id }
    const send = (method: string, path: string, body: object) =>
      service.request(method, path, { headers: session, body })
    await send('PUT', '/v1/brains/stories', {})
    await send('POST', '/v1/brains/stories/documents', {
      id: 'lyon',
      text: 'The warehouse in Lyon opens at six in the morning.',
    })
    await send('POST', '/v1/agents', {
      ...{ name: 'Librarian', instructions: 'Answer from the Brain.', model: 'noema/extractive', tools: [] },
      brains: [{ handle: 'stories', access: 'read_only' }],
    })
    await browser.page.goto('/sign-in?next=/agents')
    await browser.page.getByLabel('Email').fill(email)
    await browser.page.getByLabel('Password').fill(password)
    await browser.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  },
)

test('an agent answers in a chat, and the conversation can be found and continued', async () => {
  const { page, problems } = browser
  await page.getByRole('link', { name: 'Librarian' }).click()
  await page.getByRole('link', { name: 'Chat' }).click()
  await page.getByLabel('Your question').fill('When does the warehouse open?')
  await page.getByRole('button', { name: 'Send' }).click()
  const said = page.getByRole('list', { name: 'Messages' })
  await said.getByText('opens at six in the morning').first().waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Conversations' }).last().click()
  await page.getByRole('link', { name: 'When does the warehouse open?' }).click()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByLabel('Your question').fill('Where is the warehouse?')
  await page.getByRole('button', { name: 'Send' }).click()
  await said.getByText('Where is the warehouse?').first().waitFor()
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
  await page.goto('/activity')
  await page.getByRole('link', { name: 'knowledge_context' }).first().waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Type').selectOption('llm call')
  await page.getByRole('link', { name: 'chat' }).first().click()
  await page.getByRole('dialog').getByText('noema/extractive').waitFor()
  expect(problems).toEqual([])
})

test('the messages of a chat are read once it is known which runs have ended, so that no answer is missing', async () => {
  const { page, problems } = browser
  await page.goto('/conversations')
  await page.getByRole('link', { name: 'When does the warehouse open?' }).click()
  const chat = await page.getByRole('link', { name: 'Continue' }).getAttribute('href')
  let reads = 0
  page.on('request', (request) => {
    if (/\/conversations\/[^/]+\/messages/.test(request.url())) reads++
  })
  const released = Promise.withResolvers<void>()
  await page.route('**/v1/runs?*', async (route) => {
    await released.promise
    await route.continue()
  })
  await page.goto(String(chat))
  await page.getByRole('button', { name: 'Send' }).waitFor()
  expect(reads).toBe(0)
  released.resolve()
  await page.getByRole('list', { name: 'Messages' }).getByText('opens at six in the morning').first().waitFor()
  expect(reads).toBe(1)
  await page.unrouteAll({ behavior: 'wait' })
  expect(problems).toEqual([])
})
