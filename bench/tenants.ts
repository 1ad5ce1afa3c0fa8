import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readParent } from './parts/child.ts'
import type { Noema } from './parts/noema.ts'
import { type ScratchDatabase, type ScratchPostgres, startScratchPostgres } from './parts/scratch-postgres.ts'
import { type Receiver, startHangingServer, startReceiverServer } from './parts/tenants.ts'
import { trustedOrigin } from './tenants/account.ts'
import { attacks } from './tenants/attacker.ts'
import { describeProcessorTime, readProcessorTime, type Watched } from './tenants/processor-time.ts'
import { createVictim, type Victim } from './tenants/victim.ts'
import { describeTurns, startWatched, type WatchedNode } from './tenants/watched-node.ts'
import { joinWindows, operations, sumUp, type Window } from './tenants/windows.ts'

// The effect of one tenant on another on one node. See README.md.

const usage = `node bench/tenants.ts [${attacks.map(({ name }) => name).join(' | ')} | all …]
  --seconds <n>   how long a window is measured (4)
  --rounds <n>    how many windows undisturbed, and then how many disturbed (7)
  --rest <n>      seconds after the attack until memory is read again (0)
  --turns         names what took the longest turns of the node's main thread; slows the node

${attacks.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`).join('\n')}
  all        all of them at once`

const options = {
  seconds: { type: 'string', default: '4' },
  rounds: { type: 'string', default: '7' },
  rest: { type: 'string', default: '0' },
  turns: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const maxRatio = 3
/** Milliseconds: of the worst probe, and of CPU of the longest turn of the main thread. */
const maxLive = 200
const maxTurn = 50
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const startAttacker = () => {
  const child: ChildProcess = fork(fileURLToPath(new URL('tenants/attacker.ts', import.meta.url)), { execArgv: [] })
  // A real attacker has its own machine: the work that it causes on the node counts, not its own use of this processor.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  return {
    pid: child.pid ?? 0,
    send: async (order: object): Promise<void> => {
      const answer = once(child, 'message')
      child.send(order)
      const [{ error }] = (await answer) as [{ error?: string }]
      if (error !== undefined) throw new Error(`the attacker failed: ${error}`)
    },
    stop: () => void child.kill('SIGKILL'),
  }
}

const row = (cells: readonly string[]): string =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(22) : cell.padStart(12))).join('')

type Harm = { disturbed: Window; longest: number; memory: string }

const report = (name: string, quiet: Window, { disturbed, longest, memory }: Harm): boolean => {
  let isMet = disturbed.failures === 0 && longest <= maxTurn
  for (const operation of operations) {
    const [before, after] = [sumUp(quiet.times[operation]), sumUp(disturbed.times[operation])]
    const ratio = after.p99 / before.p99
    // The probe of the process itself has a goal of its own.
    if (operation === 'live' ? !(after.max <= maxLive) : !(ratio <= maxRatio)) isMet = false
    const figures = [before.p50, before.p99, after.p50, after.p99].map((value) => value.toFixed(1))
    say(row([`${name} ${operation}`, ...figures, ratio.toFixed(1), after.max.toFixed(1)]))
  }
  const failed = [...new Set([...quiet.examples, ...disturbed.examples].map((one) => one.replaceAll(/\d{3,}/g, '…')))]
    .slice(0, 3)
    .join(' | ')
  say(
    `the client itself was late by ${quiet.late.toFixed(0)} ms at its p99 undisturbed, by ${disturbed.late.toFixed(0)} ms during`,
  )
  say(
    `${name}: ${isMet ? 'met' : 'NOT MET'}; ${disturbed.failures} failures (${quiet.failures} undisturbed), longest turn ${longest.toFixed(0)} ms of CPU, ${memory}${failed && `; ${failed}`}\n`,
  )
  return isMet
}

/** Waits until a node that was attacked answers quickly again, but not for ever: what lasts is part of the harm. */
const settle = async ({ port }: Noema): Promise<void> => {
  const until = performance.now() + 10_000
  for (let quick = 0; quick < 10 && performance.now() < until; ) {
    const began = performance.now()
    await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined)
    quick = performance.now() - began < 30 ? quick + 1 : 0
    await delay(100)
  }
}

type Measured = {
  noema: Noema
  watch: WatchedNode['watch']
  isProfiled: boolean
  postgres: number
  victim: Victim
  hanging: Receiver
  seconds: number
  rounds: number
  rest: number
}

/** Measures a window, and says who had the processors meanwhile. */
const measureWindow = async (
  name: string,
  { victim, seconds, watch, isProfiled }: Measured,
  watched: Watched,
): Promise<Window & { longest: number }> => {
  const [before, began] = [readProcessorTime(watched), performance.now()]
  const [window, turns] = await watch(() => victim.measure(seconds))
  if (isProfiled) say(`${name}, longest turns of the main thread:\n${describeTurns(turns)}`)
  const took = (performance.now() - began) / 1_000
  say(`${name}, ms a second that ran (waited): ${describeProcessorTime(before, readProcessorTime(watched), took)}`)
  return { ...window, longest: turns.blocks[0]?.milliseconds ?? 0 }
}

/** The process that PostgreSQL's processes for connections are children of. */
const findPostgres = async ({ pool }: ScratchDatabase): Promise<number> => {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  return readParent(rows[0]?.pid ?? 0) ?? 0
}

/** The undisturbed window comes first: the remaining work of an attack would disturb a later window. */
const measure = async (name: string, measured: Measured): Promise<boolean> => {
  const { noema, postgres, victim, hanging, rounds } = measured
  const attacker = startAttacker()
  const watched = { node: noema.pid, postgres, victim: victim.pid, attacker: attacker.pid }
  const names = name === 'all' ? attacks.map((attack) => attack.name) : [name]
  const quiet: Window[] = []
  const disturbed: (Window & { longest: number })[] = []
  const megabytes = [noema.residentMegabytes() ?? 0]
  try {
    await attacker.send({ do: 'prepare', names, port: noema.port, means: { hangingHook: hanging.hook } })
    await victim.measure(1)
    for (let round = 0; round < rounds; round++)
      quiet.push(await measureWindow(`${name} undisturbed`, measured, watched))
    for (let round = 0; round < rounds; round++) {
      await attacker.send({ do: 'begin' })
      await delay(500)
      disturbed.push(await measureWindow(`${name} during`, measured, watched))
      megabytes.push(noema.residentMegabytes() ?? 0)
      await attacker.send({ do: 'stop' })
      await settle(noema)
    }
    await delay(measured.rest * 1_000)
  } finally {
    attacker.stop()
    victim.stop()
  }
  const [first = 0, ...later] = megabytes
  const figures = [first, Math.max(...later), noema.residentMegabytes() ?? 0].map((one) => one.toFixed(0))
  const memory = `${figures.join(', ')} MB resident before, at most and ${measured.rest} s later`
  const longest = Math.max(...disturbed.map((window) => window.longest))
  return report(name, joinWindows(quiet), { disturbed: joinWindows(disturbed), longest, memory })
}

/** A node and a database of its own for each attack: nothing is left of the one before. */
const measureOn = async (
  postgres: ScratchPostgres,
  name: string,
  effort: { seconds: number; rounds: number; rest: number; turns: boolean },
): Promise<boolean> => {
  const database = await postgres.createDatabase(`tenants_${name.replaceAll(/\W/g, '_')}`)
  const { turns: isProfiled } = effort
  const settings = {
    ...{ NOEMA_WEBHOOK_ALLOW: '127.0.0.1:*', NOEMA_PROVIDER_ALLOW: '127.0.0.1:*' },
    NOEMA_TRUSTED_ORIGINS: trustedOrigin,
  }
  const { noema, watch } = await startWatched(database, settings, isProfiled)
  const [receiver, hanging] = [await startReceiverServer(), await startHangingServer()]
  try {
    const victim = await createVictim(noema, database, receiver)
    return await measure(name, {
      noema,
      watch,
      isProfiled,
      postgres: await findPostgres(database),
      victim,
      hanging,
      ...effort,
    })
  } finally {
    await receiver.stop()
    await hanging.stop()
    await noema.stop()
  }
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return say(usage)
  const known = [...attacks.map(({ name }) => name), 'all']
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no attack ${unknown.join(', ')}.\n${usage}`)
  const postgres = await startScratchPostgres()
  process.once('SIGINT', () => void postgres.stop().finally(() => process.exit(130)))
  const missed: string[] = []
  try {
    say(row(['milliseconds', 'p50 before', 'p99 before', 'p50 during', 'p99 during', 'ratio', 'worst']))
    for (const name of positionals.length === 0 ? known : positionals) {
      const effort = {
        seconds: Number(values.seconds),
        rounds: Number(values.rounds),
        rest: Number(values.rest),
        turns: values.turns,
      }
      if (!(await measureOn(postgres, name, effort))) missed.push(name)
    }
  } finally {
    await postgres.stop()
  }
  say(
    missed.length === 0
      ? `All met: at most ${maxRatio} times the undisturbed p99, probes within ${maxLive} ms, no turn above ${maxTurn} ms of CPU, no 5xx.`
      : `Not met: ${missed.join(', ')}.`,
  )
}

await main()
