import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createMember, type TestMember } from '../../../test/app.ts'
import { eraseDueBodies } from './erase-bodies.ts'
import { places, usePlace } from './use-places.fixture.ts'

// Files of organizations: what is kept, charged, served and erased, wherever their bytes are.

const MiB = 1024 * 1024
const settings = {
  NOEMA_TIERS: JSON.stringify({ free: { fileMegabytes: 70, dailyMegabytes: 400 } }),
  NOEMA_MAX_FILES: '16/8/8',
  NOEMA_IMPORT_LINE_SECONDS: '1',
}

const toHash = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
const withKey = ({ key }: Pick<TestMember, 'key'>) => ({ authorization: `Bearer ${key}` })

describe.each(places)('files in $place', ({ place }) => {
  const { app, isStore, server, ...files } = usePlace(place, settings)
  const { upload, download, select, readKept, openUpload, untilStored, untilBegun } = files

  test('FIL-01 a file is kept with its path, type, size, checksum, source and sender, and read back byte for byte', async () => {
    const member = await createMember(app)
    const bytes = randomBytes(3 * MiB + 17)
    const sent = await upload(member, 'reports/2026/Q3 Übersicht.pdf', {
      headers: { 'content-type': 'application/pdf' },
      query: `&sha256=${toHash(bytes).toUpperCase()}`,
      body: bytes,
    })
    expect(sent.status).toBe(201)
    const { artifact } = sent.body.data
    expect(artifact).toEqual({
      ...{ id: expect.stringMatching(/^art_/), path: 'reports/2026/Q3 Übersicht.pdf', version: 1 },
      ...{ contentType: 'application/pdf', bytes: bytes.length, sha256: toHash(bytes), source: 'upload' },
      ...{ createdBy: expect.objectContaining({ type: 'key' }), createdAt: expect.any(String) },
    })
    const read = await app.request('GET', `/v1/artifacts/${artifact.id}`, { key: member.key })
    expect(read.body.data.artifact).toEqual(artifact)
    const got = await download(`/v1/artifacts/${artifact.id}/content`, withKey(member))
    expect(toHash(got.bytes)).toBe(artifact.sha256)
    expect(await readKept(member)).toBe(bytes.length)
    // Names of any system are the same path, and an empty file is a file.
    expect(
      (await upload(member, 'reports/2026/Q3 U\u0308bersicht.pdf', { body: '' })).body.data.artifact,
    ).toMatchObject({
      ...{ id: artifact.id, version: 2, bytes: 0, sha256: toHash('') },
    })
    expect((await download(`/v1/artifacts/${artifact.id}/content`, withKey(member))).bytes).toHaveLength(0)
  })

  test('FIL-01 a wrong path, type or checksum and a file that is too large are refused, and nothing is left of them', async () => {
    const member = await createMember(app)
    for (const path of ['', '/a', 'a/', 'a//b', '../a', 'a/./b', 'a\nb', 'x'.repeat(501), '\ud800'])
      expect(
        (await upload(member, path.toWellFormed() === path ? path : 'a/\uffff')).status,
        JSON.stringify(path),
      ).toBe(400)
    expect((await upload(member, 'a', { headers: { 'content-type': 'nonsense' } })).status).toBe(400)
    expect((await upload(member, 'a', { query: `&sha256=${toHash('other')}` })).body.error.message).toContain(
      toHash('text'),
    )
    const { error } = (await upload(member, 'a', { body: Buffer.alloc(64 * MiB + 1) })).body
    expect([error.code, error.message]).toEqual(['body_too_large', expect.stringContaining('64 MiB')])
    expect((await app.request('GET', '/v1/artifacts', { key: member.key })).body.data.artifacts).toEqual([])
    expect(await readKept(member)).toBe(0)
  })

  test('FIL-02 versions never change: the same bytes make none, If-Match guards, and of two writers one is refused', async () => {
    const member = await createMember(app)
    const first = await upload(member, 'notes.txt', { body: 'one' })
    const same = await upload(member, 'notes.txt', { body: 'one' })
    expect([same.status, same.body]).toEqual([200, first.body])
    const ifMatch = { 'if-match': '"1"' }
    const both = await Promise.all(
      ['two', 'three'].map((body) => upload(member, 'notes.txt', { body, headers: ifMatch })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    const { id } = first.body.data.artifact
    const winner = both.find(({ status }) => status === 201)?.body.data.artifact
    expect(both.find(({ status }) => status === 409)?.body.error.code).toBe('stale_version')
    // The winner's retry changes nothing, though the version has moved on.
    const retried = await upload(member, 'notes.txt', {
      body: both[0]?.status === 201 ? 'two' : 'three',
      headers: ifMatch,
    })
    expect([retried.status, retried.body.data.artifact]).toEqual([200, winner])
    const all = (await app.request('GET', `/v1/artifacts/${id}/versions`, { key: member.key })).body.data.versions
    expect(all).toEqual([first.body.data.artifact, winner])
    expect((await download(`/v1/artifacts/${id}/content?version=1`, withKey(member))).bytes.toString()).toBe('one')
    const many = await Promise.all(Array.from({ length: 6 }, (_, n) => upload(member, 'many.txt', { body: `${n}` })))
    expect(many.map(({ body }) => body.data.artifact.version).sort()).toEqual([1, 2, 3, 4, 5, 6])
    expect((await upload(member, 'new.txt', { headers: ifMatch })).status).toBe(409)
  })

  test('FIL-02 IDM-01 a repeat with the same idempotency key gets the first answer, also later, and another request 409', async () => {
    const member = await createMember(app)
    const headers = { 'idempotency-key': 'once' }
    const [one, two] = await Promise.all([1, 2].map(() => upload(member, 'a.txt', { headers, body: 'one' })))
    expect(one?.body).toEqual(two?.body)
    await upload(member, 'a.txt', { body: 'changed' })
    const again = await upload(member, 'a.txt', { headers, body: 'one' })
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([one?.body, 'true'])
    expect((await upload(member, 'a.txt', { headers, body: 'two' })).body.error.code).toBe('idempotency_key_reused')
    expect((await upload(member, 'b.txt', { headers, body: 'one' })).body.error.code).toBe('idempotency_key_reused')
    const { artifacts } = (await app.request('GET', '/v1/artifacts', { key: member.key })).body.data
    expect(artifacts.map(({ path, version }: { path: string; version: number }) => [path, version])).toEqual([
      ['a.txt', 2],
    ])
    await readKept(member)
  })

  test('FIL-02 IDM-01 a repeat at once makes no version, also if another upload comes between it and the first', async () => {
    const member = await createMember(app)
    await upload(member, 'a.txt', { body: 'zero' })
    const lock = await app.database.pool.connect()
    await lock.query('begin')
    await lock.query('select from artifacts where organization_id = $1 for update', [member.organizationId])
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const headers = { 'idempotency-key': 'once' }
    const sent: ReturnType<typeof upload>[] = []
    for (const given of [{ headers, body: 'one' }, { body: 'two' }, { headers, body: 'one' }]) {
      sent.push(upload(member, 'a.txt', given))
      await expect.poll(() => select(waiting)).toHaveLength(sent.length)
    }
    await lock.query('commit')
    lock.release()
    const answers = await Promise.all(sent)
    expect(answers.map(({ body }) => body.data.artifact.version)).toEqual([2, 3, 2])
    expect(
      (await download(`/v1/artifacts/${answers[0]?.body.data.artifact.id}/content`, withKey(member))).bytes,
    ).toEqual(Buffer.from('two'))
    expect(await readKept(member)).toBe('zeroonetwo'.length)
  })

  test('FIL-03 files are listed by path and prefix, page by page, in both orders', async () => {
    const member = await createMember(app)
    for (const path of ['b/1', 'a/2', 'a/10', 'a%/1', 'a_/1', 'Ä/1']) await upload(member, path)
    const list = async (query: string) => {
      const { body } = await app.request('GET', `/v1/artifacts?${query}`, { key: member.key })
      return [body.data.artifacts.map(({ path }: { path: string }) => path), body.data] as const
    }
    expect((await list(''))[0]).toEqual(['a%/1', 'a/10', 'a/2', 'a_/1', 'b/1', 'Ä/1'])
    expect((await list('prefix=a/&order=desc'))[0]).toEqual(['a/2', 'a/10'])
    expect((await list(`prefix=${encodeURIComponent('a_')}`))[0]).toEqual(['a_/1'])
    expect((await list(`prefix=${encodeURIComponent('A\u0308')}`))[0]).toEqual(['Ä/1'])
    const [first, { cursor }] = await list('prefix=a&limit=3')
    expect([...first, ...(await list(`prefix=a&limit=3&after=${cursor}`))[0]]).toEqual(['a%/1', 'a/10', 'a/2', 'a_/1'])
  })

  test('FIL-04 a download has parts, an entity tag, and headers with which no browser runs it', async () => {
    const member = await createMember(app)
    const bytes = randomBytes(600_000)
    const html = { 'content-type': 'text/html; charset=iso-8859-1' }
    const { artifact } = (await upload(member, 'a/<b>"é.html', { headers: html, body: bytes })).body.data
    const path = `/v1/artifacts/${artifact.id}/content`
    const whole = await download(path, withKey(member))
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      ...{ 'content-type': html['content-type'], 'content-length': '600000', etag: `"${artifact.sha256}"` },
      ...{ 'content-security-policy': "sandbox; default-src 'none'", 'x-content-type-options': 'nosniff' },
      'content-disposition': `attachment; filename="_b___.html"; filename*=UTF-8''%3Cb%3E%22%C3%A9.html`,
    })
    const head = await download(path, withKey(member), 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, '600000', 0])
    const ranges: [string, number, Buffer | undefined][] = [
      ['bytes=0-0', 206, bytes.subarray(0, 1)],
      ['bytes=262143-262144', 206, bytes.subarray(262_143, 262_145)],
      ['bytes=599999-', 206, bytes.subarray(599_999)],
      ['bytes=-100', 206, bytes.subarray(-100)],
      ['bytes=10-9999999', 206, bytes.subarray(10)],
      ['bytes=600000-', 416, undefined],
      ['bytes=-0', 416, undefined],
      ['bytes=0-1,5-6', 200, bytes],
      ['bytes=9-1', 200, bytes],
      ['lines=1-2', 200, bytes],
    ]
    for (const [range, status, expected] of ranges) {
      const part = await download(path, { ...withKey(member), range })
      expect([range, part.status]).toEqual([range, status])
      if (expected) expect(part.bytes.equals(expected), range).toBe(true)
      if (status === 206) expect(part.headers.get('content-range')).toMatch(/^bytes \d+-\d+\/600000$/)
      if (status === 416) expect(part.headers.get('content-range')).toBe('bytes */600000')
    }
    const etag = `"${artifact.sha256}"`
    expect((await download(path, { ...withKey(member), 'if-none-match': etag })).status).toBe(304)
    expect((await download(path, { ...withKey(member), range: 'bytes=0-0', 'if-range': etag })).status).toBe(206)
    expect((await download(path, { ...withKey(member), range: 'bytes=0-0', 'if-range': '"other"' })).status).toBe(200)
  })

  test('FIL-06 deleting a file or an earlier version erases the bytes at once and gives back what they counted as', async () => {
    const member = await createMember(app)
    const { id } = (await upload(member, 'a.bin', { body: randomBytes(700_000) })).body.data.artifact
    await upload(member, 'a.bin', { body: randomBytes(300_000) })
    const remove = (query = '') => app.request('DELETE', `/v1/artifacts/${id}${query}`, { key: member.key })
    expect((await remove('?version=2')).status).toBe(409)
    expect((await remove('?version=3')).status).toBe(404)
    expect((await remove('?version=1')).status).toBe(200)
    expect(await readKept(member)).toBe(300_000)
    expect((await download(`/v1/artifacts/${id}/content?version=1`, withKey(member))).status).toBe(404)
    expect((await remove()).status).toBe(200)
    expect(await readKept(member)).toBe(0)
    expect((await remove()).status).toBe(404)
    const stranger = await createMember(app)
    const kept = (await upload(member, 'kept')).body.data.artifact.id
    for (const [method, below] of [
      ['GET', ''],
      ['GET', '/content'],
      ['GET', '/versions'],
      ['POST', '/links'],
      ['DELETE', ''],
    ])
      expect((await app.request(method ?? '', `/v1/artifacts/${kept}${below}`, { key: stranger.key })).status).toBe(404)
    const { entries } = (await app.request('GET', `/v1/audit?target=${id}`, { key: member.key })).body.data
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      ...['artifact.stored', 'artifact.stored', 'artifact.deleted', 'artifact.deleted'],
    ])
  })

  test('FIL-06 the caps of a tier are exact, also with uploads at once and on two nodes, and a refused one leaves nothing', async () => {
    const member = await createMember(app)
    const node = await app.startNode({ NOEMA_TIERS: settings.NOEMA_TIERS, ...server.settings })
    const body = Buffer.alloc(30 * MiB)
    const bases = [app.base, node.base, app.base, node.base]
    const answers = await Promise.all(bases.map((base, n) => upload(member, `${n}`, { body, base })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body.error.code).toBe('artifact_cap')
    expect(await readKept(member)).toBe(60 * MiB)
    await node.close()
  })

  test('FIL-06 FIL-07 a slow sender holds no connection, and is refused when nothing comes; its bytes are erased', async () => {
    const member = await createMember(app)
    const slow = openUpload(member, 'slow')
    slow.send(Buffer.alloc(2 * MiB))
    await untilStored(member, 2 * MiB)
    const [{ open }] = await select(
      `select count(*)::integer as open from pg_stat_activity where datname = current_database()
         and state like 'idle in transaction%'`,
    )
    expect(open).toBe(0)
    expect(await slow.answered).toMatch(/^HTTP\/1\.1 400 [\s\S]*No 256 KiB arrived within 1 seconds/)
    await untilStored(member, 0)
    expect(await readKept(member)).toBe(0)
    const gone = openUpload(member, 'gone')
    gone.send(Buffer.alloc(2 * MiB))
    await untilStored(member, 2 * MiB)
    gone.socket.destroy()
    await untilStored(member, 0)
    const unknown = openUpload(member, 'unknown')
    unknown.send(Buffer.alloc(3 * MiB))
    unknown.end()
    expect(await unknown.answered).toMatch(/^HTTP\/1\.1 201 /)
    expect(await readKept(member)).toBe(3 * MiB)
  })

  test('FIL-06 the next worker erases the rest of uploads and deletions whose node died', async () => {
    const member = await createMember(app)
    const { organizationId } = member
    await upload(member, 'kept', { body: 'kept' })
    const rows = `chunk as (insert into artifact_chunks values ($1, 'left', 0, '\\x00010203040506070809'))`
    const objects = `objects as (insert into artifact_objects values ($1, 'left', 2097152, 1))`
    await app.database.pool.query(
      `with body as (insert into artifact_bodies values ($1, 'left', 10, now() - interval '1 minute')),
         ${isStore ? objects : rows}
       update artifact_usage set bytes = bytes + 10, bodies = bodies + 1 where organization_id = $1`,
      [organizationId],
    )
    if (isStore) await app.app.deps.objects.put(`${organizationId}/left/0`, new Uint8Array(10))
    expect(await readKept(member)).toBe(14)
    await eraseDueBodies({ ...app.app.deps, clock: { now: () => new Date(Date.now() + 60_000) } })
    expect(await readKept(member)).toBe(4)
  })

  test('FIL-07 one organization cannot take all slots of files from others', async () => {
    const [greedy, other] = [await createMember(app), await createMember(app)]
    const held = Array.from({ length: 8 }, (_, n) => openUpload(greedy, `${n}`))
    for (const { send } of held) send(Buffer.alloc(300 * 1024))
    await untilBegun(greedy, 8)
    expect((await upload(other, 'free')).status).toBe(201)
  })
})
