import type { ActorSummary } from '@noema/contracts/common.ts'
import { Who } from './who.tsx'

const names = { key: 'key', run: 'another run', system: 'the service' }

/** An actor in words: a person by name, anything else by type. */
export const ActorName = ({ actor: { type, id } }: { actor: ActorSummary }) =>
  type === 'session' ? <Who id={id} /> : names[type]
