import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Part } from './document.ts'

// Specmatic, an independent checker of OpenAPI documents, as a program of Java. It starts once for each operation, because it
// spends all its time on the first of several; what makes a start cheap is therefore worth its lines.

const checker = 'specmatic@2.55.1'
/** The share of Specmatic's possible combinations in the bodies of one operation. */
const combinations = '20'
const startMilliseconds = 90_000
const statusRule = 'R0002'

const environment = {
  ...{ bearer: 'key', SPECMATIC_GENERATIVE_TESTS: 'true', MAX_TEST_REQUEST_COMBINATIONS: combinations },
}
/** A short program: compile quickly, and collect garbage without helper threads. */
const javaFlags = ['-Xmx700m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

const findJar = async (): Promise<string> => {
  const { stdout } = await promisify(execFile)('npm', [
    ...['exec', '--yes', `--package=${checker}`, '--call', 'command -v specmatic'],
  ])
  return join(await realpath(stdout.trim()), '../../../specmatic.jar')
}

type Watched = { firstRequest: Promise<unknown>; seconds: number }

/** Runs Java until it ends by itself, or for so many seconds from its first request on. */
const runJava = async (args: readonly string[], cwd: string, log: string, { firstRequest, seconds }: Watched) => {
  const child = spawn('java', [...javaFlags, ...args], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout.pipe(createWriteStream(log))
  const end = () => void child.kill('SIGTERM')
  let timer = setTimeout(end, startMilliseconds)
  void firstRequest.then(() => {
    clearTimeout(timer)
    timer = setTimeout(end, seconds * 1000)
  })
  await once(child, 'close')
  clearTimeout(timer)
}

/**
 * Prepares the checker to try operations of the service at an address, each for a number of seconds. Trying one returns the
 * rules that it found broken, except those of statuses: it expects a success from any generated request.
 */
export const openChecker = async (folder: string, address: string, seconds: number) => {
  const jar = await findJar()
  const archive = join(folder, 'classes.jsa')
  const tryPart = async (part: Part, firstRequest: Promise<unknown>, sharing: string): Promise<string[]> => {
    const [described, log] = [join(folder, `${part.operation}.json`), join(folder, `${part.operation}.log`)]
    await writeFile(described, JSON.stringify(part.document))
    const args = [sharing, '-jar', jar, 'test', described, `--testBaseURL=${address}`]
    await runJava(args, folder, log, { firstRequest, seconds })
    const rules = [...(await readFile(log, 'utf8')).matchAll(/^\s+(R\d{4}): /gm)].map(([, rule = '']) => rule)
    return rules.filter((rule) => rule !== statusRule)
  }
  return {
    /** Tries an operation once and keeps the classes that Java loaded, which every later start then finds ready. */
    warmUp: (part: Part) => tryPart(part, new Promise(() => {}), `-XX:ArchiveClassesAtExit=${archive}`),
    try: (part: Part, firstRequest: Promise<unknown>) =>
      tryPart(part, firstRequest, `-XX:SharedArchiveFile=${archive}`),
  }
}
