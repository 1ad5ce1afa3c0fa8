import type { Task } from '@noema/contracts/tasks.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { Markdown } from '../../components/markdown.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Time } from '../../components/time.tsx'
import { showToast } from '../../components/toast.ts'
import { useAction } from '../../components/use-action.ts'
import { useSession } from '../../session/session.tsx'

/** Sends an answer, with which the run continues. */
const useAnswer = ({ taskId }: Task) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  return async (answer: string) => {
    await client.tasks.complete(taskId, { answer })
    showToast({ tone: 'good', title: 'Answered', text: 'The run continues.' })
    await Promise.all(['tasks', 'runs'].map((area) => queries.invalidateQueries({ queryKey: [organization.id, area] })))
  }
}

/** A question that a run asks a person: buttons for its options, or any answer. */
export const Question = ({ task }: { task: Task }) => {
  const answer = useAnswer(task)
  const { run, isRunning, error } = useAction(answer)
  const form = useContractForm({
    initial: { answer: '' },
    contract: async () => (await import('@noema/contracts/tasks.ts')).completeTask.body,
    toBody: (values) => values,
    submit: (body) => answer(body.answer),
  })
  return (
    <fieldset className="question">
      <legend className="off-screen">Question from this run</legend>
      <Markdown text={task.question} />
      {task.options && (
        <div className="actions">
          {task.options.map((option) => (
            <Button key={option} isBusy={isRunning} onClick={() => void run(option)}>
              {option}
            </Button>
          ))}
        </div>
      )}
      <FailureNotice error={error} />
      <Form
        form={form}
        submit="Answer"
        aside={
          task.expiresAt && (
            <span className="muted">
              Expires <Time iso={task.expiresAt} />
            </span>
          )
        }
      >
        <form.TextArea label="Your answer" name="answer" rows={2} required />
      </Form>
    </fieldset>
  )
}
