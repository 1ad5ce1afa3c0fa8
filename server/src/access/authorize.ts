import type { Access, Capability } from '@noema/contracts/access.ts'
import { capabilities as everyCapability } from '@noema/contracts/access.ts'
import { noSuchBrain } from '../features/brain/brains/brains.ts'
import { forbidden, unauthorized } from '../shared/errors.ts'
import type { Principal } from './principal.ts'

const needsKey = () =>
  unauthorized('This call needs a key: send it as "authorization: Bearer <key>" or in the x-api-key header.')

/** What a principal may do on the Brain that its request reached. */
export const capabilitiesOf = (principal: Principal): readonly Capability[] => {
  if (principal.kind === 'management') return everyCapability
  return principal.kind === 'brain' ? principal.capabilities : []
}

const authorizeSession = (principal: Principal): void => {
  if (principal.kind === 'management' || principal.kind === 'brain')
    throw forbidden('Management keys are kept by people: sign in and send the session cookie instead of a key.')
  if (principal.kind !== 'session')
    throw unauthorized('This call needs a signed-in browser session: sign in under /api/auth and send its cookie.')
}

const authorizeManagement = (principal: Principal): void => {
  if (principal.kind === 'brain')
    throw unauthorized('This call needs a management key (nsk_…); a Brain key does not reach it.')
  if (principal.kind !== 'management') throw needsKey()
}

const authorizeOnBrain = (principal: Principal, required: readonly Capability[], handle: string): void => {
  if (principal.kind !== 'management' && principal.kind !== 'brain') throw needsKey()
  // Another Brain's handle is not told apart from one that does not exist (SUR-11).
  if (principal.brain === undefined || principal.brain.handle !== handle) throw noSuchBrain(handle)
  const held = capabilitiesOf(principal)
  const missing = required.filter((name) => !held.includes(name))
  if (missing.length > 0) throw forbidden(`This call needs ${missing.join(' and ')}; the key holds ${held.join(', ')}.`)
}

/** Decides from the contract's `access` alone whether this principal may call; throws 401, 403 or 404 where not. */
export const authorize = (access: Access, principal: Principal, handle: string | undefined): void => {
  if (access === 'public') return
  if (access === 'session') authorizeSession(principal)
  else if (access === 'management') authorizeManagement(principal)
  else if (access === 'anyone') {
    if (principal.kind === 'public') throw needsKey()
  } else authorizeOnBrain(principal, access.capabilities, handle ?? '')
}
