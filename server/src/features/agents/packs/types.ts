import type { AgentAccess } from '@noema/contracts/agents.ts'
import type { Operation } from '@noema/contracts/batch.ts'
import type { schemaKind } from '@noema/contracts/schema-kinds.ts'
import type { z } from 'zod'

/** A kind that a pack declares. */
type PackKind = z.input<typeof schemaKind> & { description: string }

/** An agent of a pack; its model is chosen at the install. */
type PackAgent = {
  name: string
  description: string
  instructions: string
  access: AgentAccess
  outputSchema?: { [name: string]: unknown }
}

/** The cause that starts an agent of the pack: an act on things of these kinds. */
type PackTrigger = {
  name: string
  agent: string
  expectedOutcome: string
  requiredAccess: AgentAccess
  entityKinds: readonly string[]
}

/** A pack, as its file says it. */
export type PackFile = {
  name: string
  title: string
  description: string
  /** The purpose of the Brain if the install makes it. */
  purpose: string
  kinds: readonly PackKind[]
  agents: readonly PackAgent[]
  triggers: readonly PackTrigger[]
  sample: readonly Operation[]
}
