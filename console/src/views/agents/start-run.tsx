import type { Agent } from '@noema/contracts/agents.ts'
import { useNavigate } from '@tanstack/react-router'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { useSession } from '../../session/session.tsx'

/** Starts a run of an agent and opens it. */
export const StartRun = ({ agent, onClose }: { agent: Agent; onClose: () => void }) => {
  const { client } = useSession()
  const navigate = useNavigate()
  const form = useContractForm({
    initial: { input: '' },
    contract: async () => (await import('@noema/contracts/runs.ts')).startRun.body,
    toBody: ({ input }) => ({ agentId: agent.id, input }),
    submit: async (body) => {
      const { run } = await client.runs.start(body)
      await navigate({ to: '/runs/$id', params: { id: run.runId } })
    },
  })
  return (
    <Dialog isOpen title={`Ask ${agent.name}`} onClose={onClose}>
      <Form form={form} submit="Start run" onCancel={onClose}>
        <form.TextArea label="Input" name="input" rows={4} required />
      </Form>
    </Dialog>
  )
}
