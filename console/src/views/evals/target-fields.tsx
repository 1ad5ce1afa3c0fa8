import type { Agent } from '@noema/contracts/agents.ts'
import type { Brain } from '@noema/contracts/brains.ts'
import type { Corpus } from '@noema/contracts/corpora.ts'
import type { BodyInput } from '@noema/contracts/endpoint.ts'
import type { createEval } from '@noema/contracts/evals.ts'
import { RadioGroup } from '../../components/choices.tsx'
import { fields } from '../../components/form/fields.tsx'
import { withChosen } from '../../components/form/with-chosen.ts'

// The target of a new eval in its form: an agent, or reads of a Brain or a corpus.

export type TargetKind = 'agent' | 'brain' | 'corpus'
export type TargetValues = {
  kind: TargetKind
  agentId: string
  brain: string
  corpus: string
  read: 'search' | 'context'
}

/** All that an eval can test. */
export type Targets = { agents: readonly Agent[]; brains: readonly Brain[]; corpora: readonly Corpus[] }

const kinds = [
  { value: 'agent', name: 'An agent' },
  { value: 'brain', name: 'A Brain' },
  { value: 'corpus', name: 'A corpus' },
] as const

const reads = [
  { value: 'search', name: 'search', hint: 'Its results.' },
  { value: 'context', name: 'context', hint: 'The text that a model gets.' },
] as const

/** The kinds of targets that there are, and the chosen one. */
export const listKinds = ({ agents, brains, corpora }: Targets, chosen?: TargetKind) => {
  const counts = { agent: agents.length, brain: brains.length, corpus: corpora.length }
  return kinds.filter(({ value }) => counts[value] > 0 || value === chosen)
}

/** The first target of a form. */
export const toTargetValues = (targets: Targets): TargetValues => ({
  kind: listKinds(targets)[0]?.value ?? 'agent',
  agentId: targets.agents[0]?.id ?? '',
  brain: targets.brains[0]?.handle ?? '',
  corpus: targets.corpora[0]?.name ?? '',
  read: 'search',
})

/** The positions of the values of a target in the body. */
export const targetPaths = {
  ...{ agentId: 'target.agentId', brain: 'target.brain', corpus: 'target.corpus', read: 'target.read' },
}

export const toTarget = (values: TargetValues): BodyInput<typeof createEval>['target'] => {
  const { kind, agentId, brain, corpus, read } = values
  if (kind === 'agent') return { agentId }
  return kind === 'brain' ? { brain, read } : { corpus, read }
}

type FieldsProps = { targets: Targets; chosen: Omit<TargetValues, 'read'>; onKind: (kind: TargetKind) => void }

/** The choice of a target. */
export const TargetFields = ({ targets, chosen, onKind }: FieldsProps) => {
  const { agents, brains, corpora } = targets
  const { kind, agentId, brain, corpus } = chosen
  const options = {
    agent: withChosen(
      agents.map(({ id, name }) => ({ value: id, name })),
      agentId,
      'An archived agent',
    ),
    brain: withChosen(
      brains.map(({ handle }) => ({ value: handle, name: handle })),
      brain,
      `${brain} (deleted)`,
    ),
    corpus: withChosen(
      corpora.map(({ name }) => ({ value: name, name })),
      corpus,
      `${corpus} (deleted)`,
    ),
  }
  return (
    <>
      <RadioGroup label="What it tests" options={listKinds(targets, kind)} value={kind} onChange={onKind} isSegments />
      {kind === 'agent' && <fields.Select label="Agent" name="agentId" options={options.agent} />}
      {kind === 'brain' && <fields.Select label="Brain" name="brain" options={options.brain} />}
      {kind === 'corpus' && <fields.Select label="Corpus" name="corpus" options={options.corpus} />}
      {kind !== 'agent' && <fields.Radio label="How it is read" name="read" options={reads} />}
    </>
  )
}
