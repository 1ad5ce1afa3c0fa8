import { expect, test } from 'vitest'
import { mailedLink } from '../../server/src/test/app.ts'
import { type Browser, barriers, openBrowser } from './browser.ts'
import { type Call, createCaller } from './callers.ts'
import { signUp } from './member.ts'
import { createPerson } from './people.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideOwnService } from './provide-service.ts'
import { password } from './service.ts'

// The operator's pages, for the first account of a service and for other accounts.

let administer: Call

const service = provideOwnService()
const browser = provideBrowser(
  () => service,
  async () => {
    administer = createCaller(service, await signUp(service, browser, 'chief@example.com'))
  },
)

/** Acts in the browser of another person. */
const asStranger = async (act: (stranger: Browser) => Promise<void>) => {
  const stranger = await openBrowser(service.origin)
  try {
    await act(stranger)
    expect(stranger.problems).toEqual([])
  } finally {
    await stranger.close()
  }
}

const row = (text: string) => browser.page.locator('tr[data-row]', { hasText: text })

test('ADM-01 ADM-07 a stranger requests access, an administrator approves it by keyboard, and the emailed link works', async () => {
  const { page } = browser
  await asStranger(async (stranger) => {
    await stranger.page.goto('/sign-up')
    await stranger.page.getByRole('link', { name: 'request access' }).click()
    await stranger.page.getByLabel('Email').fill('stranger@example.com')
    await stranger.page.getByLabel('How you want to use it').fill('Our harbour log.')
    expect(await barriers(stranger.page)).toEqual([])
    await stranger.page.getByRole('button', { name: 'Request access' }).click()
    await stranger.page.getByText('Your request is with the administrators').waitFor()
  })
  await page.goto('/')
  await page.getByRole('link', { name: 'Admin', exact: true }).click()
  await row('stranger@example.com').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.locator('.opened').getByText('Our harbour log.').waitFor()
  await page.keyboard.press('a')
  await page.getByRole('dialog').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('radio', { name: /^enterprise/ }).check()
  await page.keyboard.press('Enter')
  await page.getByText('No pending requests').waitFor()
  await page.getByRole('radio', { name: 'approved' }).check()
  await row('stranger@example.com').click()
  await page.getByText('Emailed link', { exact: true }).waitFor()
  const link = mailedLink(service, 'stranger@example.com')
  await asStranger(async (stranger) => {
    await stranger.page.goto(link.href)
    await stranger.page.getByLabel('Name').fill('Stranger')
    expect(await stranger.page.getByLabel('Email').inputValue()).toBe('stranger@example.com')
    await stranger.page.getByLabel('Password').fill(password)
    await stranger.page.getByRole('button', { name: 'Create account' }).click()
    await stranger.page.getByRole('button', { name: /^Account/ }).waitFor()
  })
  const { organizations } = await administer('GET', '/v1/admin/organizations?owner=stranger@example.com')
  expect(organizations).toMatchObject([{ tier: 'enterprise' }])
})

