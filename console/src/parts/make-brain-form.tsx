import type { Brain } from '@noema/contracts/brains.ts'
import { useWorkspace } from '../session/workspace.tsx'
import { Field, textIn } from './field.tsx'
import { Form } from './form.tsx'

/** Makes a Brain, or takes the one that has this handle. */
export const MakeBrainForm = ({ onMade }: { onMade: (brain: Brain) => void }) => {
  const { keyClient } = useWorkspace()
  const make = async (form: FormData) => {
    const purpose = textIn(form, 'purpose').trim()
    const answer = await keyClient?.brains.put(textIn(form, 'handle'), purpose === '' ? {} : { purpose })
    if (answer) onMade(answer.brain)
  }
  return (
    <Form submit="Make Brain" onSubmit={make}>
      <Field
        label="Handle"
        name="handle"
        defaultValue="handbook"
        required
        pattern="[a-z0-9][a-z0-9\-]{0,62}"
        title="1 to 63 of a-z, 0-9 and -, not beginning with -"
        autoComplete="off"
        spellCheck={false}
        className="mono"
        hint="Its name in URLs: a-z, 0-9 and -."
      />
      <Field
        label="Purpose"
        name="purpose"
        defaultValue="What the team knows about its work"
        maxLength={2000}
        autoComplete="off"
      />
    </Form>
  )
}
