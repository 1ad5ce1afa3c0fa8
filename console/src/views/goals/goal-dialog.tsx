import type { Agent } from '@noema/contracts/agents.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAgentList } from '../../data/use-names.ts'
import { Missing } from '../../items/missing.tsx'
import { useSession } from '../../session/session.tsx'
import { GraderList, gradersOfGoals } from '../graders/grader-list.tsx'
import { type GraderValues, newGrader, toGraderPaths } from '../graders/grader-values.ts'
import { toGrader } from '../graders/to-grader.ts'
import { type BudgetValues, budgetPaths, toBudget } from './budget.ts'
import { BudgetFields } from './budget-fields.tsx'

type Values = BudgetValues & { agentId: string; objective: string; criteria: readonly GraderValues[] }

const toBody = ({ agentId, objective, criteria, ...budget }: Values) => {
  if (criteria.length === 0) throw new FieldProblem('criteria', 'Add a criterion: it decides when the goal is met.')
  const { runs, costCents, until } = toBudget(budget)
  if (until !== null && Date.parse(until) <= Date.now()) throw new FieldProblem('until', 'Enter a time to come.')
  return {
    ...{ agentId, objective: objective.trim() },
    criteria: criteria.map((values, index) => toGrader(values, `criteria[${index}]`)),
    budget: { runs, ...(costCents !== null && { costCents }), ...(until !== null && { until }) },
  }
}

type FormProps = { agents: readonly Agent[]; agentId: string | undefined; onClose: () => void }

const GoalForm = ({ agents, agentId, onClose }: FormProps) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const form = useContractForm({
    initial: {
      ...{ agentId: agentId ?? agents[0]?.id ?? '', objective: '', runs: '10', dollars: '', until: '' },
      criteria: [newGrader('contains')],
    } as Values,
    contract: async () => (await import('@noema/contracts/goals.ts')).createGoal.body,
    paths: ({ criteria }) => ({ ...budgetPaths, ...toGraderPaths('criteria', criteria) }),
    toBody,
    submit: async (body) => {
      const { goal } = await client.goals.create(body)
      await queries.invalidateQueries({ queryKey: [organization.id, 'goals'] })
      onClose()
      await navigate({ to: '/evals', search: { open: goal.id } })
    },
  })
  return (
    <Form form={form} submit="Start goal" onCancel={onClose}>
      <form.Select label="Agent" name="agentId" options={agents.map(({ id, name }) => ({ value: id, name }))} />
      <form.TextArea
        label="Objective"
        name="objective"
        rows={3}
        required
        maxLength={20_000}
        hint="The agent gets it as its task. It does not know the criteria in advance."
      />
      <form.Field name="criteria">
        {({ value, set }) => (
          <GraderList
            label="Criteria: the goal is met by an attempt that passes all of them"
            at="criteria"
            types={gradersOfGoals}
            graders={value}
            isAlone
            onChange={set}
          />
        )}
      </form.Field>
      <BudgetFields form={form} />
    </Form>
  )
}

/** Gives an agent a goal. Its first attempt begins at once. */
export const GoalDialog = ({ agentId, onClose }: { agentId?: string; onClose: () => void }) => {
  const agents = useAgentList()
  return (
    <Dialog isOpen title="New goal" onClose={onClose} size="wide">
      {!agents && <Skeleton lines={8} />}
      {agents?.length === 0 && <Missing what="agent" />}
      {agents && agents.length > 0 && <GoalForm agents={agents} agentId={agentId} onClose={onClose} />}
    </Dialog>
  )
}
