import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { type ContractForm, useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { ItemPicker } from '../../items/item-picker.tsx'
import { StagedNotice } from '../../items/staged-notice.tsx'
import { useSession } from '../../session/session.tsx'
import { emptyStatement, type StatementValues, toStatement } from './statement-values.ts'

type StatementForm = ContractForm<StatementValues>
type PartProps = { form: StatementForm; handle: string }

const RecordField = ({ form, handle, name, label }: PartProps & { name: 'subject' | 'object'; label: string }) => (
  <form.Field name={name} hasOwnError>
    {({ value, set, error }) => (
      <ItemPicker
        {...{ handle, label, error, value }}
        type="record"
        placeholder="Name or id"
        onChange={(item) => set(item && { id: item.id, kind: item.kind ?? '' })}
      />
    )}
  </form.Field>
)

const ObjectFields = ({ form, handle }: PartProps) => {
  const type = useFormValue(form, 'objectType')
  return (
    <>
      <form.Radio
        label="Object"
        name="objectType"
        isSegments
        options={[
          { value: 'record', name: 'A record' },
          { value: 'value', name: 'A value' },
        ]}
      />
      {type === 'record' ? (
        <RecordField form={form} handle={handle} name="object" label="Record" />
      ) : (
        <form.TextArea
          label="Value"
          name="value"
          rows={2}
          hint="A text. A number, true, false and JSON are taken as such; put 42 in quotes to say it as text."
        />
      )}
    </>
  )
}

const MoreFields = ({ form, handle }: PartProps) => (
  <>
    <div className="field-columns">
      <form.Date label="Valid from" name="validFrom" />
      <form.Date label="Valid to" name="validTo" />
      <form.Number label="Confidence, %" name="confidence" min={0} max={100} />
    </div>
    <form.Field name="document" hasOwnError>
      {({ value, set, error }) => (
        <ItemPicker
          {...{ handle, error }}
          type="document"
          label="Source"
          placeholder="Optional: the title of a document"
          value={value === '' ? undefined : { id: value, kind: undefined }}
          onChange={(item) => set(item?.id ?? '')}
        />
      )}
    </form.Field>
    <form.TextArea label="Quote" name="quote" rows={2} hint="Optional: the words of the document that support it." />
  </>
)

type Given = {
  handle: string
  subject: { id: string; kind: string } | undefined
  predicate: string | undefined
  /** Predicates that statements here have already. */
  predicates: readonly string[]
}

const StatementForm = ({ handle, subject, predicate, predicates, onClose }: Given & { onClose: () => void }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const known = useId()
  const [staged, setStaged] = useState<string>()
  const form: StatementForm = useContractForm({
    initial: emptyStatement(subject, predicate ?? ''),
    contract: async () => (await import('@noema/contracts/statements.ts')).assertStatement.body,
    paths: { document: 'sources' },
    toBody: toStatement,
    submit: async (body) => {
      const { outcome, change, statement } = await client.brain(handle).statements.assert(body)
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
      if (outcome === 'staged') return setStaged(change.id)
      onClose()
      await navigate({ to: '/brains/$handle/statements/$id', params: { handle, id: statement.id } })
    },
  })
  if (staged !== undefined) return <StagedNotice handle={handle} what="The statement" change={staged} />
  return (
    <Form form={form} submit="Assert" onCancel={onClose}>
      <RecordField form={form} handle={handle} name="subject" label="Subject" />
      <form.Text label="Predicate" name="predicate" required autoComplete="off" list={known} placeholder="worksFor" />
      <datalist id={known}>
        {predicates.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <ObjectFields form={form} handle={handle} />
      <MoreFields form={form} handle={handle} />
    </Form>
  )
}

/** The button that opens a form for a statement. */
export const AssertStatement = (given: Given) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" tone="primary" onClick={() => setOpen(true)}>
        New statement
      </Button>
      <Dialog
        isOpen={isOpen}
        title="New statement"
        description="A claim about a record, with the time for which it holds and what supports it."
        onClose={() => setOpen(false)}
      >
        <StatementForm {...given} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
