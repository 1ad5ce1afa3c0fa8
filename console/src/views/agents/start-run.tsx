import type { Agent } from '@noema/contracts/agents.ts'
import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextArea, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useSession } from '../../session/session.tsx'

/** Asks an agent something, and leads to the run. */
export const StartRun = ({ agent, onClose }: { agent: Agent; onClose: () => void }) => {
  const { client } = useSession()
  const navigate = useNavigate()
  const start = async (form: FormData) => {
    const { run } = await client.runs.start({ agentId: agent.id, input: textIn(form, 'input') })
    await navigate({ to: '/runs/$id', params: { id: run.runId } })
  }
  return (
    <Dialog isOpen title={`Ask ${agent.name}`} onClose={onClose}>
      <Form submit="Start run" onSubmit={start} aside={<Button onClick={onClose}>Cancel</Button>}>
        <TextArea label="Input" name="input" rows={4} required />
      </Form>
    </Dialog>
  )
}
