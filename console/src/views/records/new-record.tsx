import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field, Select } from '../../components/field.tsx'
import { Form } from '../../components/form/form.tsx'
import { type ContractForm, useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { describeField } from '../../data/schema-words.ts'
import { StagedNotice } from '../../items/staged-notice.tsx'
import { useSession } from '../../session/session.tsx'
import { FieldInput } from '../record-form/field-input.tsx'
import { emptyValues, toPaths, toRecord, type Values } from './new-record-values.ts'

type FormOf = { form: ContractForm<Values>; kind: SchemaKind | undefined }

type DeclaredFieldProps = { form: FormOf['form']; field: SchemaKind['fields'][number]; name: `field${number}` }

const DeclaredField = ({ form, field, name }: DeclaredFieldProps) => {
  const id = useId()
  const hint = [describeField(field), field.many && 'one value per line', field.description].filter(Boolean).join(' · ')
  return (
    <form.Field name={name}>
      {({ value, set, errorId }) => (
        <Field id={id} label={field.required ? `${field.name} (required)` : field.name} hint={hint}>
          <FieldInput
            field={field}
            id={id}
            describedBy={[errorId, `${id}-hint`].filter(Boolean).join(' ')}
            isInvalid={errorId !== undefined}
            text={value ?? ''}
            onChange={set}
          />
        </Field>
      )}
    </form.Field>
  )
}

const RecordFields = ({ form, kind }: FormOf) => (
  <>
    {kind?.fields.map((field, index) => (
      <DeclaredField key={field.name} form={form} field={field} name={`field${index}`} />
    ))}
    {kind?.links.map(({ predicate, to }, index) => (
      <form.Text
        key={predicate}
        label={predicate}
        name={`link${index}`}
        isMono
        autoComplete="off"
        hint={`Ids of linked ${to.length > 0 ? to.join(' or ') : 'records'}, separated by commas`}
      />
    ))}
    {kind?.strict !== true && (
      <form.TextArea
        label="Other fields"
        name="more"
        hint='A JSON object, such as {"nickname": "Ada"}'
        isMono
        rows={kind === undefined ? 5 : 2}
      />
    )}
  </>
)

/** A declared kind, or another one by name. Another kind starts the form over. */
const KindChoice = ({ form, kind, kinds }: FormOf & { kinds: readonly SchemaKind[] }) => (
  <>
    {kinds.length > 0 && (
      <Select
        label="Kind"
        value={kind?.kind ?? ''}
        options={[
          ...kinds.map((one) => ({ value: one.kind, name: one.title ?? one.kind })),
          { value: '', name: 'Another kind' },
        ]}
        onChange={(chosen) => form.reset(emptyValues(chosen))}
      />
    )}
    {kind === undefined && (
      <form.Text
        label="Name of the kind"
        name="kind"
        isMono
        required
        autoComplete="off"
        hint="Starts with a letter: person, invoice"
      />
    )}
  </>
)

type FormProps = { handle: string; kinds: readonly SchemaKind[]; first: string | undefined; onClose: () => void }

const NewRecordForm = ({ handle, kinds, first, onClose }: FormProps) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [staged, setStaged] = useState<string>()
  const findKind = (name: string) => kinds.find((one) => one.kind === name)
  const [initial] = useState(() => emptyValues(first ?? kinds[0]?.kind ?? ''))
  const form: ContractForm<Values> = useContractForm({
    initial,
    contract: async () => (await import('@noema/contracts/records.ts')).createRecord.body,
    paths: (values) => toPaths(findKind(values.kind)),
    toBody: (values) => toRecord(findKind(values.kind), values),
    submit: async (body) => {
      const written = await client.brain(handle).records.create(body)
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
      if (written.outcome === 'staged') return setStaged(written.change.id)
      onClose()
      await navigate({ to: '/brains/$handle/records/$id', params: { handle, id: written.record.id } })
    },
  })
  const kind = findKind(useFormValue(form, 'kind'))
  if (staged !== undefined) return <StagedNotice handle={handle} what="The record" change={staged} />
  return (
    <Form form={form} submit="Create record" onCancel={onClose}>
      <KindChoice form={form} kind={kind} kinds={kinds} />
      <form.Text
        label="Slug"
        name="slug"
        isMono
        autoComplete="off"
        hint="Optional. A name that is unique among the records of the kind."
      />
      <RecordFields form={form} kind={kind} />
    </Form>
  )
}

type NewRecordProps = { handle: string; kinds: readonly SchemaKind[]; kind: string | undefined }

/** The button that opens a form for a new record, with the fields that the schema declares. */
export const NewRecord = ({ handle, kinds, kind }: NewRecordProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" tone="primary" onClick={() => setOpen(true)}>
        New record
      </Button>
      <Dialog isOpen={isOpen} title="New record" onClose={() => setOpen(false)}>
        <NewRecordForm handle={handle} kinds={kinds} first={kind} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
