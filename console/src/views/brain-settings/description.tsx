import type { BrainDetail } from '@noema/contracts/brains.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { Panel } from '../../components/panel.tsx'
import { showToast } from '../../components/toast.ts'
import { changeBrain } from '../../data/brain-settings.ts'
import { useSession } from '../../session/session.tsx'

type Named = Pick<BrainDetail, 'handle' | 'name' | 'purpose'>

const DescriptionForm = ({ handle, name, purpose }: Named) => {
  const session = useSession()
  const queries = useQueryClient()
  const form = useContractForm({
    initial: { name: name ?? '', purpose: purpose ?? '' },
    contract: async () => (await import('@noema/contracts/brains.ts')).patchBrain.body,
    toBody: (values) => ({
      ...(values.name.trim() !== '' && { name: values.name.trim() }),
      purpose: values.purpose.trim(),
    }),
    edits: {},
    submit: async (_body, _values, changed) => {
      await changeBrain(queries, session, handle, changed)
      showToast({ tone: 'good', title: 'Saved' })
    },
  })
  return (
    <Form form={form} submit="Save">
      <form.Text label="Name" name="name" required={name !== null} autoComplete="off" />
      <form.TextArea
        label="Purpose"
        name="purpose"
        rows={3}
        hint="The knowledge that belongs in this Brain. Agents use it to decide where to look."
      />
    </Form>
  )
}

/** The name and purpose of a Brain, which people and agents see. */
export const Description = ({ brain: { handle, name, purpose } }: { brain: BrainDetail }) => (
  <Panel title="Description" description="shown to people and agents">
    <DescriptionForm key={handle} handle={handle} name={name} purpose={purpose} />
  </Panel>
)
