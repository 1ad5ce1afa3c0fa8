import type { Context, Finding, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { printable, writeJson, writeStyledLine } from '../output.ts'
import { createStyle } from '../style.ts'

const probeMilliseconds = 3_000

/** Checks whether Noema answers at this address: only it refuses a call without a key in this form. */
const isService = async (url: string): Promise<boolean> => {
  const signal = AbortSignal.timeout(probeMilliseconds)
  const response = await fetch(`${url}/v1/whoami`, { signal }).catch(() => undefined)
  if (response?.status !== 401 || !response.headers.has('x-request-id')) return false
  const text = await response.text().catch(() => '')
  return text.startsWith('{"error":{"kind":"unauthorized"')
}

const marks = { ok: ['green', 'ok'], warning: ['yellow', 'warning'], failed: ['red', 'failed'] } as const

/** Checks the installation, and prints the result and advice of each check. Exits 1 if something does not work. */
export const doctor = async (context: Context, options: GlobalOptions): Promise<number> => {
  const { stdout, env, cwd } = context
  const findings = await (await context.loadDoctor()).examine({ env, cwd, isService })
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length
  if (options.json) await writeJson(stdout, { ok: count('failed') === 0, findings })
  else {
    const style = createStyle(stdout, env)
    for (const { check, status, message, fix } of findings) {
      const [color, word] = marks[status]
      await writeStyledLine(stdout, `${style(color, word.padEnd(7))}  ${printable(`${check}: ${message}`)}`)
      if (fix !== undefined) await writeStyledLine(stdout, `         ${style('bold', printable(fix))}`)
    }
    const [bad, doubtful] = [count('failed'), count('warning')]
    const verdict = bad > 0 ? `${bad} of ${findings.length} checks failed` : 'Everything works'
    await writeStyledLine(stdout, `\n${verdict}${doubtful > 0 ? `, ${doubtful} to look at` : ''}.`)
  }
  return count('failed') > 0 ? exitCodes.unexpected : exitCodes.ok
}
