import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { aiClients, toMcpServer } from '@noema/contracts/ai-clients.ts'
import { expect, test } from 'vitest'

// Compares docs/connect.md with the steps that the console and the command line show, and runs those of the clients that this
// machine has, in an empty home folder.

const page = readFileSync(new URL('connect.md', import.meta.url), 'utf8')
const server = toMcpServer('http://127.0.0.1:4100', 'docs')
const run = promisify(execFile)

test.each(aiClients)('the guide has the step for $title, and what follows', ({ name, title, step, next }) => {
  const block = new RegExp(`^### ${title}\n\n.*\n\n\`\`\`\\w+ name=${name}\n([^]*?)\n\`\`\`\n\n(.*)$`, 'm').exec(page)
  expect(block?.slice(1)).toEqual([step(server).text, next(server)])
})

const runnable = aiClients.filter(({ step }) => step(server).kind === 'run')

test.for(runnable)('$title takes the command, if this machine has it', async ({ step }, { skip }) => {
  const { text } = step(server)
  const [program = ''] = text.split(' ')
  const home = mkdtempSync(join(tmpdir(), 'noema-connect-'))
  try {
    await run('bash', ['-c', `command -v ${program}`]).catch(() => skip(`${program} is not installed`))
    const env = { PATH: process.env.PATH, HOME: home }
    await run('bash', ['-euo', 'pipefail', '-c', text], { cwd: home, env })
    // Each client keeps its servers in a file of its own below the home folder.
    const { stdout } = await run('grep', ['-rl', server.url, home])
    expect(stdout).not.toBe('')
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})
