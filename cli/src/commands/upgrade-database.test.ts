import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

// Debian and others install the programs of each major version in separate folders.
const older = ['17', '16', '15'].find((major) => existsSync(`/usr/lib/postgresql/${major}/bin/initdb`))
const isRoot = process.getuid?.() === 0

const useFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'noema-upgrade-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const cli = (...argv: string[]) =>
    runCli(argv, '', {
      cwd: folder,
      env: { NOEMA_DATA_DIR: 'data' },
      loadOperator: () => import('@noema/server/operator/operator.ts'),
      loadBackups: () => import('@noema/server/backups/backups.ts'),
      loadUpgrade: () => import('@noema/server/backups/upgrade-database.ts'),
    })
  return { folder, cli, version: join(folder, 'data/postgres/PG_VERSION') }
}

const asServer = (folder: string, program: string, argv: string[]) => {
  const command = isRoot
    ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', program, ...argv]
    : [program, ...argv]
  return execFileSync(command[0] ?? '', command.slice(1), { cwd: folder, stdio: 'pipe' })
}

test.skipIf(older === undefined)(
  'a database of an earlier major version is refused in a sentence, and upgraded with its content',
  async () => {
    const { folder, cli, version } = useFolder()
    const source = useFolder()
    const { key } = JSON.parse((await source.cli('keys', 'mint', '--create', '--json')).stdout)
    await source.cli('backup', join(source.folder, 'kept.backup'))

    // The same, in a database of the earlier version.
    const bin = `/usr/lib/postgresql/${older}/bin`
    mkdirSync(join(folder, 'data'), { mode: 0o711 })
    mkdirSync(join(folder, 'data/postgres'), { mode: 0o700 })
    if (isRoot) execFileSync('chown', ['postgres:postgres', join(folder, 'data/postgres')])
    const place = join(folder, 'data/postgres')
    asServer('/', `${bin}/initdb`, ['-D', place, '-U', 'noema', '--encoding=UTF8', '--locale=C', '--auth=trust'])
    const socket = join(folder, 'socket')
    mkdirSync(socket)
    chmodSync(socket, 0o777)
    const options = `-c listen_addresses= -c unix_socket_directories=${socket}`
    asServer('/', `${bin}/pg_ctl`, ['-D', place, '-w', '-o', options, '-l', join(socket, 'log'), 'start'])
    try {
      execFileSync('psql', ['-h', socket, '-U', 'noema', '-d', 'postgres', '-c', 'create database noema'], {
        stdio: 'pipe',
      })
      const restored = await runCli(['restore', join(source.folder, 'kept.backup')], '', {
        cwd: folder,
        env: { NOEMA_DATA_DIR: 'data', NOEMA_DATABASE_URL: `postgres://noema@localhost/noema?host=${socket}` },
        loadBackups: () => import('@noema/server/backups/backups.ts'),
      })
      expect(restored.code, restored.stderr).toBe(0)
    } finally {
      asServer('/', `${bin}/pg_ctl`, ['-D', place, '-w', '-m', 'fast', 'stop'])
    }

    expect(await cli('keys', 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('noema upgrade-database'),
    })
    expect(await cli('upgrade-database')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`postgres-${older}`),
    })
    expect(readFileSync(version, 'utf8')).not.toBe(`${older}\n`)
    expect((await cli('keys', 'list')).stdout).toContain(key.id)
    expect((await cli('upgrade-database')).stderr).toContain('Nothing to do')
    expect(existsSync(join(folder, `data/postgres-${older}/PG_VERSION`))).toBe(true)
  },
  180_000,
)

test('an upgrade without the programs of the earlier version says how to get them, and changes nothing', async () => {
  const { cli, version, folder } = useFolder()
  expect((await cli('upgrade-database')).code).toBe(4)
  mkdirSync(join(folder, 'data/postgres'), { recursive: true })
  writeFileSync(version, '14\n')
  const refused = await cli('upgrade-database')
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('npm install --prefix') })
  writeFileSync(version, '99\n')
  expect(await cli('upgrade-database')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('newer version of Noema'),
  })
  expect(readFileSync(version, 'utf8')).toBe('99\n')
})
