import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { TextInput } from '../../components/field.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { showToast } from '../../components/toast.ts'
import { makeOrganization, toSlug } from '../../data/organization.ts'

/** Creates an organization, which the person owns. The slug follows the name until it is edited. */
export const MakeOrganization = ({ onMade, aside }: { onMade: (id: string) => void; aside?: ReactNode }) => {
  const queries = useQueryClient()
  const form = useContractForm({
    initial: { name: '', slug: undefined as string | undefined },
    toBody: ({ name, slug }) => ({ name: name.trim(), slug: slug ?? toSlug(name) }),
    submit: async (given) => {
      const id = await makeOrganization(queries, given)
      showToast({ tone: 'good', title: `${given.name} created`, text: 'You are its owner.' })
      onMade(id)
    },
  })
  const name = useFormValue(form, 'name')
  return (
    <Form form={form} submit="Create organization" aside={aside}>
      <form.Text label="Name" name="name" required maxLength={200} pattern=".*\S.*" autoComplete="off" />
      <form.Field name="slug" hasOwnError>
        {({ value, set, error }) => (
          <TextInput
            label="Slug"
            name="slug"
            value={value ?? toSlug(name)}
            error={error}
            onChange={({ target }) => set(target.value)}
            required
            maxLength={128}
            pattern="[a-z0-9\-]+"
            hint="Unique among all organizations: a-z, 0-9 and -."
            isMono
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </form.Field>
    </Form>
  )
}
