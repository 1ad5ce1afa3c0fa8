import { describe, expect, test } from 'vitest'
import { createMember, type TestMember } from '../../../test/app.ts'
import { joinOrganization, removeMember } from '../../../test/organizations.ts'
import { places, usePlace } from './use-places.fixture.ts'

describe.each(places)('links to files in $place', ({ place }) => {
  const { app, upload, download } = usePlace(place)

  const makeLink = async (member: Pick<TestMember, 'key'>, id: string, body: object = {}) =>
    (await app.request('POST', `/v1/artifacts/${id}/links`, { key: member.key, body })).body.data?.link

  /** The address of a link at this test's service. */
  const toLocal = ({ url }: { url: string }) => app.base + new URL(url).pathname + new URL(url).search

  test('FIL-05 anyone downloads by a link for an hour at most, until it expires or the file or its maker is gone', async () => {
    const member = await createMember(app)
    const guest = await joinOrganization(app, member)
    const guestKey = (await app.request('POST', '/v1/keys', { headers: guest.session, body: { name: 'guest' } })).body
      .data
    const { id } = (await upload(member, 'a.txt', { body: 'one' })).body.data.artifact
    const link = await makeLink(member, id)
    const byGuest = await makeLink({ key: guestKey.secret }, id, { expiresInSeconds: 3_600 })
    await upload(member, 'a.txt', { body: 'two' })
    expect((await download(toLocal(link))).bytes.toString()).toBe('one')
    expect((await download(toLocal(byGuest))).bytes.toString()).toBe('one')
    const refused = await app.request('POST', `/v1/artifacts/${id}/links`, {
      key: member.key,
      body: { expiresInSeconds: 3_601 },
    })
    expect(refused.status).toBe(400)
    const other = (await upload(member, 'b.txt')).body.data.artifact
    const url = new URL(toLocal(link))
    const forged = [
      url.href.replace(id, other.id),
      url.href.slice(0, -2),
      `${url.origin}${url.pathname}?token=x`,
      `${url.origin}${url.pathname}?token=${'A'.repeat(100)}`,
    ]
    for (const one of forged) expect((await download(one)).status, one).toBe(404)
    await removeMember(app, member, guest)
    expect((await download(toLocal(byGuest))).status).toBe(404)
    app.clock.advance({ minutes: 10 })
    expect((await download(toLocal(link))).status).toBe(404)
    const last = await makeLink(member, id, { version: 1 })
    expect((await download(toLocal(last))).status).toBe(200)
    await app.request('DELETE', `/v1/artifacts/${id}?version=1`, { key: member.key })
    expect((await download(toLocal(last))).status).toBe(404)
  })

  test('FIL-05 a link ends when the key that made it expires', async () => {
    const member = await createMember(app)
    const { id } = (await upload(member, 'a.txt', { body: 'one' })).body.data.artifact
    const expiresAt = new Date(app.clock.now().getTime() + 25 * 3_600_000).toISOString()
    const body = { name: 'short', expiresAt }
    const { secret } = (await app.request('POST', '/v1/keys', { headers: member.session, body })).body.data
    app.clock.advance({ minutes: 24 * 60 + 30 })
    const link = await makeLink({ key: secret }, id, { expiresInSeconds: 3_600 })
    expect((await download(toLocal(link))).status).toBe(200)
    app.clock.advance({ minutes: 31 })
    expect((await download(toLocal(link))).status).toBe(404)
  })
})
