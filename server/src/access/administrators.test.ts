import { defineEndpoint } from '@noema/contracts/endpoint.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { defineBinding } from '../api/binding.ts'
import { openApiDocument } from '../http/reference/openapi.ts'
import { createMember, signUp, type TestApp } from '../test/app.ts'
import { useBrain, useOwnApp } from '../test/harness.ts'
import { confirmAddress, joinOrganization } from '../test/organizations.ts'
import { serveBindings } from '../test/serve-bindings.ts'

// Endpoints for administrators of the whole service, tried with one of the test's own.

const endpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/anything',
  summary: 'Administer',
  access: 'administrator',
  body: z.object({}),
  status: [200],
  result: z.object({ actor: z.string() }),
})

const binding = defineBinding(endpoint, async (_deps, { principal }) => ({ data: { actor: principal.actor.id } }))

type Headers = Record<string, string>

/** Asks for what only administrators may do. */
const useAdministration = (test: TestApp) => {
  let served: Awaited<ReturnType<typeof serveBindings>>
  beforeAll(async () => {
    served = await serveBindings(test, [binding])
  })
  afterAll(() => served.close())
  return (headers: Headers) => served.request('POST', endpoint.path, { headers, body: {} })
}

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })

const unset = useOwnApp()
const first = useBrain(unset)
const administer = useAdministration(unset)

test('D-17 without named administrators the first account administers, by its session or a management key that it minted', async () => {
  const { 'x-organization-id': _left, ...withoutOrganization } = first.session
  for (const headers of [first.session, withoutOrganization, bearer(first.key)])
    expect((await administer(headers)).status).toBe(200)
  expect((await administer(bearer(first.key))).body.data.actor).toBe(first.keyId)
})

test('D-17 no one else administers: not a Brain key of the first account, nor a member of its organization', async () => {
  const guest = await joinOrganization(unset, first)
  const minted = await unset.request('POST', '/v1/keys', { headers: guest.session, body: { name: 'guest' } })
  const other = await createMember(unset)
  const capabilities = ['read', 'write', 'review', 'admin']
  const refused = [
    guest.session,
    bearer(minted.body.data.secret),
    bearer(await first.mintKey(capabilities)),
    other.session,
    bearer(other.key),
  ]
  for (const headers of refused)
    expect(await administer(headers)).toMatchObject({ status: 403, body: { error: { kind: 'forbidden' } } })
})

test('D-17 D-11b a caller without a credential gets 401, and a cookie without a trusted origin 403', async () => {
  expect((await administer({})).status).toBe(401)
  expect((await administer(bearer('nsk_short'))).status).toBe(401)
  const { origin: _left, ...headers } = first.session
  const refused = await administer(headers)
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'MISSING_OR_NULL_ORIGIN' } } })
})

test('D-17 D-04 a caller who may not administer is refused before the body is checked', async () => {
  const served = await serveBindings(unset, [binding])
  const other = await createMember(unset)
  const send = (key: string) => served.request('POST', endpoint.path, { key, body: '{"broken' })
  expect([(await send(other.key)).status, (await send(first.key)).status]).toEqual([403, 400])
  await served.close()
})

const named = useOwnApp({ NOEMA_ADMIN_EMAILS: 'Ops@Example.com' })
const owner = useBrain(named)
const administerNamed = useAdministration(named)

test('D-17 a named account administers once its address is confirmed, in upper or lower case, and the first one does not', async () => {
  const ops = await signUp(named, 'ops@example.com')
  expect((await administerNamed(ops.session)).status).toBe(403)
  await confirmAddress(named, ops)
  expect((await administerNamed(ops.session)).status).toBe(200)
  expect((await administerNamed(owner.session)).status).toBe(403)
  expect((await administerNamed(bearer(owner.key))).status).toBe(403)
})

test('D-17 D-81 the OpenAPI document says that an endpoint for administrators takes keys and sessions', () => {
  const { paths, security } = openApiDocument('http://noema.test', [{ name: 'admin.anything', endpoint }])
  // Operations without a security requirement inherit the document's.
  expect({ security, ...paths[endpoint.path]?.post }).toMatchObject({
    security: [{ bearer: [] }, { apiKey: [] }, { session: [] }],
  })
})
