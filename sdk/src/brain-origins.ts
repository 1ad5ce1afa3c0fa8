import type { Settings } from './transport.ts'

/** Where the client of a Brain came from: what it reaches the service by, and its Brain. */
export type BrainOrigin = { settings: Settings; handle: string }

// Kept beside the clients, so that they have endpoints as methods and nothing else.
const origins = new WeakMap<object, BrainOrigin>()

export const setBrainOrigin = (brain: object, origin: BrainOrigin): void => void origins.set(brain, origin)

export const findBrainOrigin = (brain: object): BrainOrigin | undefined => origins.get(brain)
