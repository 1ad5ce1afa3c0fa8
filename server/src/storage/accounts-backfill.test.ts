import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { signUp } from '../test/app.ts'
import { useMember, useOwnApp } from '../test/harness.ts'
import { joinOrganization } from '../test/organizations.ts'

const app = useOwnApp()
const owner = useMember(app)

const rows = async (query: string, values: unknown[] = []) => (await app.database.pool.query(query, values)).rows
const runAgain = async (name: string) => {
  await rows(await readFile(new URL(`./migrations/${name}.sql`, import.meta.url), 'utf8'))
}
const readRole = async (email: string) =>
  (
    await rows(`select role from member join "user" on "user".id = "userId" where email = $1 order by role limit 1`, [
      email,
    ])
  )[0].role

/** The token of a session as an older version kept it: as it is in the cookie. */
const keepPlainToken = async ({ cookie, email }: { cookie: string; email: string }) => {
  const token = decodeURIComponent(cookie).split('=')[1]?.split('.')[0]
  await rows(`update session set token = $1 where "userId" = (select id from "user" where email = $2)`, [token, email])
}

test('D-13 D-17 the migrations keep sessions and keys of confirmed accounts, and end what should have ended', async () => {
  const admin = await joinOrganization(app, owner, 'admin')
  const left = await joinOrganization(app, owner)
  const { body: minted } = await app.request('POST', '/v1/keys', { headers: left.session, body: { name: 'left' } })
  const unconfirmed = await signUp(app)
  await rows(`
    alter table member drop constraint member_role;
    alter table invitation drop constraint invitation_role;
    drop function hash_session_token cascade;
    alter table "user" drop column proven_at`)
  for (const person of [owner, admin, unconfirmed]) await keepPlainToken(person)
  const memberOf = `"organizationId" = $1 and "userId" = (select id from "user" where email = $2)`
  await rows(`update member set role = 'admin, owner' where ${memberOf}`, [owner.organizationId, admin.email])
  await rows(`update member set role = 'owner,admin' where ${memberOf}`, [
    unconfirmed.organizationId,
    unconfirmed.email,
  ])
  await rows(`delete from member where ${memberOf}`, [owner.organizationId, left.email])

  await runAgain('0019_accounts_that_cannot_be_taken')
  await runAgain('0022_proven_accounts')

  expect([await readRole(admin.email), await readRole(unconfirmed.email)]).toEqual(['admin', 'owner'])
  for (const { session } of [owner, admin, unconfirmed])
    expect((await app.request('GET', '/v1/keys', { headers: session })).status).toBe(200)
  expect((await app.request('GET', '/v1/whoami', { key: owner.key })).body.data.administrator).toBe(true)
  const { keys } = (await app.request('GET', '/v1/keys', { headers: owner.session })).body.data
  expect(keys).toMatchObject([{ status: 'active' }, { id: minted.data.key.id, status: 'revoked' }])
  const proven = await rows(`select email from "user" where proven_at is not null`)
  expect(proven.map(({ email }) => email)).toContain(owner.email)
  expect(proven.map(({ email }) => email)).not.toContain(unconfirmed.email)
})
