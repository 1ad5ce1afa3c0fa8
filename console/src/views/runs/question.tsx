import type { Task } from '@noema/contracts/tasks.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { TextArea, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Time } from '../../components/time.tsx'
import { showToast } from '../../components/toast.ts'
import { useAction } from '../../components/use-action.ts'
import { useSession } from '../../session/session.tsx'

/** More characters are refused. */
const maxAnswerLength = 20_000

/** Sends an answer; the run goes on with it. */
const useAnswer = ({ taskId }: Task) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  return async (answer: string) => {
    await client.tasks.complete(taskId, { answer })
    showToast({ tone: 'good', title: 'Answered', text: 'The run goes on.' })
    await Promise.all(['tasks', 'runs'].map((area) => queries.invalidateQueries({ queryKey: [organization.id, area] })))
  }
}

/** A question of a run to a person: its proposals as buttons, or any answer. */
export const Question = ({ task }: { task: Task }) => {
  const answer = useAnswer(task)
  const { run, isRunning, error } = useAction(answer)
  return (
    <section className="question" aria-label="A question of this run">
      <p className="question-text">{task.question}</p>
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
        submit="Answer"
        onSubmit={(form) => answer(textIn(form, 'answer'))}
        aside={
          task.expiresAt && (
            <span className="muted">
              Expires <Time iso={task.expiresAt} />
            </span>
          )
        }
      >
        <TextArea label="Your answer" name="answer" rows={2} required maxLength={maxAnswerLength} />
      </Form>
    </section>
  )
}
