import { afterAll, expect, test } from 'vitest'
import { mailedLink } from '../../server/src/test/app.ts'
import { type Browser, barriers, openBrowser } from './browser.ts'
import type { Call } from './callers.ts'
import { createPerson } from './people.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// The members of an organization, and the keys that are revoked with them. The tests build on each other.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'members@example.com')
    await browser.page.goto(mailedLink(service, 'members@example.com').href)
    await browser.page.getByRole('button', { name: /^Account/ }).waitFor()
  },
)

const row = (text: string) => browser.page.getByRole('row').filter({ hasText: text })

const post = (cookie: string, path: string, body: object) =>
  service.request('POST', `/api/auth/organization/${path}`, { headers: { origin: service.origin, cookie }, body })

/** Creates an account that accepts an invitation. Returns the headers of its requests in the organization. */
const join = async (email: string, invitationId: string) => {
  const { cookie } = await createPerson(service, email)
  const accepted = await post(cookie, 'accept-invitation', { invitationId })
  if (accepted.status !== 200) throw new Error(JSON.stringify(accepted.body))
  const organizationId: string = accepted.body.invitation.organizationId
  return { origin: service.origin, cookie, 'x-organization-id': organizationId }
}

/** Invites a person as a member, and joins as them. */
const inviteAndJoin = async (email: string) => {
  const cookies = await browser.page.context().cookies()
  const owner = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const { body } = await post(owner, 'invite-member', { email, role: 'member' })
  return join(email, body.id)
}

/** Signs a person in, in place of anyone who is. */
const enterAs = async ({ page }: Browser, person: Awaited<ReturnType<typeof join>>) => {
  const [name = '', ...value] = person.cookie.split('=')
  await page.context().clearCookies()
  await page.context().addCookies([{ name, value: value.join('='), url: service.origin }])
  await page.addInitScript(`localStorage.setItem('noema-organization', '${person['x-organization-id']}')`)
}

test('D-13 a person is invited with a role, invited again, and the invitation is canceled', async () => {
  const { page } = browser
  await page.goto('/settings/members')
  await row('members@example.com').getByText('owner').waitFor()
  await page.getByText('No open invitations').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Invite' }).click()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Email').fill('bo@example.com')
  await page.getByText('Can also invite and remove members').click()
  await page.keyboard.press('Enter')
  await row('bo@example.com').getByText('admin').waitFor()
  const first = mailedLink(service, 'bo@example.com').href
  await page.getByRole('button', { name: 'Actions for the invitation of bo@example.com' }).click()
  await page.getByRole('menuitem', { name: 'Send again' }).click()
  await page.getByText('Sent to bo@example.com again').waitFor()
  expect(mailedLink(service, 'bo@example.com').href).toBe(first)
  await page.getByRole('button', { name: 'Actions for the invitation of bo@example.com' }).click()
  await page.getByRole('menuitem', { name: 'Cancel' }).click()
  await page.getByText('No open invitations').waitFor()
})

