import type { Brain } from '@noema/contracts/brains.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { useSession } from '../../session/session.tsx'

type MakeBrainFormProps = { onMade: (brain: Brain) => void; suggestion?: { handle: string; purpose: string } }

/** The body of `putBrain`, and the handle of its path. */
const loadContract = async () => {
  const { handle, putBrain } = await import('@noema/contracts/brains.ts')
  return putBrain.body.extend({ handle })
}

/** Creates a Brain, or uses the one that has this handle. A suggestion is filled in. */
export const MakeBrainForm = ({ onMade, suggestion }: MakeBrainFormProps) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const form = useContractForm({
    initial: { handle: suggestion?.handle ?? '', purpose: suggestion?.purpose ?? '' },
    contract: loadContract,
    toBody: ({ handle, purpose }) => ({ handle, ...(purpose.trim() !== '' && { purpose: purpose.trim() }) }),
    submit: async ({ handle, ...body }) => {
      const { brain } = await client.brains.put(handle, body)
      void queries.invalidateQueries({ queryKey: [organization.id] })
      onMade(brain)
    },
  })
  return (
    <Form form={form} submit="Create Brain">
      <form.Text
        label="Handle"
        name="handle"
        placeholder="handbook"
        required
        autoComplete="off"
        spellCheck={false}
        isMono
        hint="Its name in URLs: a-z, 0-9 and -."
      />
      <form.Text label="Purpose" name="purpose" placeholder="The knowledge that it holds" autoComplete="off" />
    </Form>
  )
}
