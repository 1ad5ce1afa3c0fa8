import { createClient } from '@noema/sdk'
import { Field, textIn } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { storeKey } from '../session/stored-key.ts'
import { baseUrl, useWorkspace } from '../session/workspace.tsx'

/** Takes a management key that was minted before, once the service has said whose it is. */
export const PasteKeyForm = () => {
  const { organization } = useWorkspace()
  const take = async (form: FormData) => {
    const secret = textIn(form, 'secret').trim()
    const { kind, organizations } = await createClient({ baseUrl, apiKey: secret }).whoami()
    if (kind !== 'management')
      throw new Error('This is a Brain key. The console needs a management key, which begins with nsk_.')
    if (organizations[0]?.id !== organization.id)
      throw new Error(
        `This key belongs to another organization, ${organizations[0]?.name}. Choose that one above first.`,
      )
    storeKey({ secret, organizationId: organization.id, isNew: false })
  }
  return (
    <Form submit="Use key" onSubmit={take}>
      <Field
        label="Management key"
        name="secret"
        placeholder="nsk_…"
        required
        autoComplete="off"
        spellCheck={false}
        pattern="\s*nsk_[A-Za-z0-9]+\s*"
        title="A management key begins with nsk_"
        hint="It stays in this page’s memory, until you close or reload it."
        className="mono"
      />
    </Form>
  )
}
