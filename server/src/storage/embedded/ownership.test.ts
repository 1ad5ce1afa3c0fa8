import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { installedPackage, prepareBinaries } from './binaries.ts'
import { sharedFolder } from './cluster.ts'
import { DataFolderInUse } from './owner-lock.ts'
import { isRoot, serverAccount } from './run-as.ts'
import {
  clearPlace,
  killHard,
  openElsewhere,
  openHere,
  query,
  recordedPid,
  startProgram,
  temporaryFolder,
} from './test-place.ts'

afterEach(clearPlace)

const account = isRoot() ? serverAccount() : undefined

describe('one owner at a time', () => {
  test('a second open is refused with a line that names the folder, and disturbs no one', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const first = await openHere(dataDir)
    const second = openHere(dataDir)
    await expect(second).rejects.toThrow(DataFolderInUse)
    await expect(second).rejects.toThrow(dataDir)
    expect(await query(first, 'select 1 as value')).toEqual({ value: 1 })
  })

  test('a shared open joins the running server and leaves it running', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const owner = await openHere(dataDir)
    const guest = await openHere(dataDir, { ownership: 'shared' })
    expect(guest.connection).toEqual(owner.connection)
    await guest.stop()
    expect(await query(owner, 'select 1 as value')).toEqual({ value: 1 })
  })

  test('a shared open without an owner owns the folder until it stops', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const alone = await openHere(dataDir, { ownership: 'shared' })
    await expect(openHere(dataDir)).rejects.toThrow(DataFolderInUse)
    await alone.stop()
    await openHere(dataDir)
  })

  test('of two processes that start the first time at once, one owns the folder', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const both = [openElsewhere(dataDir), openElsewhere(dataDir)]
    const outcomes = await Promise.all(both.map(({ outcome }) => outcome))
    expect(outcomes.toSorted()).toEqual(['in use', 'open'])
  })

  test('a server that another process started first is recognized, and stopped at the end', async () => {
    const folder = temporaryFolder()
    const dataDir = join(folder, 'data')
    const programs = await prepareBinaries(installedPackage(), { account, cacheDir: sharedFolder })
    // The starter has seen no server and creates the files; meanwhile another one starts and is killed.
    const initdb = join(folder, 'slow-initdb')
    const [reached, goOn] = [join(folder, 'reached'), join(folder, 'go-on')]
    execFileSync('mkfifo', ['-m', '666', reached, goOn])
    writeFileSync(initdb, `#!/bin/sh\necho > ${reached}\nread line < ${goOn}\nexec ${programs.initdb} "$@"\n`, {
      mode: 0o755,
    })
    const slow = openHere(dataDir, { programs: { ...programs, initdb } })
    await readFile(reached)
    const { child, outcome } = openElsewhere(dataDir)
    expect(await outcome).toBe('open')
    const pid = recordedPid(dataDir)
    await killHard(child)
    await writeFile(goOn, '\n')
    const postgres = await slow
    expect(recordedPid(dataDir)).toBe(pid)
    expect(await openElsewhere(dataDir).outcome).toBe('in use')
    await postgres.stop()
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
  })

  test('the server of a killed owner is adopted with its data', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const { child, outcome } = openElsewhere(dataDir)
    expect(await outcome).toBe('open')
    const pid = recordedPid(dataDir)
    await query(await openHere(dataDir, { ownership: 'shared' }), 'create table kept as select 7 as value')
    await killHard(child)
    const adopted = await openHere(dataDir)
    expect(recordedPid(dataDir)).toBe(pid)
    expect(await query(adopted, 'select value from kept')).toEqual({ value: 7 })
    await adopted.stop()
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
  })

  test('the server of a killed owner is restarted when its settings differ', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const { child, outcome } = openElsewhere(dataDir)
    expect(await outcome).toBe('open')
    const pid = recordedPid(dataDir)
    await killHard(child)
    const postgres = await openHere(dataDir, { settings: { fsync: 'off', work_mem: '5MB' } })
    expect(recordedPid(dataDir)).not.toBe(pid)
    expect(await query(postgres, 'show work_mem')).toEqual({ work_mem: '5MB' })
  })

  test('a folder that another container serves is refused', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const first = await openHere(dataDir)
    const file = join(dataDir, 'postgres', 'postmaster.pid')
    const note = readFileSync(file, 'utf8')
    await first.stop()
    // A pid that does not exist on this machine, with a socket that still answers.
    writeFileSync(file, note.replace(/^\d+/, '999999999'))
    const server = createServer().listen(join(dataDir, 'postgres', '.s.PGSQL.5432'))
    await expect(openHere(dataDir)).rejects.toThrow(DataFolderInUse)
    await new Promise((resolve) => server.close(resolve))
  })

  test("a stale note of a pid that is another program's now does not block the start", async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const first = await openHere(dataDir)
    const files = ['postmaster.pid', '.s.PGSQL.5432.lock'].map((name) => join(dataDir, 'postgres', name))
    const notes = files.map((file) => readFileSync(file, 'utf8'))
    await first.stop()
    // The program runs as PostgreSQL's user, which is what makes PostgreSQL itself give up.
    const sleeper = startProgram('sleep', {
      arguments: ['300'],
      ...(account && { uid: account.uid, gid: account.gid }),
    })
    for (const pid of [process.pid, sleeper]) {
      const stale = notes.map((note) => note.replace(/^\d+/, String(pid)))
      files.forEach((file, index) => {
        writeFileSync(file, stale[index] ?? '', { mode: 0o644 })
      })
      const postgres = await openHere(dataDir)
      expect(await query(postgres, 'select 1 as value')).toEqual({ value: 1 })
      await postgres.stop()
    }
  })
})
