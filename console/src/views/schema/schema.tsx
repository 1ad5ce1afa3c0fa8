import type { SchemaOperation } from '@noema/contracts/schema.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import '../../styles/overview.css'
import '../../styles/records.css'
import '../../styles/schema.css'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { schemaProposalsQuery, schemaQuery } from '../../data/schema.ts'
import { addStep } from '../../data/schema-words.ts'
import { useSession } from '../../session/session.tsx'
import { Emerged } from './emerged.tsx'
import { KindPanel } from './kind-panel.tsx'
import { Lineage } from './lineage.tsx'
import { Proposal } from './proposal.tsx'

const route = getRouteApi('/brains/$handle/schema')

/** The button that adds a kind to the proposal. */
const NewKind = ({ onStep }: { onStep: (step: SchemaOperation) => void }) => {
  const [isOpen, setOpen] = useState(false)
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [title, description] = [textIn(form, 'title'), textIn(form, 'description')]
    onStep({ op: 'addKind', kind: textIn(form, 'kind'), title: title || null, description: description || null })
    setOpen(false)
  }
  return (
    <>
      <Button size="small" tone="primary" onClick={() => setOpen(true)}>
        New kind
      </Button>
      <Dialog isOpen={isOpen} title="New kind" onClose={() => setOpen(false)}>
        <form className="form" onSubmit={add}>
          <TextInput
            label="Kind"
            name="kind"
            isMono
            required
            pattern="[A-Za-z][A-Za-z0-9._\-]{0,127}"
            hint="Begins with a letter: person, invoice"
            autoComplete="off"
          />
          <TextInput label="Title" name="title" />
          <TextInput label="Description" name="description" />
          <div className="dialog-foot">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" tone="primary">
              Add to the proposal
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}

/** Proposals of others, and of oneself, that wait. */
const Waiting = ({ handle }: { handle: string }) => {
  const { data } = useQuery(schemaProposalsQuery(useSession(), handle))
  if (!data || data.length === 0) return null
  return (
    <Panel title="Waiting proposals" isFlush>
      <ul className="panel-list">
        {data.map(({ id, reason, items, outdated }) => (
          <li key={id}>
            <Link to="/brains/$handle/changes/$id" params={{ handle, id }}>
              {reason ?? items.map(({ op, target }) => `${op} ${target.id}`).join(', ')}
            </Link>
            <span className="muted">
              {items.length === 1 ? '1 step' : `${items.length} steps`}
              {outdated && ', outdated'}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** What the records of a Brain are checked against, and how that is changed: by proposals, which somebody decides. */
export const SchemaPage = () => {
  const { handle } = route.useParams()
  const { kind: chosen } = route.useSearch()
  const { data, error } = useQuery(schemaQuery(useSession(), handle))
  const [steps, setSteps] = useState<SchemaOperation[]>([])
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton lines={10} />
  const { kinds, schemaVersion } = data.schema
  const kind = kinds.find((one) => one.kind === chosen) ?? kinds[0]
  const add = (step: SchemaOperation) => setSteps((before) => addStep(before, step))
  return (
    <section aria-label="Schema" className="schema">
      <div className="records-bar">
        <nav className="kind-tabs" aria-label="Kinds">
          {kinds.map((one) => (
            <Link
              key={one.kind}
              to="/brains/$handle/schema"
              params={{ handle }}
              search={{ kind: one.kind }}
              className="kind-tab"
              activeOptions={{ exact: true }}
              aria-current={one === kind ? 'page' : undefined}
            >
              {one.kind}
            </Link>
          ))}
        </nav>
        <div className="actions">
          <span className="muted small">Version {schemaVersion}</span>
          <NewKind onStep={add} />
        </div>
      </div>
      <Proposal handle={handle} baseVersion={schemaVersion} steps={steps} onChange={setSteps} />
      <Waiting handle={handle} />
      {kind ? (
        <KindPanel key={kind.kind} kind={kind} onStep={add} />
      ) : (
        <Empty title="Nothing is declared yet">
          <p>Records of any kind are accepted. A schema says which fields they have, and lets them be filtered by.</p>
        </Empty>
      )}
      <Emerged handle={handle} />
      <Lineage handle={handle} />
    </section>
  )
}
