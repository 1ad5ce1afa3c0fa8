import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { DataFolderInUse } from './owner-lock.ts'
import { clearPlace, killHard, openElsewhere, openHere, query, recordedPid, temporaryFolder } from './test-place.ts'

afterEach(clearPlace)

const polling = { interval: 25 }

describe('a server that dies', () => {
  const settled = async (probe: () => Promise<unknown>) => {
    await expect.poll(() => probe().catch((error: unknown) => String(error)), polling).toEqual({ value: 1 })
  }

  // A server answers a moment before its owner has the lock again.
  const owners = "select count(*)::int as value from pg_locks where locktype = 'advisory' and granted"

  test('is started again, stays owned, and is stopped for good by stop', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const postgres = await openHere(dataDir)
    const pid = recordedPid(dataDir)
    process.kill(pid, 'SIGKILL')
    await settled(() => query(postgres, owners))
    expect(recordedPid(dataDir)).not.toBe(pid)
    await expect(openHere(dataDir)).rejects.toThrow(DataFolderInUse)
    await postgres.stop()
    await expect(query(postgres, 'select 1 as value')).rejects.toThrow()
  })

  test('is started again when it was an adopted one', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const { child, outcome } = openElsewhere(dataDir)
    expect(await outcome).toBe('open')
    await killHard(child)
    const postgres = await openHere(dataDir)
    const pid = recordedPid(dataDir)
    process.kill(pid, 'SIGKILL')
    await settled(() => query(postgres, 'select 1 as value'))
    expect(recordedPid(dataDir)).not.toBe(pid)
  })

  test('and only reset itself after losing a session gets its owner back', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const postgres = await openHere(dataDir)
    const pid = recordedPid(dataDir)
    const session = await query(postgres, "select pid from pg_stat_activity where application_name = 'noema owner'")
    process.kill(Number(session?.pid), 'SIGKILL')
    const isOther = `pid <> ${Number(session?.pid)}`
    await settled(() => query(postgres, `${owners} and ${isOther}`))
    expect(recordedPid(dataDir)).toBe(pid)
    await expect(openHere(dataDir)).rejects.toThrow(DataFolderInUse)
  })

  test('while stop is called stays stopped', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const postgres = await openHere(dataDir)
    process.kill(recordedPid(dataDir), 'SIGKILL')
    await postgres.stop()
    await expect(query(postgres, 'select 1 as value')).rejects.toThrow()
    expect(await query(await openHere(dataDir), 'select 1 as value')).toEqual({ value: 1 })
  })
})
