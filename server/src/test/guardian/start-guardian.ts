import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'

const answer = z.object({ folder: z.string(), url: z.string() })

/** Starts a guardian of this process: the folder and the PostgreSQL that it gives end with this process, or when stopped. */
export const startGuardian = async (postgresUrl?: string) => {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'guardian.ts'), ...(postgresUrl ? [postgresUrl] : [])],
    {
      // A separate session: a signal to the run's process group must not kill the program that cleans up.
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const exit = once(child, 'exit')
  const lines = createInterface(child.stdout)
  const [line] = await Promise.race([
    once(lines, 'line'),
    exit.then(() => Promise.reject(new Error('No PostgreSQL for the tests: see above.'))),
  ])
  const { folder, url } = answer.parse(JSON.parse(String(line)))
  return {
    folder,
    url,
    pid: child.pid,
    stop: async () => {
      child.stdin.end()
      await exit
    },
  }
}
