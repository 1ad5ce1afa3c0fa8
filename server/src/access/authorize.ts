import type { Access, Capability } from '@noema/contracts/access.ts'
import { capabilities as everyCapability } from '@noema/contracts/access.ts'
import { noSuchBrain } from '../features/brain/brains/brains.ts'
import { forbidden, unauthorized } from '../shared/errors.ts'
import type { Caller } from './caller.ts'

const needsKey = () =>
  unauthorized('This call needs a key: send it as "authorization: Bearer <key>" or in the x-api-key header.')

/** What a caller may do on the Brain that its request reached. */
export const capabilitiesOf = (caller: Caller): readonly Capability[] => {
  if (caller.kind === 'management') return everyCapability
  return caller.kind === 'brain' ? caller.capabilities : []
}

const authorizeSession = (caller: Caller): void => {
  if (caller.kind === 'management' || caller.kind === 'brain')
    throw forbidden('Management keys are kept by people: sign in and send the session cookie instead of a key.')
  if (caller.kind !== 'session')
    throw unauthorized('This call needs a signed-in browser session: sign in under /api/auth and send its cookie.')
}

const authorizeManagement = (caller: Caller): void => {
  if (caller.kind === 'brain')
    throw unauthorized('This call needs a management key (nsk_…); a Brain key does not reach it.')
  if (caller.kind !== 'management') throw needsKey()
}

const authorizeOnBrain = (caller: Caller, required: readonly Capability[], handle: string): void => {
  if (caller.kind !== 'management' && caller.kind !== 'brain') throw needsKey()
  // Another Brain's handle is not told apart from one that does not exist (SUR-11).
  if (caller.brain === undefined || caller.brain.handle !== handle) throw noSuchBrain(handle)
  const held = capabilitiesOf(caller)
  const missing = required.filter((name) => !held.includes(name))
  if (missing.length > 0) throw forbidden(`This call needs ${missing.join(' and ')}; the key holds ${held.join(', ')}.`)
}

/** Decides from the contract's `access` alone whether this caller may call; throws 401, 403 or 404 where not. */
export const authorize = (access: Access, caller: Caller, handle: string | undefined): void => {
  if (access === 'public') return
  if (access === 'session') authorizeSession(caller)
  else if (access === 'management') authorizeManagement(caller)
  else if (access === 'anyone') {
    if (caller.kind === 'public') throw needsKey()
  } else authorizeOnBrain(caller, access.capabilities, handle ?? '')
}
