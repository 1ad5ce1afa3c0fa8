import type { Goal } from '@noema/contracts/goals.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { useSession } from '../../session/session.tsx'
import { type BudgetValues, budgetPaths, toBudget, toBudgetValues } from './budget.ts'
import { BudgetFields } from './budget-fields.tsx'

type ActProps = { goal: Goal; onClose: () => void }

const useRefresh = () => {
  const { organization } = useSession()
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: [organization.id, 'goals'] })
}

/** Changes the budget of a goal. An exhausted one goes on if it allows another attempt. */
export const BudgetDialog = ({ goal, onClose }: ActProps) => {
  const { client } = useSession()
  const refresh = useRefresh()
  const form = useContractForm({
    initial: toBudgetValues(goal.budget) as BudgetValues,
    contract: async () => (await import('@noema/contracts/goals.ts')).patchGoal.body,
    paths: budgetPaths,
    toBody: (values) => ({ budget: toBudget(values) }),
    edits: { merged: ['budget'] },
    submit: async (_body, _values, { budget = {} }) => {
      await client.goals.patch(goal.id, { budget })
      await refresh()
      onClose()
    },
  })
  return (
    <Dialog isOpen title="Change the budget" onClose={onClose} size="small">
      <Form form={form} submit="Save" onCancel={onClose}>
        {goal.state === 'exhausted' && <p>The goal goes on if the budget allows another attempt.</p>}
        <BudgetFields form={form} />
      </Form>
    </Dialog>
  )
}

/** Resumes a goal, with advice to the next attempt if the person has any. */
export const ResumeDialog = ({ goal, onClose }: ActProps) => {
  const { client } = useSession()
  const refresh = useRefresh()
  const form = useContractForm({
    initial: { advice: '' },
    contract: async () => (await import('@noema/contracts/goals.ts')).resumeGoal.body,
    toBody: ({ advice }) => (advice.trim() === '' ? {} : { advice: advice.trim() }),
    submit: async (body) => {
      await client.goals.resume(goal.id, body)
      await refresh()
      onClose()
    },
  })
  return (
    <Dialog isOpen title="Resume this goal" onClose={onClose} size="small">
      <Form form={form} submit="Resume goal" onCancel={onClose}>
        <form.TextArea
          label="Advice"
          name="advice"
          rows={4}
          maxLength={20_000}
          hint="The next attempt gets it. You can leave it empty."
        />
      </Form>
    </Dialog>
  )
}
