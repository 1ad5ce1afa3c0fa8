import type { EvalCase } from '@noema/contracts/evals.ts'
import { useRef } from 'react'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { TakenVersion } from '../../components/use-versioned-save.ts'
import { VersionConflict } from '../../components/version-conflict.tsx'
import type { EvalWithCases } from '../../data/evals.ts'
import { toGraderValues } from '../graders/grader-values.ts'
import { CaseFields } from './case-list.tsx'
import { type CaseValues, listExpectations, toCasePaths, toCaseValues, toEditedCase, toGiven } from './case-values.ts'
import { useNewestCases } from './use-newest-cases.ts'

type Values = { cases: readonly CaseValues[] }

/** The parts of a case, as a conflict shows them. */
const toParts = ({ input, expected }: EvalCase) => ({ input, ...toGiven(expected) })

const isSame = (one: EvalCase | undefined, other: EvalCase | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

type FormProps = { opened: EvalWithCases; one: EvalCase; onClose: () => void }

/** Changes the question of a case and what is expected of its answer. Anything else about it stays. */
export const EditCaseForm = ({ opened, one, onClose }: FormProps) => {
  const save = useNewestCases(opened)
  const seen = useRef<EvalCase | undefined>(one)
  const graders = opened.tested.graders.map(toGraderValues)
  /** Throws if someone else changed or removed this case since the person saw it. */
  const check = ({ cases }: EvalWithCases) => {
    const current = cases.find(({ id }) => id === one.id)
    if (isSame(current, seen.current)) return
    seen.current = current
    throw new TakenVersion('Someone else changed this case.')
  }
  const form = useContractForm({
    initial: { cases: [toCaseValues(one)] } as Values,
    contract: async () => (await import('@noema/contracts/evals.ts')).addEvalCases.body,
    paths: ({ cases }) => toCasePaths(cases),
    toBody: ({ cases }) => ({ cases: cases.map((values) => toEditedCase(values, one, graders)) }),
    submit: async ({ cases }) => {
      await save(cases, check)
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
          what="case"
          before={toParts(one)}
          after={seen.current && toParts(seen.current)}
          onKeepTheirs={onClose}
        />
      )}
    >
      <CaseFields at="cases[0]" expectations={listExpectations(graders)} />
    </Form>
  )
}
