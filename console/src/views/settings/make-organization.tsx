import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { showToast } from '../../components/toast.ts'
import { makeOrganization, toSlug } from '../../data/organization.ts'

/** Makes an organization, which the person owns. */
export const MakeOrganization = ({ onMade, aside }: { onMade: (id: string) => void; aside?: ReactNode }) => {
  const queries = useQueryClient()
  const [slug, setSlug] = useState<string>()
  const [name, setName] = useState('')
  const make = async (form: FormData) => {
    const given = { name: textIn(form, 'name').trim(), slug: textIn(form, 'slug') }
    const id = await makeOrganization(queries, given)
    showToast({ tone: 'good', title: `${given.name} is made`, text: 'You are its owner.' })
    onMade(id)
  }
  return (
    <Form submit="Create organization" onSubmit={make} aside={aside}>
      <TextInput
        label="Name"
        name="name"
        value={name}
        onChange={({ target }) => setName(target.value)}
        required
        maxLength={200}
        pattern=".*\S.*"
        autoComplete="off"
      />
      <TextInput
        label="Slug"
        name="slug"
        value={slug ?? toSlug(name)}
        onChange={({ target }) => setSlug(target.value)}
        required
        maxLength={128}
        pattern="[a-z0-9\-]+"
        title="a-z, 0-9 and -"
        hint="A name that no other organization has: a-z, 0-9 and -."
        isMono
        autoComplete="off"
        spellCheck={false}
      />
    </Form>
  )
}
