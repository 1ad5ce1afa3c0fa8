import type { Brain } from '@noema/contracts/brains.ts'
import { useQueryClient } from '@tanstack/react-query'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useSession } from '../../session/session.tsx'

type MakeBrainFormProps = { onMade: (brain: Brain) => void; suggestion?: { handle: string; purpose: string } }

/** Makes a Brain, or takes the one that has this handle. A suggestion is filled in, to go on with a single press. */
export const MakeBrainForm = ({ onMade, suggestion }: MakeBrainFormProps) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const make = async (form: FormData) => {
    const purpose = textIn(form, 'purpose').trim()
    const answer = await client.brains.put(textIn(form, 'handle'), purpose === '' ? {} : { purpose })
    void queries.invalidateQueries({ queryKey: [organization.id] })
    onMade(answer.brain)
  }
  return (
    <Form submit="Create Brain" onSubmit={make}>
      <TextInput
        label="Handle"
        name="handle"
        defaultValue={suggestion?.handle}
        placeholder="handbook"
        required
        pattern="[a-z0-9][a-z0-9\-]{0,62}"
        title="1 to 63 of a-z, 0-9 and -, not beginning with -"
        autoComplete="off"
        spellCheck={false}
        className="mono"
        hint="Its name in URLs: a-z, 0-9 and -."
      />
      <TextInput
        label="Purpose"
        name="purpose"
        defaultValue={suggestion?.purpose}
        placeholder="What it is for"
        maxLength={2000}
        autoComplete="off"
      />
    </Form>
  )
}
