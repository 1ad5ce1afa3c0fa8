import type { BodyInput } from '@noema/contracts/endpoint.ts'
import type { Eval, patchEval } from '@noema/contracts/evals.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { useVersionedSave } from '../../components/use-versioned-save.ts'
import { VersionConflict } from '../../components/version-conflict.tsx'
import { useSession } from '../../session/session.tsx'
import { GraderList, gradersOfAgents, gradersOfReads } from '../graders/grader-list.tsx'
import { type GraderValues, toGraderPaths, toGraderValues } from '../graders/grader-values.ts'
import { toGrader } from '../graders/to-grader.ts'

type Values = { name: string; graders: readonly GraderValues[] }

const toValues = ({ name, graders }: Eval): Values => ({ name, graders: graders.map(toGraderValues) })

const toBody = ({ name, graders }: Values): BodyInput<typeof patchEval> => {
  if (graders.length === 0) throw new FieldProblem('graders', 'Add a grader: it decides which cases pass.')
  return { name: name.trim(), graders: graders.map((values, index) => toGrader(values, `graders[${index}]`)) }
}

/** The parts that someone else can change meanwhile, as the conflict shows them. */
const toFields = ({ name, graders, cases }: Eval) => ({
  name,
  cases,
  ...Object.fromEntries(graders.map((grader) => [`grader ${grader.name ?? grader.type}`, grader])),
})

const EvalForm = ({ tested, onClose }: { tested: Eval; onClose: () => void }) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const { base, theirs, save } = useVersionedSave({
    opened: tested,
    read: async () => (await client.evals.get(tested.id)).eval,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: [organization.id, 'evals'] })
  const form = useContractForm({
    initial: toValues(base),
    contract: async () => (await import('@noema/contracts/evals.ts')).patchEval.body,
    paths: ({ graders }) => toGraderPaths('graders', graders),
    toBody,
    edits: {},
    submit: async (_body, _values, changed) => {
      await save((version) => client.evals.patch(tested.id, { ...changed, version }))
      await refresh()
      onClose()
    },
  })
  return (
    <Form
      form={form}
      submit="Save as a new version"
      onCancel={onClose}
      renderFailure={(error) => (
        <VersionConflict
          error={error}
          what="eval"
          before={toFields(base)}
          after={theirs?.current && toFields(theirs.current)}
          onKeepTheirs={() => void refresh().then(onClose)}
        />
      )}
    >
      <form.Text label="Name" name="name" required maxLength={200} autoComplete="off" />
      <form.Field name="graders">
        {({ value, set }) => (
          <GraderList
            label="Graders: a case passes if all that grade it pass"
            at="graders"
            types={'agentId' in base.target ? gradersOfAgents : gradersOfReads}
            graders={value}
            onChange={set}
          />
        )}
      </form.Field>
    </Form>
  )
}

/** Changes the name and the graders of an eval by a new version. Runs keep the version that they began with. */
export const EvalDialog = ({ tested, onClose }: { tested: Eval; onClose: () => void }) => (
  <Dialog isOpen title={`Edit ${tested.name}`} onClose={onClose} size="wide">
    <EvalForm tested={tested} onClose={onClose} />
  </Dialog>
)