test('D-13 a new member gets another role, and is removed with a list of revoked and remaining items', async () => {
  const { page } = browser
  const invite = { email: 'chen@example.com', role: 'member' }
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByLabel('Email').fill(invite.email)
  await page.keyboard.press('Enter')
  await row('chen@example.com').waitFor()
  const id = mailedLink(service, 'chen@example.com').searchParams.get('id') ?? ''
  const chen = await join('chen@example.com', id)
  const minted = await service.request('POST', '/v1/keys', { headers: chen, body: { name: 'chens-laptop' } })
  await service.request('PUT', '/v1/brains/chens', { headers: chen, body: {} })
  const body = { name: 'agent', capabilities: ['read'] }
  await service.request('POST', '/v1/brains/chens/keys', { headers: chen, body })
  await page.goto('/settings/members')
  await page.getByRole('button', { name: 'Actions for chen@example.com' }).click()
  await page.getByRole('menuitem', { name: 'Make admin' }).click()
  await page.getByText('is admin now').waitFor()
  await page.getByRole('button', { name: 'Actions for chen@example.com' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await page.getByRole('dialog').getByText('chens-laptop').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('chen@example.com is no longer a member').waitFor()
  await page.getByText('agent (chens)').waitFor()
  expect(await barriers(page)).toEqual([])
  expect((await service.request('GET', '/v1/brains', { key: minted.body.data.secret })).status).toBe(401)
})

test('D-13 the only owner sees why they cannot leave', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Leave…' }).click()
  await page.getByText('You are the only owner').waitFor()
  await page.keyboard.press('Escape')
})

test('D-15 keys are listed with their author and expiry; a revoked one lists the items that it created', async () => {
  const { page } = browser
  const expiresAt = new Date(Date.now() + 5 * 86_400_000).toISOString()
  const { secret } = await call('POST', '/v1/keys', { name: 'ending', expiresAt })
  await service.request('PUT', '/v1/brains/made-by-key', { key: secret, body: {} })
  const body = { name: 'made-by-ending', capabilities: ['read'] }
  await service.request('POST', '/v1/brains/made-by-key/keys', { key: secret, body })
  await page.goto('/keys')
  await row('ending').getByText('members@example.com').waitFor()
  expect(new URL(page.url()).pathname).toBe('/settings/keys')
  expect(await row('chens-laptop').count()).toBe(0)
  await page.getByText('All', { exact: true }).click()
  await row('chens-laptop').getByText('revoked').waitFor()
  await page.getByRole('button', { name: 'Revoke ending' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('made-by-ending (made-by-key)').waitFor()
  expect(await barriers(page)).toEqual([])
})

let eve: Awaited<ReturnType<typeof join>>
let other: Browser | undefined
afterAll(() => other?.close())

const access = ({ page } = browser) => page.getByRole('region', { name: 'Access', exact: true })
const dialog = () => browser.page.getByRole('dialog')
const confirm = (name: string) => dialog().getByRole('button', { name, exact: true }).click()

test('a Brain that is restricted does not exist for a member until a manager adds them', async () => {
  const { page } = browser
  eve = await inviteAndJoin('eve@example.com')
  other = await openBrowser(service.origin)
  await enterAs(other, eve)
  await call('PUT', '/v1/brains/salaries', {})
  await page.goto('/brains/salaries/settings')
  await access().getByRole('button', { name: 'Restrict…' }).click()
  await dialog().getByLabel('Name a member', { exact: true }).fill('eve')
  await page.getByRole('option', { name: 'eve@example.com' }).click()
  await dialog().getByRole('combobox', { name: 'eve@example.com' }).selectOption('reviewer')
  expect(await barriers(page)).toEqual([])
  await dialog()
    .getByRole('button', { name: /^Do not name .*eve@example.com/ })
    .click()
  await confirm('Restrict')
  await access().getByText('restricted to 1 member').waitFor()
  await other.page.goto('/brains/salaries/settings')
  await other.page.getByText('There is no Brain "salaries"').waitFor()
  await access().getByRole('button', { name: 'Leave…' }).click()
  await confirm('Leave')
  await dialog().getByText('This is the last manager of the Brain.').waitFor()
  await confirm('Cancel')
  await access().getByRole('button', { name: 'Add a member' }).click()
  await dialog().getByLabel('Member', { exact: true }).fill('eve')
  await page.getByRole('option', { name: 'eve@example.com' }).click()
  expect(await barriers(page)).toEqual([])
  await confirm('Add')
  await row('eve@example.com').getByText('reader').waitFor()
  expect(await barriers(page)).toEqual([])
  await other.page.reload()
  await access(other).getByText('restricted to 2 members').waitFor()
  await access(other).getByRole('button', { name: 'Leave…' }).waitFor()
  expect(
    await access(other)
      .getByRole('button', { name: /^(Add|Open|Actions)/ })
      .count(),
  ).toBe(0)
})

test('a manager changes a role, removes a member and opens the Brain again', async () => {
  const { page } = browser
  const act = async (name: string) => {
    await access().getByRole('button', { name: 'Actions for eve@example.com' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await act('Make reviewer')
  await row('eve@example.com').getByText('reviewer').waitFor()
  await act('Remove…')
  await confirm('Remove')
  await access().getByText('restricted to 1 member').waitFor()
  await access().getByRole('button', { name: 'Open to everyone…' }).click()
  await confirm('Open')
  await access().getByText('open to the organization').waitFor()
  await other?.page.reload()
  await other?.page.getByText('Owners and admins of the organization can restrict it').waitFor()
})

test('an owner sees which Brains are restricted, and takes one over', async () => {
  const { page } = browser
  await service.request('PUT', '/v1/brains/eves', { headers: eve, body: { openTo: 'members' } })
  await page.goto('/settings/members')
  const list = page.getByRole('region', { name: 'Restricted Brains' })
  await list.getByRole('row', { name: 'eves' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await list.getByRole('button', { name: 'Take over…' }).click()
  await dialog().getByText('The audit log records it').waitFor()
  await confirm('Take over')
  await list.getByRole('link', { name: 'eves' }).waitFor()
  expect((await call('GET', '/v1/brains/eves/access')).access.role).toBe('manager')
  expect(other?.problems).toEqual([])
})

test('D-13 a member sees members and keys without the actions of owners and admins', async () => {
  const { page } = browser
  await enterAs(browser, await inviteAndJoin('dan@example.com'))
  await page.goto('/settings/members')
  await row('members@example.com').waitFor()
  await page.getByText('Owners and admins can invite others').waitFor()
  expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0)
  await page.goto('/settings/keys')
  await page.getByText('No active keys').waitFor()
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
