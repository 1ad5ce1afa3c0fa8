import type { BrainDetail } from '@noema/contracts/brains.ts'
import { useQueryClient } from '@tanstack/react-query'
import { TextArea, TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { showToast } from '../../components/toast.ts'
import { changeBrain } from '../../data/brain-settings.ts'
import { useSession } from '../../session/session.tsx'

/** The name and purpose of a Brain, which is what agents are told of it. */
export const Description = ({ brain: { handle, name, purpose } }: { brain: BrainDetail }) => {
  const session = useSession()
  const queries = useQueryClient()
  const save = async (form: FormData) => {
    const given = textIn(form, 'name').trim()
    await changeBrain(queries, session, handle, {
      ...(given !== '' && { name: given }),
      purpose: textIn(form, 'purpose').trim(),
    })
    showToast({ tone: 'good', title: 'Saved' })
  }
  return (
    <Panel title="Description" description="what people and agents are told of it">
      {/* Another name or purpose, saved elsewhere, is what is changed next. */}
      <Form key={`${name} ${purpose}`} submit="Save" onSubmit={save}>
        <TextInput
          label="Name"
          name="name"
          defaultValue={name ?? ''}
          required={name !== null}
          maxLength={200}
          autoComplete="off"
        />
        <TextArea
          label="Purpose"
          name="purpose"
          defaultValue={purpose ?? ''}
          maxLength={2000}
          rows={3}
          hint="What it is for and what belongs into it. Agents decide by it where to look."
        />
      </Form>
    </Panel>
  )
}
