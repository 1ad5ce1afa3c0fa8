import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** The installed service, which a program of an empty folder started. */
export type InstalledService = {
  url: string
  /** Returns its log. */
  log: () => string
  /** Stops it like a terminal, and returns its exit code. */
  stop: () => Promise<number | null>
}

/** Starts `noema serve` and waits until it prints its address. Rejects with its output if it exits before. */
export const startInstalled = async (
  node: string,
  { program, folder, env }: { program: string; folder: string; env: Record<string, string | undefined> },
): Promise<InstalledService> => {
  const child: ChildProcess = spawn(node, [program, 'serve'], { cwd: folder, env: { ...env, NOEMA_PORT: '0' } })
  const ended = once(child, 'exit')
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk
      const [, found] = /Noema is ready at (\S+)/.exec(said) ?? []
      if (found) resolve(found)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', () => reject(new Error(said)))
  })
  return {
    url,
    log: () => said,
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await ended
      return code
    },
  }
}
