import type { BodyInput } from '@noema/contracts/endpoint.ts'
import type { createEval } from '@noema/contracts/evals.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { corporaQuery } from '../../data/corpora.ts'
import { useAgentList, useBrainList, useEvalList } from '../../data/use-names.ts'
import { Missing } from '../../items/missing.tsx'
import { useSession } from '../../session/session.tsx'
import { GraderList, gradersOfAgents, gradersOfReads } from '../graders/grader-list.tsx'
import { type GraderValues, newGrader, toGraderPaths } from '../graders/grader-values.ts'
import { toGrader } from '../graders/to-grader.ts'
import { CaseList } from './case-list.tsx'
import { type CaseValues, listExpectations, newCase, toCasePaths, toCases } from './case-values.ts'
import {
  listKinds,
  TargetFields,
  type TargetKind,
  type Targets,
  type TargetValues,
  targetPaths,
  toTarget,
  toTargetValues,
} from './target-fields.tsx'

type Values = TargetValues & { name: string; graders: readonly GraderValues[]; cases: readonly CaseValues[] }

/** The graders that a form starts with: of an agent its answer, of a read its items. */
const toFirstGraders = (kind: TargetKind): readonly GraderValues[] => [
  newGrader(kind === 'agent' ? 'contains' : 'found'),
]

const isUntouched = (graders: readonly GraderValues[], kind: TargetKind): boolean =>
  JSON.stringify(graders) === JSON.stringify(toFirstGraders(kind))

const toValues = (targets: Targets): Values => {
  const target = toTargetValues(targets)
  return { ...target, name: '', graders: toFirstGraders(target.kind), cases: [newCase([])] }
}

const toBody = ({ name, graders, cases, ...target }: Values): BodyInput<typeof createEval> => {
  if (graders.length === 0) throw new FieldProblem('graders', 'Add a grader: it decides which cases pass.')
  return {
    ...{ name: name.trim(), target: toTarget(target) },
    graders: graders.map((values, index) => toGrader(values, `graders[${index}]`)),
    cases: toCases(cases, graders),
  }
}

type FormProps = { targets: Targets; onClose: () => void; onMade: (id: string) => void }

const useNewEval = ({ targets, onMade }: FormProps) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  return useContractForm({
    initial: toValues(targets),
    contract: async () => (await import('@noema/contracts/evals.ts')).createEval.body,
    paths: ({ graders, cases }) => ({
      ...targetPaths,
      ...toGraderPaths('graders', graders),
      ...toCasePaths(cases),
    }),
    toBody,
    submit: async (body) => {
      const { eval: made } = await client.evals.create(body)
      await queries.invalidateQueries({ queryKey: [organization.id, 'evals'] })
      onMade(made.id)
    },
  })
}

const NewEvalForm = (props: FormProps) => {
  const { targets, onClose } = props
  const form = useNewEval(props)
  const name = useFormValue(form, 'name').trim()
  const [kind, graders] = [useFormValue(form, 'kind'), useFormValue(form, 'graders')]
  const chosen = {
    ...{ kind, agentId: useFormValue(form, 'agentId') },
    ...{ brain: useFormValue(form, 'brain'), corpus: useFormValue(form, 'corpus') },
  }
  const isTaken = useEvalList()?.some((one) => one.name === name)
  const chooseKind = (next: TargetKind) => {
    if (isUntouched(graders, kind)) form.set('graders', toFirstGraders(next))
    form.set('kind', next)
  }
  return (
    <Form form={form} submit="Create eval" onCancel={onClose}>
      <form.Text
        label="Name"
        name="name"
        required
        maxLength={200}
        autoComplete="off"
        hint={isTaken ? 'There is an eval of this name. With two, commands need the id.' : undefined}
      />
      <TargetFields targets={targets} chosen={chosen} onKind={chooseKind} />
      <form.Field name="graders">
        {({ value, set }) => (
          <GraderList
            label="Graders: a case passes if all that grade it pass"
            at="graders"
            types={kind === 'agent' ? gradersOfAgents : gradersOfReads}
            graders={value}
            onChange={set}
          />
        )}
      </form.Field>
      <form.Field name="cases">
        {({ value, set }) => <CaseList cases={value} expectations={listExpectations(graders)} onChange={set} />}
      </form.Field>
    </Form>
  )
}

/** Everything that an eval can test; undefined until it is loaded. */
const useTargets = (): Targets | undefined => {
  const [agents, brains, corpora] = [useAgentList(), useBrainList(), useQuery(corporaQuery(useSession())).data]
  return agents && brains && corpora && { agents, brains, corpora: corpora.corpora }
}

/** Creates an eval with its first cases and graders. */
export const NewEvalDialog = ({ onClose, onMade }: Omit<FormProps, 'targets'>) => {
  const targets = useTargets()
  // A form that is open stays, also if others delete everything that it could test.
  const isShown = useRef(false)
  if (targets && listKinds(targets).length > 0) isShown.current = true
  return (
    <Dialog isOpen title="New eval" onClose={onClose} size="wide">
      {!targets && <Skeleton lines={8} />}
      {targets && !isShown.current && <Missing what="Brain" />}
      {targets && isShown.current && <NewEvalForm targets={targets} onClose={onClose} onMade={onMade} />}
    </Dialog>
  )
}
