import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { findFreePort } from '../server/src/test/free-port.ts'

// A newcomer's machine: a checkout, one terminal with the service, and another one for the commands.

const root = new URL('../', import.meta.url)

type Environment = Record<string, string | undefined>

/** A folder that PostgreSQL's user can enter, who is a different user if the tests run as root. */
const makePlace = (): string => {
  const place = mkdtempSync(join(tmpdir(), 'noema-readme-'))
  chmodSync(place, 0o755)
  return place
}

/** The environment of a terminal without this test run's variables, with the service's folder and port. */
const newcomersEnvironment = (given: Environment, ours: Environment): Environment => {
  const kept = Object.entries(given).filter(([name]) => !/^(noema_|npm_|vitest|node_|test$)/i.test(name))
  const path = given.PATH?.split(':').filter((folder) => !folder.endsWith('node_modules/.bin'))
  // The compile cache does not matter here.
  const { NODE_COMPILE_CACHE } = given
  return {
    ...Object.fromEntries(kept),
    NODE_COMPILE_CACHE,
    PATH: path?.join(':'),
    npm_config_update_notifier: 'false',
    ...ours,
  }
}

/**
 * Runs `npm start`; `ready` resolves when it reports that it is ready. `stop` is Ctrl-C and resolves when all processes
 * have exited.
 */
const startService = (env: Environment) => {
  // A separate process group, as a terminal creates one for each command.
  const npm = spawn('npm', ['start'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const closed = once(npm, 'close')
  const saysReady = new Promise<void>((resolve) => {
    for (const stream of [npm.stdout, npm.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('Noema is ready at ')) resolve()
      })
  })
  const signal = (name: NodeJS.Signals) => {
    if (npm.pid !== undefined && npm.exitCode === null && npm.signalCode === null) process.kill(-npm.pid, name)
  }
  const endsEarly = closed.then(() => Promise.reject(new Error(`npm start ended:\n${output}`)))
  return {
    ready: Promise.race([saysReady, endsEarly]),
    output: () => output,
    stop: async () => {
      signal('SIGINT')
      const cut = setTimeout(() => signal('SIGKILL'), 40_000)
      await closed
      clearTimeout(cut)
    },
  }
}

const collect = (stream: NonNullable<ChildProcess['stdout']>) => {
  let text = ''
  let heard = () => {}
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part
    heard()
  })
  return async (marker: string): Promise<string> => {
    while (!text.includes(marker))
      await new Promise<void>((resolve) => {
        heard = resolve
      })
    const [before = '', ...rest] = text.split(marker)
    text = rest.join(marker)
    return before
  }
}

/** Opens a bash that runs one command after the other, as a person would type them: what one sets, the next one finds. */
export const openShell = (env: Environment, place: string) => {
  const bash = spawn('bash', ['--noprofile', '--norc'], { cwd: root, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const stdoutUntil = collect(bash.stdout)
  const stderrUntil = collect(bash.stderr)
  let runs = 0
  return {
    run: async (commands: string): Promise<{ stdout: string; stderr: string; status: number }> => {
      const script = join(place, `commands-${++runs}.sh`)
      const end = `=== end of ${script} ===`
      writeFileSync(script, commands)
      bash.stdin.write(`. '${script}' </dev/null; printf '%s%s\\n' '${end}' $?; printf '%s\\n' '${end}' >&2\n`)
      const stdout = await stdoutUntil(end)
      const status = Number(await stdoutUntil('\n'))
      const stderr = await stderrUntil(`${end}\n`)
      return { stdout, stderr, status }
    },
    close: async () => {
      bash.stdin.end()
      if (bash.exitCode === null) await once(bash, 'close')
    },
  }
}

/** The commands of a page that carry a name. */
export const findCommands = (page: string, name: string): string => {
  const block = new RegExp(`^\`\`\`sh name=${name}\\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1]
  if (block === undefined) throw new Error(`The page has no commands named ${name}.`)
  return block
}

type Newcomer = {
  place: string
  base: string
  service: ReturnType<typeof startService>
  shell: ReturnType<typeof openShell>
}

/** A newcomer for a test file: the service in one terminal, on a separate port and folder, and a shell in another. */
export const useNewcomer = (): Newcomer => {
  const newcomer = {} as Newcomer
  beforeAll(async () => {
    const place = makePlace()
    newcomer.place = place
    const port = await findFreePort()
    newcomer.base = `http://127.0.0.1:${port}`
    const env = newcomersEnvironment(process.env, {
      NOEMA_DATA_DIR: join(place, 'data'),
      NOEMA_PORT: String(port),
      NOEMA_BASE_URL: newcomer.base,
      TMPDIR: place,
    })
    newcomer.service = startService(env)
    await newcomer.service.ready
    newcomer.shell = openShell(env, place)
  }, 120_000)
  afterAll(async () => {
    const { place, service, shell } = newcomer as Partial<Newcomer>
    await shell?.close()
    await service?.stop()
    if (place) rmSync(place, { recursive: true, force: true })
  }, 120_000)
  return newcomer
}
