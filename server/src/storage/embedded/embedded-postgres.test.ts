import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { defaultDataDir } from './embedded-postgres.ts'
import { isRoot, serverAccount } from './run-as.ts'
import { clearPlace, killHard, openElsewhere, openHere, query, recordedPid, temporaryFolder } from './test-place.ts'

afterEach(clearPlace)

const polling = { interval: 25 }
const account = isRoot() ? serverAccount() : undefined

describe('the database of a data folder', () => {
  test('a stop and a second start keep the data', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const first = await openHere(dataDir)
    expect(first.dataPath).toBe(join(dataDir, 'postgres'))
    await query(first, "create table kept as select 'here' as value")
    await Promise.all([first.stop(), first.stop()])
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
    expect(await query(await openHere(dataDir), 'select value from kept')).toEqual({ value: 'here' })
  })

  test('it sorts by code point, supports the letters of every language, and checks its pages', async () => {
    const postgres = await openHere(join(temporaryFolder(), 'data'))
    const sql = `select lower('ÉMoСК') as lower, 'B' < 'a' as "isByCodePoint", current_setting('data_checksums') as checksums,
      current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone,
      to_tsvector('simple', 'left—right')::text as words`
    expect(await query(postgres, sql)).toEqual({
      lower: 'émoск',
      isByCodePoint: true,
      checksums: 'on',
      encoding: 'UTF8',
      zone: 'UTC',
      words: "'left':1 'right':2",
    })
  })

  test('its files and its socket are closed to everyone else, and it listens on no network', async () => {
    const postgres = await openHere(join(temporaryFolder(), 'data'))
    const folder = statSync(postgres.dataPath)
    expect(folder.mode & 0o777).toBe(0o700)
    expect(folder.uid).toBe(account?.uid ?? process.getuid?.())
    expect(await query(postgres, "select current_setting('listen_addresses') as value")).toEqual({ value: '' })
  })

  test('a path too long for a socket gets its socket elsewhere', async () => {
    const dataDir = join(temporaryFolder(), 'long-'.repeat(25), 'data')
    const postgres = await openHere(dataDir)
    expect(postgres.connection.host.length).toBeLessThan(80)
    expect(statSync(postgres.connection.host).mode & 0o777).toBe(0o700)
    expect(await query(postgres, 'select 1 as value')).toEqual({ value: 1 })
    await postgres.stop()
    expect(existsSync(postgres.connection.host)).toBe(false)
  })

  test('a log that has grown large is set aside', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'postgres.log'), Buffer.alloc(10_000_001))
    await openHere(dataDir)
    expect(statSync(join(dataDir, 'postgres.log.1')).size).toBe(10_000_001)
    expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).toContain('ready to accept connections')
  })

  test('it has a separate session, which Ctrl-C in the terminal does not reach', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    await openHere(dataDir)
    const pid = recordedPid(dataDir)
    const group = execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' })
    expect(Number(group)).toBe(pid)
  })

  test("the remains of a crashed first start are removed, but not a running one's work", async () => {
    const dataDir = join(temporaryFolder(), 'data')
    mkdirSync(join(dataDir, 'postgres.new-999999999-ab12'), { recursive: true })
    mkdirSync(join(dataDir, `postgres.new-${process.ppid}-ab12`))
    await openHere(dataDir)
    const left = readdirSync(dataDir).filter((name) => name.startsWith('postgres.new-'))
    expect(left).toEqual([`postgres.new-${process.ppid}-ab12`])
  })

  test('a first start that is killed midway leaves nothing in the way of the next', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const { child } = openElsewhere(dataDir)
    const begun = () => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('postgres.new-'))
    await expect.poll(begun, polling).toBe(true)
    await killHard(child)
    expect(await query(await openHere(dataDir), 'select 1 as value')).toEqual({ value: 1 })
  })

  test('a database of another major version is refused and left as it is', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '15\n')
    await expect(openHere(dataDir)).rejects.toThrow(
      /created by PostgreSQL 15, but this version of Noema includes PostgreSQL 18/,
    )
    expect(readdirSync(join(dataDir, 'postgres'))).toEqual(['PG_VERSION'])
  })

  test('a folder of other files is refused and left as it is', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'letter.txt'), 'dear')
    await expect(openHere(dataDir)).rejects.toThrow(/not empty and is not a PostgreSQL database/)
    expect(readFileSync(join(dataDir, 'postgres', 'letter.txt'), 'utf8')).toBe('dear')
  })

  test('a start that fails says what PostgreSQL wrote', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const start = openHere(dataDir, { settings: { fsync: 'off', max_connections: 'many' } })
    await expect(start).rejects.toThrow(/invalid value for parameter "max_connections"/)
  })
})

describe('the user that it runs as', () => {
  test.skipIf(!account)('a data folder out of reach of that user is refused with what to do', async () => {
    const closed = join(temporaryFolder(), 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const dataDir = join(closed, 'data')
    await expect(openHere(dataDir)).rejects.toThrow(`allow access with "chmod o+x ${closed}"`)
    expect(existsSync(dataDir)).toBe(false)
  })

  test.skipIf(!account)('the default data folder is one that user can reach', () => {
    const open = temporaryFolder()
    expect(defaultDataDir(open)).toBe(join(open, 'noema-data'))
    const closed = join(open, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    expect(defaultDataDir(closed)).toBe('/var/lib/noema')
  })

  test.skipIf(!account)("an ordinary user's database is run as that user, by root too", async () => {
    const home = temporaryFolder()
    const dataDir = join(home, 'data')
    const nobody = { uid: 65534, gid: 65534 }
    chmodSync(home, 0o777)
    const { child, outcome } = openElsewhere(dataDir, nobody)
    expect(await outcome).toBe('open')
    await killHard(child)
    await query(await openHere(dataDir), 'select 1 as value')
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(nobody.uid)
  })
})
