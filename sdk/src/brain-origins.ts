import type { Settings } from './transport.ts'

/** The origin of a Brain's client: the settings of the service, and the Brain. */
export type BrainOrigin = { settings: Settings; handle: string }

// Stored apart from the clients, so that these have only endpoints as methods.
const origins = new WeakMap<object, BrainOrigin>()

export const setBrainOrigin = (brain: object, origin: BrainOrigin): void => void origins.set(brain, origin)

export const findBrainOrigin = (brain: object): BrainOrigin | undefined => origins.get(brain)
