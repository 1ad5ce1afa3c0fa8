import { expect, test } from 'vitest'
import { createMember, signUp } from '../../../test/app.ts'
import { useApp, useBrain } from '../../../test/harness.ts'

// What the operator sees of organizations and of mail.

const app = useApp()
const brain = useBrain(app)

const administer = (path: string) => app.request('GET', `/v1/admin/${path}`, { key: brain.key })

test('ADM-05 the operator lists every organization with its tier, owners and how much it has, in pages and by owner', async () => {
  const [one, two] = [await createMember(app), await createMember(app)]
  const { organizations } = (await administer('organizations?limit=500')).body.data
  const ids = organizations.map(({ id }: { id: string }) => id)
  expect(ids).toEqual([brain.organizationId, one.organizationId, two.organizationId].sort())
  const mine = organizations.find(({ id }: { id: string }) => id === brain.organizationId)
  expect(mine).toMatchObject({ tier: 'free', members: 1, brains: 1, owners: [{ email: brain.email }] })
  const owned = (await administer(`organizations?owner=${encodeURIComponent(one.email.toUpperCase())}`)).body.data
  expect(owned.organizations.map(({ id }: { id: string }) => id)).toEqual([one.organizationId])
  const first = (await administer('organizations?limit=2')).body.data
  expect(first).toMatchObject({ hasMore: true })
  const rest = (await administer(`organizations?limit=2&after=${first.cursor}`)).body.data
  expect([...first.organizations, ...rest.organizations]).toEqual(organizations)
})

test("D-12 where nobody delivers mail the operator reads it; where a server does, its text is nobody's business", async () => {
  const { email } = await signUp(app)
  const newest = async (request = app.request) =>
    (await request('GET', '/v1/admin/mail?order=desc&limit=1', { key: brain.key })).body.data.mail[0]
  expect(await newest()).toMatchObject({
    ...{ to: email, subject: 'Confirm your address', state: 'stored', attempts: 0, lastError: null, sentAt: null },
    text: expect.stringContaining('/api/auth/verify-email?token='),
  })
  const node = await app.startNode({ NOEMA_SMTP_URL: 'smtp://127.0.0.1:9' })
  const shown = await newest(node.request)
  await node.close()
  expect(shown).toMatchObject({ to: email, text: null, state: 'failed' })
})
