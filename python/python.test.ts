import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { useApp, useMember } from '../server/src/test/harness.ts'
import { generatePython } from './generate.ts'

// Runs the tests of the Python client against a running service, with Debian's Python and httpx.

const execute = promisify(execFile)
const folder = fileURLToPath(new URL('./', import.meta.url))
const python = process.env.NOEMA_PYTHON || '/usr/bin/python3'

const run = async (args: string[], env: Record<string, string> = {}): Promise<string> => {
  const options = { cwd: folder, env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ...env } }
  const { stdout } = await execute(python, args, options).catch((error) => {
    throw new Error(`${args.join(' ')}\n${error.stdout}\n${error.stderr}`, { cause: error })
  })
  return stdout
}

const app = useApp()
const member = useMember(app)

beforeAll(generatePython)

beforeEach(async ({ skip }) => {
  const missing = await run(['-c', 'import httpx, pytest, mypy, hatchling']).then(
    () => undefined,
    () => `${python} lacks what these tests need: apt-get install python3-httpx python3-pytest mypy python3-hatchling`,
  )
  if (missing !== undefined && !process.env.CI) skip(missing)
})

test('the Python client writes, reads, follows, proposes, decides and exports; errors are typed, and temporary ones are retried', async () => {
  const env = { NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key }
  expect(await run(['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests'], env)).toMatch(/\d+ passed in/)
})

test('mypy finds nothing in the Python client and its tests, at its strictest', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'noema-mypy-'))
  try {
    expect(await run(['-m', 'mypy', '--cache-dir', cache, 'src', 'tests'])).toContain('no issues found')
  } finally {
    await rm(cache, { recursive: true })
  }
})

const clientFiles = ['client.py', 'async_client.py', 'types.py', 'py.typed']

const build = async (check: (folder: string, names: string[]) => Promise<void>): Promise<void> => {
  const built = await mkdtemp(join(tmpdir(), 'noema-python-'))
  try {
    await run(['-m', 'hatchling', 'build', '-d', built])
    await check(built, await readdir(built))
  } finally {
    await rm(built, { recursive: true })
  }
}

test('the wheel and the sdist have the client, its generated types and the py.typed marker', () =>
  build(async (built, names) => {
    const wheel = names.find((name) => /^noema-\d+\.\d+\.\d+-py3-none-any\.whl$/.test(name)) ?? ''
    const sdist = names.find((name) => /^noema-\d+\.\d+\.\d+\.tar\.gz$/.test(name)) ?? ''
    const inWheel = await run(['-m', 'zipfile', '-l', join(built, wheel)])
    const inSdist = await run(['-m', 'tarfile', '-l', join(built, sdist)])
    for (const name of clientFiles) {
      expect(inWheel.split(`noema/${name} `), name).toHaveLength(2)
      expect(inSdist).toContain(`/src/noema/${name}`)
    }
    const program = 'import noema, noema.types; print(noema.__file__)'
    expect(await run(['-c', program], { PYTHONPATH: join(built, wheel) })).toContain('.whl')
  }))
