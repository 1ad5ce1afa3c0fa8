import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field, Select, TextInput } from '../../components/field.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { describeField } from '../../data/schema-words.ts'
import { useSession } from '../../session/session.tsx'
import { FieldInput } from '../record-form/field-input.tsx'
import { readInput } from '../record-form/field-value.ts'

type Texts = Readonly<Record<string, string>>

type Filled = { kind: string; slug: string; texts: Texts; links: Texts; more: string }

const emptyFilled = (kind: string): Filled => ({ kind, slug: '', texts: {}, links: {}, more: '' })

/** Ids with commas between them, for each predicate. */
const readLinks = (links: Texts): BrainRecord['links'] =>
  Object.entries(links).flatMap(([predicate, text]) =>
    text
      .split(',')
      .map((to) => to.trim())
      .filter((to) => to !== '')
      .map((to) => ({ predicate, to })),
  )

type Read = { fields: BrainRecord['fields'] } | { problems: Texts }

/** The fields as they were typed: their values, or what is wrong with them. */
const readFields = (kind: SchemaKind | undefined, { texts, more }: Filled): Read => {
  const problems: Record<string, string> = {}
  const fields: BrainRecord['fields'] = {}
  for (const field of kind?.fields ?? []) {
    const read = readInput(field, texts[field.name] ?? '')
    if ('error' in read) problems[field.name] = read.error
    else if (read.value !== null) fields[field.name] = read.value
  }
  try {
    if (more.trim() !== '') Object.assign(fields, JSON.parse(more))
  } catch {
    problems[' more'] = 'This is not a JSON object.'
  }
  return Object.keys(problems).length > 0 ? { problems } : { fields }
}

type FieldsProps = { kind: SchemaKind | undefined; filled: Filled; problems: Texts; onChange: (filled: Filled) => void }

const FormFields = ({ kind, filled, problems, onChange }: FieldsProps) => {
  const id = useId()
  return (
    <>
      {kind?.fields.map((field) => (
        <Field
          key={field.name}
          id={`${id}-${field.name}`}
          label={field.required ? `${field.name} (required)` : field.name}
          hint={[describeField(field), field.many && 'a value on each line', field.description]
            .filter(Boolean)
            .join(' · ')}
          error={problems[field.name]}
        >
          <FieldInput
            field={field}
            id={`${id}-${field.name}`}
            describedBy={`${id}-${field.name}-hint`}
            isInvalid={problems[field.name] !== undefined}
            text={filled.texts[field.name] ?? ''}
            onChange={(text) => onChange({ ...filled, texts: { ...filled.texts, [field.name]: text } })}
          />
        </Field>
      ))}
      {kind?.links.map(({ predicate, to }) => (
        <TextInput
          key={predicate}
          label={predicate}
          isMono
          autoComplete="off"
          hint={`Ids of ${to.length > 0 ? to.join(' or ') : 'records'} that it links to, with commas between them`}
          value={filled.links[predicate] ?? ''}
          onChange={({ target }) => onChange({ ...filled, links: { ...filled.links, [predicate]: target.value } })}
        />
      ))}
      {kind?.strict !== true && (
        <Field
          id={`${id}-more`}
          label="Other fields"
          hint='A JSON object, such as {"nickname": "Ada"}'
          error={problems[' more']}
        >
          <textarea
            id={`${id}-more`}
            className="mono"
            rows={kind === undefined ? 5 : 2}
            value={filled.more}
            onChange={({ target }) => onChange({ ...filled, more: target.value })}
          />
        </Field>
      )}
    </>
  )
}

const useCreation = (handle: string, onLanded: (id: string) => void) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async (content: {
      kind: string
      slug?: string
      fields: BrainRecord['fields']
      links: BrainRecord['links']
    }) => client.brain(handle).records.create(content),
    onSuccess: async ({ outcome, record }) => {
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
      if (outcome === 'landed') onLanded(record.id)
    },
  })
}

type KindChoiceProps = {
  kinds: readonly SchemaKind[]
  kind: SchemaKind | undefined
  filled: Filled
  onChange: (filled: Filled) => void
}

/** A declared kind, or another by its name. */
const KindChoice = ({ kinds, kind, filled, onChange }: KindChoiceProps) => (
  <>
    {kinds.length > 0 && (
      <Select
        label="Kind"
        value={kinds.some((one) => one.kind === filled.kind) ? filled.kind : ''}
        options={[
          ...kinds.map((one) => ({ value: one.kind, name: one.title ?? one.kind })),
          { value: '', name: 'Another kind' },
        ]}
        onChange={(chosen) => onChange(emptyFilled(chosen))}
      />
    )}
    {kind === undefined && (
      <TextInput
        label="Name of the kind"
        isMono
        required
        value={filled.kind}
        autoComplete="off"
        hint="Begins with a letter: person, invoice"
        onChange={({ target }) => onChange({ ...filled, kind: target.value })}
      />
    )}
  </>
)

type FormProps = { handle: string; kinds: readonly SchemaKind[]; first: string | undefined; onClose: () => void }

const NewRecordForm = ({ handle, kinds, first, onClose }: FormProps) => {
  const navigate = useNavigate()
  const [filled, setFilled] = useState(() => emptyFilled(first ?? kinds[0]?.kind ?? ''))
  const [problems, setProblems] = useState<Texts>({})
  const creation = useCreation(handle, (id) => {
    onClose()
    void navigate({ to: '/brains/$handle/records/$id', params: { handle, id } })
  })
  const kind = kinds.find((one) => one.kind === filled.kind)
  const send = (event: FormEvent) => {
    event.preventDefault()
    const read = readFields(kind, filled)
    setProblems('problems' in read ? read.problems : {})
    if ('problems' in read) return
    const { slug } = filled
    creation.mutate({
      kind: filled.kind,
      ...(slug !== '' && { slug }),
      fields: read.fields,
      links: readLinks(filled.links),
    })
  }
  if (creation.data?.outcome === 'staged')
    return (
      <Notice tone="good">
        <p>
          This Brain wants review: the record waits for a decision.{' '}
          <Link to="/brains/$handle/changes/$id" params={{ handle, id: creation.data.change.id }}>
            Open the change
          </Link>
        </p>
      </Notice>
    )
  return (
    <form className="form" onSubmit={send}>
      <KindChoice kinds={kinds} kind={kind} filled={filled} onChange={setFilled} />
      <TextInput
        label="Slug"
        isMono
        autoComplete="off"
        hint="A name that is unique among the records of the kind; may be left out"
        value={filled.slug}
        onChange={({ target }) => setFilled({ ...filled, slug: target.value })}
      />
      <FormFields kind={kind} filled={filled} problems={problems} onChange={setFilled} />
      <FailureNotice error={creation.error} />
      <div className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone="primary" isBusy={creation.isPending}>
          Create record
        </Button>
      </div>
    </form>
  )
}

type NewRecordProps = { handle: string; kinds: readonly SchemaKind[]; kind: string | undefined }

/** The button that opens a form for a new record, made of what the schema declares. */
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
