import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useApp, useMember } from '../server/src/test/harness.ts'

// Runs the guides like a reader: each block of commands in order, in one folder; the output must contain the answer that
// the guide shows.

const app = useApp()
const member = useMember(app)
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'noema-guides-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const block = /^```(sh|json)( name=\w+)?\n([\s\S]*?)^```$/gm

/** The commands of a guide, each with the answer below it. Blocks with a name are only for the reader. */
const readSteps = (guide: string) => {
  const steps: { command: string; shown?: unknown }[] = []
  for (const [, language, name, text = ''] of readFileSync(new URL(guide, import.meta.url), 'utf8').matchAll(block)) {
    if (name !== undefined) continue
    const last = steps.at(-1)
    if (language === 'sh') steps.push({ command: text })
    else if (last) last.shown = JSON.parse(text)
  }
  return steps
}

const run = promisify(execFile)

test.each([
  'quickstart.md',
  'review.md',
  'moving.md',
  'schema.md',
  'access.md',
  'files.md',
  'corpora.md',
  'evals.md',
  'goals.md',
  'durable-steps.md',
  'learning.md',
  'skills.md',
  'bundles.md',
  'records.md',
  'web-pages.md',
])('each command of docs/%s works as the guide says', async (guide) => {
  const steps = readSteps(guide)
  expect(steps.length).toBeGreaterThan(3)
  for (const { command, shown } of steps) {
    const env = { ...process.env, NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key }
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', command], { cwd: folder, env })
    if (shown !== undefined) expect(JSON.parse(stdout), command).toMatchObject(shown as object)
  }
})
