import '../../styles/inline-inputs.css'
import type { SchemaOperation } from '@noema/contracts/schema.ts'
import type { SchemaField, SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/panel.tsx'
import { describeField } from '../../data/schema-words.ts'
import { FieldDialog } from './field-dialog.tsx'

type OnStep = (step: SchemaOperation) => void

type FieldTableProps = { kind: SchemaKind; onStep: OnStep; onEdit: (field: SchemaField) => void }

const FieldTable = ({ kind: { kind, fields }, onStep, onEdit }: FieldTableProps) => (
  <table className="dense">
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Rules</th>
        <th scope="col" className="wide">
          Description
        </th>
        <th scope="col">
          <span className="off-screen">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {fields.map((field) => (
        <tr key={field.name}>
          <th scope="row">{field.name}</th>
          <td>{describeField(field)}</td>
          <td className="wide">{field.description}</td>
          <td className="end">
            <Button size="small" tone="quiet" aria-label={`Edit ${field.name}`} onClick={() => onEdit(field)}>
              Edit
            </Button>
            <Button
              size="small"
              tone="quiet"
              aria-label={`Retire ${field.name}`}
              onClick={() => onStep({ op: 'retireField', kind, name: field.name })}
            >
              Retire
            </Button>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

const Links = ({ kind: { kind, links }, onStep }: { kind: SchemaKind; onStep: OnStep }) => (
  <ul className="panel-list">
    {links.map(({ predicate, to, many }) => (
      <li key={predicate}>
        <span>
          <strong>{predicate}</strong> to {to.length > 0 ? to.join(', ') : 'any kind'}
          {!many && <span className="muted">, at most one</span>}
        </span>
        <Button
          size="small"
          tone="quiet"
          aria-label={`Retire the link ${predicate}`}
          onClick={() => onStep({ op: 'retireLink', kind, predicate })}
        >
          Retire
        </Button>
      </li>
    ))}
  </ul>
)

type KindPanelProps = { kind: SchemaKind; onStep: OnStep }

/** One kind: its fields and links, each of which can be proposed to be otherwise. */
export const KindPanel = ({ kind, onStep }: KindPanelProps) => {
  const [editing, setEditing] = useState<{ field: SchemaField | undefined } | undefined>(undefined)
  const name = kind.kind
  const set = (field: SchemaField) => {
    onStep({ op: editing?.field ? 'setField' : 'addField', kind: name, field })
    setEditing(undefined)
  }
  return (
    <Panel
      title={
        <>
          {kind.title ?? name} <code>{name}</code> {kind.strict && <Badge>strict</Badge>}
        </>
      }
      description={kind.description}
      actions={
        <>
          <Button size="small" onClick={() => onStep({ op: 'setStrict', kind: name, strict: !kind.strict })}>
            {kind.strict ? 'Allow other fields' : 'Make strict'}
          </Button>
          <Button size="small" onClick={() => onStep({ op: 'retireKind', kind: name })}>
            Retire kind
          </Button>
          <Button size="small" tone="primary" onClick={() => setEditing({ field: undefined })}>
            Add field
          </Button>
        </>
      }
      isFlush
    >
      {kind.fields.length > 0 && <FieldTable kind={kind} onStep={onStep} onEdit={(field) => setEditing({ field })} />}
      {kind.fields.length === 0 && <p className="panel-empty">No field is declared.</p>}
      {kind.links.length > 0 && <Links kind={kind} onStep={onStep} />}
      <FieldDialog
        isOpen={editing !== undefined}
        field={editing?.field}
        onSet={set}
        onClose={() => setEditing(undefined)}
      />
    </Panel>
  )
}
