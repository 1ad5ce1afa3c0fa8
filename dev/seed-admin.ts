import type { Client } from '@noema/sdk'

// Accounts and requests for access, for the operator's pages.

const signUps = [
  ['Grace Mendes', 'grace@northpier.example'],
  ['Tomas Lind', 'tomas@lindandsons.example'],
  ['Yuki Arai', 'yuki@arai-lab.example'],
  ['Priya Raman', 'priya@raman.example'],
] as const

const requests = [
  [
    'omar@shipwrights.example',
    'We repair wooden boats and want our agents to know every plank of them. About 40 people.',
  ],
  ['lena@fjordlines.example', 'Timetables and rules of 12 ferry lines, which change each season.'],
  ['hello@cheap-followers.example', 'BUY FOLLOWERS NOW. Best price.'],
  ['nora@saltmuseum.example', undefined],
  ['piet@windkrant.example', 'A small newspaper. Two agents that keep what the council has decided.'],
] as const

const signUp = async (baseUrl: string, name: string, email: string) => {
  // An address that has an account already is refused, which is as good.
  await fetch(`${baseUrl}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { origin: baseUrl, 'content-type': 'application/json' },
    body: JSON.stringify({ name, email, password: 'a-long-password-of-a-demo' }),
  })
}

const decideSome = async (client: Client) => {
  const { requests: waiting } = await client.admin.accessRequests.list({ state: 'waiting', limit: 100 })
  const find = (start: string) => waiting.find(({ email }) => email.startsWith(start))?.id
  const [approved, refused] = [find('lena@'), find('hello@')]
  if (approved) await client.admin.accessRequests.approve(approved, { tier: 'enterprise' })
  if (refused)
    await client.admin.accessRequests.refuse(refused, { reason: 'This service is for what people know.', mail: false })
}

const makeCodes = async (client: Client) => {
  const { codes } = await client.admin.invitationCodes.list({})
  const requested = [
    { code: 'harbour-days-27', label: 'Visitors of the harbour days', maxUses: 200, expiresAt: '2099-06-30T22:00:00Z' },
    { code: 'partners', label: 'Partners', tier: 'enterprise' as const },
    { code: 'beta-2026', label: 'The first testers', maxUses: 1, tier: 'staff' as const },
  ]
  for (const one of requested)
    if (!codes.some(({ code }) => code === one.code)) await client.admin.invitationCodes.create(one)
}

/** Gives the operator's pages something to show, once, where the key is an administrator's. */
export const seedAdministration = async (client: Client, baseUrl: string): Promise<void> => {
  if (!(await client.whoami()).administrator) return
  const { requests: there } = await client.admin.accessRequests.list({ limit: 1 })
  if (there.length > 0) return
  for (const [name, email] of signUps) await signUp(baseUrl, name, email)
  for (const [email, message] of requests) await client.accessRequests.submit({ email, ...(message && { message }) })
  await decideSome(client)
  await makeCodes(client)
}
