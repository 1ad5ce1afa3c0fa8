import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createMember, type TestMember } from '../../../test/app.ts'
import { places, usePlace } from './use-places.fixture.ts'

// More files at once than a node takes: each transfer holds a chunk or an object in memory, so the slots bound what all of them hold.

const MiB = 1024 * 1024
const slots = 3
const settings = {
  NOEMA_TIERS: JSON.stringify({ free: { fileMegabytes: 100, dailyMegabytes: 400 } }),
  NOEMA_MAX_FILES: `${slots}/${slots}/${slots}`,
}

const toHash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe.each(places)('many files at once in $place', ({ place }) => {
  const { app, upload, download, select, readKept } = usePlace(place, settings)

  /** Repeats what is refused for lack of a slot; the refusals are delayed. */
  const insist = async <Answer extends { status: number; headers: Headers }>(call: () => Promise<Answer>) => {
    for (;;) {
      const answer = await call()
      if (answer.status < 300) return answer
      expect([429, 503]).toContain(answer.status)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  }

  const countArriving = async ({ organizationId }: TestMember): Promise<number> =>
    (
      await select(
        'select count(*)::integer as count from artifact_bodies where organization_id = $1 and erase_at is not null',
        organizationId,
      )
    )[0].count

  test('FIL-27 many files at once arrive whole, and no more than the slots are in memory', async () => {
    const member = await createMember(app)
    const files = Array.from({ length: 16 }, (_, n) => ({ path: `f${n}`, bytes: randomBytes(3 * MiB + n) }))
    let isDone = false
    let most = 0
    const watching = (async () => {
      while (!isDone) most = Math.max(most, await countArriving(member))
    })()
    const ids = await Promise.all(
      files.map(async ({ path, bytes }) => {
        const { artifact } = (await insist(() => upload(member, path, { body: bytes }))).body.data
        expect(artifact.sha256).toBe(toHash(bytes))
        return artifact.id as string
      }),
    )
    isDone = true
    await watching
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(slots)
    expect(await readKept(member)).toBe(files.reduce((sum, { bytes }) => sum + bytes.length, 0))
    const authorization = `Bearer ${member.key}`
    await Promise.all(
      files.map(async ({ bytes }, n) => {
        const read = await insist(() => download(`/v1/artifacts/${ids[n]}/content`, { authorization }))
        expect(read.bytes.equals(bytes)).toBe(true)
      }),
    )
  })
})
