import type { startDistillation } from '@noema/contracts/distillations.ts'
import type { BodyInput } from '@noema/contracts/endpoint.ts'
import { FieldProblem } from '../../components/form/problems.ts'
import { toIso } from '../../local-time.ts'

// The values of the form of a distillation, and the request that they make.

type Body = BodyInput<typeof startDistillation>
export type Outcome = NonNullable<Body['from']['outcome']>[number]

export type Values = {
  into: string
  /** Only runs of this agent; empty for all. */
  ofAgent: string
  /** The ids of runs, one a line; empty for all. */
  runs: string
  since: string
  outcomes: readonly Outcome[]
  lesson: boolean
  skill: boolean
  /** The agent whose model words the lessons; empty for none. */
  model: string
  allowWider: boolean
}

/** The positions of the values in the body. */
export const paths = {
  ...{ into: 'into.brain', ofAgent: 'from.agentId', runs: 'from.runs', since: 'from.since' },
  ...{ outcomes: 'from.outcome', lesson: 'produce' },
}

const toSince = (since: string): string | undefined => {
  if (since === '') return undefined
  const iso = toIso(since)
  if (iso === undefined) throw new FieldProblem('since', 'Enter a date and a time.')
  return iso
}

/** The request of a form. */
export const toBody = ({ into, ofAgent, runs, since, outcomes, lesson, skill, model, allowWider }: Values): Body => {
  if (into === '') throw new FieldProblem('into', 'Choose a Brain.')
  if (!lesson && !skill) throw new FieldProblem('lesson', 'Choose lessons, skills or both.')
  const ids = runs.split(/\s+/).filter((id) => id !== '')
  const from = toSince(since)
  return {
    from: {
      ...(ofAgent !== '' && { agentId: ofAgent }),
      ...(ids.length > 0 && { runs: ids }),
      ...(from !== undefined && { since: from }),
      ...(outcomes.length > 0 && { outcome: [...outcomes] }),
    },
    into: { brain: into },
    produce: [...(lesson ? (['lesson'] as const) : []), ...(skill ? (['skill'] as const) : [])],
    ...(model !== '' && { model }),
    allowWider,
  }
}