test('ADM-07 an approval can also invite the person to an organization of the administrator', async () => {
  const { page } = browser
  await page.goto(mailedLink(service, 'chief@example.com').href)
  await administer('POST', '/v1/access-requests', { email: 'colleague@example.com' })
  await page.goto('/admin/requests')
  await row('colleague@example.com').click()
  await page.getByRole('button', { name: 'Approve' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Invite to one of your organizations').selectOption({ label: 'Ada Okafor' })
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('No pending requests').waitFor()
  const { mail } = await administer('GET', '/v1/admin/mail?order=desc&limit=5')
  const subjects = mail.filter(({ to }: { to: string }) => to === 'colleague@example.com')
  expect(subjects.map(({ subject }: { subject: string }) => subject).sort()).toEqual([
    'Invitation to an organization',
    'Your request for access to Noema',
  ])
})

test('ADM-07 a request is refused with a reason, which is emailed', async () => {
  const { page } = browser
  await administer('POST', '/v1/access-requests', { email: 'spam@example.com', message: 'Buy now.' })
  await page.goto('/admin/requests')
  await row('spam@example.com').focus()
  await page.keyboard.press('r')
  await page.getByLabel('Reason', { exact: true }).fill('We do not buy.')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Refuse', exact: true }).click()
  await row('spam@example.com').waitFor({ state: 'detached' })
  await page.getByRole('radio', { name: 'refused' }).check()
  await row('spam@example.com').click()
  await page.getByText('Refused: We do not buy.').waitFor()
  const { mail } = await administer('GET', '/v1/admin/mail?order=desc&limit=1')
  expect(mail).toMatchObject([{ to: 'spam@example.com', text: expect.stringContaining('We do not buy.') }])
})

test('ADM-03 a code is created, copied as a link and deleted', async () => {
  const { page } = browser
  await page.goto('/admin/codes')
  await page.getByText('No codes yet').or(page.locator('tr[data-row]').first()).first().waitFor()
  await page.getByRole('button', { name: 'New code' }).click()
  await page.getByLabel('Code', { exact: true }).fill('harbour')
  await page.getByLabel('Label').fill('The harbour')
  await page.getByLabel('Uses').fill('3')
  await page.getByLabel('Last day').fill('2099-12-31')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Create code' }).click()
  await row('harbour').getByText('0 of 3').waitFor()
  const { codes } = await administer('GET', '/v1/admin/invitation-codes')
  expect(codes[0]).toMatchObject({ code: 'harbour', label: 'The harbour', maxUses: 3, tier: 'business' })
  await page.getByRole('button', { name: 'Delete harbour' }).click()
  await page.getByRole('button', { name: 'Delete code' }).click()
  await row('harbour').waitFor({ state: 'detached' })
})

test('ADM-04 sign-ups appear automatically, are filtered by kind, and expand in place', async () => {
  const { page } = browser
  await page.goto('/admin/events')
  await row('chief@example.com signed up').waitFor()
  await createPerson(service, 'late@example.com')
  await row('late@example.com signed up').waitFor()
  await row('late@example.com signed up').click()
  await page.locator('.opened').getByText('none counted').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('radio', { name: 'Requests' }).check()
  await row('late@example.com').waitFor({ state: 'detached' })
})

test('ADM-05 ADM-08 END-09 an organization is found, gets another tier, and is deleted after its name is typed', async () => {
  const { page } = browser
  await createPerson(service, 'leaving@example.com')
  await page.goto('/admin/organizations')
  await page.getByRole('searchbox').fill('LEAVING@')
  await row('chief@example.com').waitFor({ state: 'detached' })
  await row('leaving@example.com').getByRole('link').click()
  await page.getByRole('progressbar', { name: 'Brains' }).waitFor()
  await page.getByRole('button', { name: 'Change tier' }).click()
  await page.getByRole('radio', { name: /^staff/ }).check()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Set tier' }).click()
  await page.getByText('The caps of the tier staff apply').waitFor()
  await page.getByRole('button', { name: 'Delete organization…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('.contents').getByText('Members').waitFor()
  const end = dialog.getByRole('button', { name: 'Delete organization' })
  expect(await end.isDisabled()).toBe(true)
  await dialog.getByLabel('Reason').fill('It was a test.')
  await dialog.getByLabel('Type Ada to confirm').fill('Ada')
  expect(await barriers(page)).toEqual([])
  await end.click()
  await page.getByText('Ada deleted').waitFor()
  await page.getByRole('heading', { name: 'Organizations' }).waitFor()
  const { events } = await administer('GET', '/v1/admin/events?kind=organization_ended')
  expect(events).toMatchObject([{ detail: { reason: 'It was a test.' } }])
})

test('a link clicked right after typing opens on a slow computer, too', async () => {
  const { page } = browser
  await createPerson(service, 'clicked@example.com')
  const tools = await page.context().newCDPSession(page)
  await tools.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  for (const pause of [5, 15, 25, 35]) {
    await page.goto('/admin/organizations')
    await row('chief@example.com').waitFor()
    await page.getByRole('searchbox').fill('CLICKED@')
    await page.evaluate(`new Promise((go) => setTimeout(go, ${pause}))`)
    await row('clicked@example.com').getByRole('link').click()
    await page.getByRole('progressbar', { name: 'Brains' }).waitFor()
  }
  await tools.detach()
})

test('ADM-09 the tiers show their limits and the settings that change them', async () => {
  const { page } = browser
  await page.goto('/admin/tiers')
  await row('free').click()
  await page.getByText('NOEMA_TIERS').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('ADM-10 emails can be read if no mail server is set up, and the page says how to set one up', async () => {
  const { page } = browser
  await page.goto('/admin/mail')
  await page.getByText('NOEMA_SMTP_URL').waitFor()
  await page.locator('tr[data-row]', { hasText: 'Confirm your address' }).first().click()
  await page.locator('.opened').getByText('/api/auth/verify-email').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('ADM-06 the health page lists findings with advice', async () => {
  const { page } = browser
  await page.goto('/admin/health')
  await page.getByText('No mail server is set up').waitFor()
  const versions = await page.getByRole('table', { name: 'Versions' }).locator('tr[data-row]').allInnerTexts()
  expect(versions.map((text) => text.split('\t')[0]?.trim())).toEqual([
    'Noema',
    'Node.js',
    'PostgreSQL',
    'Schema of the database',
  ])
  await page.getByRole('table', { name: 'Nodes' }).locator('tr[data-row]').first().click()
  await page.getByRole('table', { name: /^Workers of/ }).waitFor()
  expect(await barriers(page)).toEqual([])
  expect(browser.problems).toEqual([])
})

test('D-17 other people see no link to the operator pages, and the pages name the missing right', async () => {
  await createPerson(service, 'plain@example.com')
  await asStranger(async ({ page }) => {
    await page.goto('/sign-in?next=%2Fadmin%2Fhealth')
    await page.getByLabel('Email').fill('plain@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('This page is for administrators of the service').waitFor()
    await page.getByText('NOEMA_ADMIN_EMAILS').waitFor()
    expect(await page.getByRole('link', { name: 'Admin', exact: true }).count()).toBe(0)
    expect(await barriers(page)).toEqual([])
  })
})
