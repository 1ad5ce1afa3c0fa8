import type { Corpus, putCorpus } from '@noema/contracts/corpora.ts'
import type { BodyInput } from '@noema/contracts/endpoint.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { Notice } from '../../components/notice.tsx'
import { brainsQuery } from '../../data/brains.ts'
import { corporaQuery } from '../../data/corpora.ts'
import { useSession } from '../../session/session.tsx'
import { newPart, PartFields, type PartValues, toPartValues } from './part-fields.tsx'

type NewPart = BodyInput<typeof putCorpus>['parts'][number]
type Values = { name: string; parts: readonly PartValues[] }

const splitNames = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

const toPart = ({ brain, kinds, sources, types, kept }: PartValues): NewPart => ({
  ...kept,
  brain,
  ...(types.length > 0 && { types: [...types] }),
  ...(splitNames(kinds).length > 0 && { kinds: splitNames(kinds) }),
  ...(splitNames(sources).length > 0 && { sources: splitNames(sources) }),
})

const toBody = ({ parts }: Values): { parts: NewPart[] } => {
  if (parts.length === 0) throw new FieldProblem('parts', 'Add a Brain.')
  return { parts: parts.map(toPart) }
}

type PartListProps = {
  parts: readonly PartValues[]
  handles: readonly string[]
  onChange: (parts: readonly PartValues[]) => void
}

/** The parts of a corpus, and a button that adds one of a Brain that has none. */
const PartList = ({ parts, handles, onChange }: PartListProps) => {
  const next = handles.find((handle) => parts.every(({ brain }) => brain !== handle))
  return (
    <fieldset className="stack">
      <legend>Brains</legend>
      {parts.map((part, index) => (
        <PartFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other identity while it is edited
          key={index}
          part={part}
          handles={handles}
          onChange={(changed) => onChange(parts.map((one, at) => (at === index ? changed : one)))}
          onRemove={() => onChange(parts.filter((_, at) => at !== index))}
        />
      ))}
      <div className="actions">
        <Button
          size="small"
          icon="plus"
          disabled={next === undefined}
          onClick={() => next !== undefined && onChange([...parts, newPart(next)])}
        >
          Add a Brain
        </Button>
      </div>
    </fieldset>
  )
}

type DialogProps = { corpus?: Corpus; onClose: () => void; onSaved?: (name: string) => void }

/** Creates a corpus, or replaces its parts. */
export const CorpusDialog = ({ corpus, onClose, onSaved }: DialogProps) => {
  const session = useSession()
  const cache = useQueryClient()
  const { data } = useInfiniteQuery(brainsQuery(session))
  const handles = data?.pages.flatMap(({ brains }) => brains.map(({ handle }) => handle)) ?? []
  const hidden = corpus?.parts.filter(({ brain }) => brain === null).length ?? 0
  const form = useContractForm({
    initial: { name: corpus?.name ?? '', parts: corpus?.parts.flatMap(toPartValues) ?? [] } as Values,
    contract: async () => (await import('@noema/contracts/corpora.ts')).putCorpus.body,
    toBody,
    submit: async (body, { name }) => {
      await session.client.corpora.put(name.trim(), body)
      await cache.invalidateQueries({ queryKey: corporaQuery(session).queryKey })
      onClose()
      onSaved?.(name.trim())
    },
  })
  return (
    <Dialog isOpen title={corpus ? `Edit ${corpus.name}` : 'New corpus'} onClose={onClose} size="wide">
      <Form form={form} submit={corpus ? 'Save' : 'Create corpus'} onCancel={onClose}>
        {!corpus && (
          <form.Text
            label="Name"
            name="name"
            isMono
            required
            pattern="[a-z0-9][a-z0-9\-]{0,62}"
            title="1 to 63 of a-z, 0-9 and -, not beginning with -"
            autoComplete="off"
            hint="Agents and clients name it. It cannot be changed later."
          />
        )}
        {hidden > 0 && (
          <Notice tone="warning">
            <p>
              {hidden === 1 ? 'One of its parts is a Brain' : `${hidden} of its parts are Brains`} that you cannot read.
              Saving removes {hidden === 1 ? 'it' : 'them'}.
            </p>
          </Notice>
        )}
        <form.Field name="parts">
          {({ value, set }) => <PartList parts={value} handles={handles} onChange={set} />}
        </form.Field>
      </Form>
    </Dialog>
  )
}
