import { trySandbox } from '../agent-runtime/code/open-sandbox.ts'
import type { Programs } from '../shared/isolation/bubblewrap.ts'
import { type Finding, failed, isOk, type Subject } from './finding.ts'

const check = 'Sandbox'

/** Checks the sandbox for Python of agents by a calculation; no finding where the settings turn it off. */
export const checkSandbox = async ({ config }: Subject, programs?: Programs): Promise<Finding[]> => {
  const tried = await trySandbox(config, programs)
  if (!tried) return []
  if ('missing' in tried)
    return [
      failed(
        check,
        `Python of agents cannot run: ${tried.missing}.`,
        'Install what is missing, or unset NOEMA_SANDBOX.',
      ),
    ]
  return [isOk(check, `${tried.sandbox.bwrap} runs ${tried.sandbox.python}.`)]
}
