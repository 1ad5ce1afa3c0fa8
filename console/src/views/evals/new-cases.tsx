import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import type { EvalWithCases } from '../../data/evals.ts'
import { toGraderValues } from '../graders/grader-values.ts'
import { CaseList } from './case-list.tsx'
import { type CaseValues, listExpectations, newCase, refuseTakenIds, toCasePaths, toCases } from './case-values.ts'
import { useNewestCases } from './use-newest-cases.ts'

type Values = { cases: readonly CaseValues[] }

const listIds = ({ cases }: EvalWithCases): string[] => cases.map(({ id }) => id)

/** Adds cases to an eval by a new version. */
export const NewCasesForm = ({ opened, onClose }: { opened: EvalWithCases; onClose: () => void }) => {
  const save = useNewestCases(opened)
  const graders = opened.tested.graders.map(toGraderValues)
  const form = useContractForm({
    initial: { cases: [newCase(listIds(opened))] } as Values,
    contract: async () => (await import('@noema/contracts/evals.ts')).addEvalCases.body,
    paths: ({ cases }) => toCasePaths(cases),
    toBody: ({ cases }) => ({ cases: toCases(cases, graders) }),
    submit: async ({ cases }) => {
      await save(cases, (newest) => refuseTakenIds(cases, listIds(newest)))
      onClose()
    },
  })
  return (
    <Form form={form} submit="Save as a new version" onCancel={onClose}>
      <form.Field name="cases">
        {({ value, set }) => (
          <CaseList cases={value} expectations={listExpectations(graders)} taken={listIds(opened)} onChange={set} />
        )}
      </form.Field>
    </Form>
  )
}
