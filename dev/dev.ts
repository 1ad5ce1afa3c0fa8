import { type ChildProcess, spawn } from 'node:child_process'

// `npm run dev`: the service, restarted when its source changes, and the console's pages, which reload on changes. Nothing else
// needs to run. Ctrl-C stops both. `--inspect` (or `npm run debug`) lets a debugger attach to the service.

const consoleOrigin = 'http://localhost:5173'
const watched = ['server/src', 'contracts/src'].map((folder) => `--watch-path=${folder}`)
const nodeFlags = process.argv.slice(2)

const trusted = [process.env.NOEMA_TRUSTED_ORIGINS, consoleOrigin].filter((origin) => origin).join(',')
const start = (args: readonly string[]): ChildProcess =>
  spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, NOEMA_TRUSTED_ORIGINS: trusted } })

const children = [
  start([...nodeFlags, ...watched, 'cli/src/main.ts', 'serve']),
  start(['node_modules/vite/bin/vite.js', 'console']),
]

const stop = () => {
  for (const child of children) child.kill('SIGTERM')
}
// Ctrl-C in a terminal reaches the children as well; a signal to this process alone is passed on.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
for (const child of children) {
  child.on('exit', (code) => {
    process.exitCode ??= code ?? 0
    stop()
  })
}
