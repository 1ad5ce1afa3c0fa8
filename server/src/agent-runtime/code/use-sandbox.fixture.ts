import { beforeEach } from 'vitest'
import { trySandbox } from './open-sandbox.ts'

// The sandbox of tests. On a machine without one, each test is skipped and names the reason.

const tried = await trySandbox({ sandbox: 'bwrap', dataDir: undefined })

/** The settings of an app with Python, or without it where this machine has no sandbox. */
export const sandboxSettings: { NOEMA_SANDBOX?: string } = tried && 'sandbox' in tried ? { NOEMA_SANDBOX: 'bwrap' } : {}

/** The sandbox. Tests of a file that uses it are skipped without one. */
export const useSandbox = () => {
  beforeEach(({ skip }) => {
    if (!tried || 'missing' in tried) skip(`Python runs only in a sandbox: ${tried?.missing}`)
  })
  return () => {
    if (!tried || 'missing' in tried) throw new Error('This machine has no sandbox.')
    return tried.sandbox
  }
}
