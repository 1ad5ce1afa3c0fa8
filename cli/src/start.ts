import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { askBy, promptAt, promptHiddenAt } from './ask.ts'
import { run } from './program.ts'

// The environment takes precedence over the file. A hook runs in the folder of any project, whose file must not decide where
// the words of a session are sent.
if (process.argv[2] !== 'hook' && existsSync('.env')) process.loadEnvFile('.env')

const interruption = new AbortController()
// The first Ctrl-C requests a stop: a second one kills the process as usual.
process.once('SIGINT', () => interruption.abort())

// A failed write also rejects where it was made, which is where it is handled.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const isAtTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true
const prompt = promptAt(process.stdin, process.stderr, interruption)
const promptHidden = promptHiddenAt(process.stdin, process.stderr, interruption)

// No process.exit: pending output is written first, and a started server keeps running.
const code = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  signal: interruption.signal,
  self: { command: process.execPath, args: process.argv.slice(1, 2) },
  ...(isAtTerminal ? { ask: askBy(prompt), prompt, promptHidden } : {}),
  startDetached: (args) => spawn(process.execPath, args, { detached: true, stdio: 'ignore' }).unref(),
  loadServer: () => import('@noema/server/main.ts'),
  loadOperator: () => import('@noema/server/operator/operator.ts'),
  loadBackups: () => import('@noema/server/backups/backups.ts'),
  loadBaseBackups: () => import('@noema/server/backups/base-backups.ts'),
  loadUpgrade: () => import('@noema/server/backups/upgrade-database.ts'),
  loadFileMoves: () => import('@noema/server/operator/move-files.ts'),
  loadDistribution: () => import('@noema/server/operator/distribute-database.ts'),
  loadDoctor: () => import('@noema/server/doctor/doctor.ts'),
})

// A server that could not start, or could not stop, has said so already.
process.exitCode ??= code
