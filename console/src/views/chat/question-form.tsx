import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'

/** The form that asks the agent a question. It is empty again once the question is sent. */
export const QuestionForm = ({ onAsk }: { onAsk: (question: string) => Promise<void> }) => {
  const form = useContractForm({
    initial: { question: '' },
    toBody: ({ question }) => question,
    submit: async (question) => {
      await onAsk(question)
      form.reset()
    },
  })
  return (
    <Form form={form} submit="Send">
      <form.TextArea label="Your question" name="question" rows={3} required />
    </Form>
  )
}
