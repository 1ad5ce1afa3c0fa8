import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config/config.ts'
import { findSandbox, type Programs, type Sandbox } from '../../shared/isolation/bubblewrap.ts'
import { runPython } from './run-python.ts'

// Finds the sandbox of the settings, and tries it out before anything relies on it.

const service = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')

const triedSeconds = 10

/** Runs a calculation in the sandbox. Returns why it cannot be used. */
const tryOut = async (sandbox: Sandbox): Promise<string | undefined> => {
  const [one, two] = [randomInt(1_000_000), randomInt(1_000_000)]
  const code = { code: 'input[0] * input[1]', input: JSON.stringify([one, two]), files: [], now: new Date(0) }
  const { signal } = new AbortController()
  const { result, error } = await runPython(sandbox, { ...code, mayWrite: false }, { signal, seconds: triedSeconds })
  if (result === String(one * two)) return undefined
  return `${sandbox.bwrap} does not run ${sandbox.python} (${error ?? 'a wrong result'}). It needs bubblewrap 0.8 or later, and Linux must allow user namespaces, which containers often forbid`
}

/** The sandbox for Python, or why this machine has none; undefined if the settings turn it off. */
export const trySandbox = async (
  { sandbox, dataDir }: Pick<Config, 'sandbox' | 'dataDir'>,
  programs?: Programs,
): Promise<{ sandbox: Sandbox } | { missing: string } | undefined> => {
  if (sandbox === 'off') return undefined
  const found = findSandbox([service, process.cwd(), ...(dataDir === undefined ? [] : [dataDir])], programs)
  if ('missing' in found) return found
  const missing = await tryOut(found)
  return missing === undefined ? { sandbox: found } : { missing }
}
