import { maxWaitSeconds } from '@noema/contracts/runs.ts'
import type { FastifyReply } from 'fastify'

/** The preferences of a request, from its `Prefer` header (RFC 7240). */
export type Preferences = {
  /** `handling=strict`: fields that the endpoint does not declare are refused (D-04b). */
  isStrict: boolean
  /** `wait` or `wait=<seconds>`: how long the request would wait for the end of what it begins. */
  waitSeconds: number | undefined
}

export const noPreferences: Preferences = { isStrict: false, waitSeconds: undefined }

const isStrictHandling = (preference: string): boolean => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference)

/** The seconds of a preference to wait; undefined if it is another one. */
const toWaitSeconds = (preference: string): number | undefined => {
  const found = /^\s*wait\s*(?:=\s*"?(\d{1,9})"?\s*)?(?:;|$)/i.exec(preference)
  return found ? Math.min(found[1] === undefined ? maxWaitSeconds : Number(found[1]), maxWaitSeconds) : undefined
}

export const readPreferences = (header: string | string[]): Preferences => {
  const given = String(header).split(',')
  const waits = given.flatMap((preference) => toWaitSeconds(preference) ?? [])
  return { isStrict: given.some(isStrictHandling), waitSeconds: waits[0] }
}

/** Names the preferences that were applied to a request. */
export const setAppliedPreferences = (reply: FastifyReply, applied: { isStrict: boolean; waited: boolean }): void => {
  const names = [...(applied.isStrict ? ['handling=strict'] : []), ...(applied.waited ? ['wait'] : [])]
  if (names.length > 0) reply.header('preference-applied', names.join(', '))
}
