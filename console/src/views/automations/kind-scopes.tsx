import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { TextInput } from '../../components/field.tsx'
import { emergedQuery, schemaQuery } from '../../data/schema.ts'
import { useSession } from '../../session/session.tsx'

// The API's names for every statement, every document, and changes that wait for review.
const always = ['document', 'statement', '@change.staged'] as const
const labels: Readonly<Record<string, string>> = {
  document: 'every document',
  statement: 'every statement',
  '@change.staged': 'changes that wait for review',
}

/** The kinds that a Brain declares, and the undeclared kinds of its records. */
const useKindNames = (handle: string | undefined): string[] => {
  const session = useSession()
  const enabled = handle !== undefined
  const schema = useQuery({ ...schemaQuery(session, handle ?? ''), enabled })
  const emerged = useInfiniteQuery({ ...emergedQuery(session, handle ?? ''), enabled })
  const declared = schema.data?.schema.kinds.map(({ kind }) => kind) ?? []
  const others = emerged.data?.pages.flatMap((page) => page.emerged.map(({ kind }) => kind)) ?? []
  return [...new Set([...declared, ...others])]
}

type KindScopesProps = { handle: string | undefined; kinds: readonly string[]; onChange: (kinds: string[]) => void }

/** The kinds that a trigger matches: those of the Brain, and others by name. No kind matches every event. */
export const KindScopes = ({ handle, kinds, onChange }: KindScopesProps) => {
  const [text, setText] = useState('')
  const known = useKindNames(handle)
  const listed = [...new Set([...always, ...known, ...kinds])]
  const toggle = (kind: string, isOn: boolean) =>
    onChange(isOn ? [...kinds, kind] : kinds.filter((other) => other !== kind))
  const add = () => {
    const kind = text.trim()
    if (kind !== '' && !kinds.includes(kind)) onChange([...kinds, kind])
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    add()
  }
  return (
    <fieldset className="kind-scopes">
      <legend>Kinds</legend>
      <p className="hint">
        {kinds.length === 0
          ? 'None selected: every event of the Brain’s content starts a run.'
          : 'Events of records of these kinds start a run: writes, deletions, statements about them, and dates that are due.'}
      </p>
      <div className="kind-choices">
        {listed.map((kind) => (
          <Checkbox
            key={kind}
            label={labels[kind] ?? kind}
            checked={kinds.includes(kind)}
            onChange={(isOn) => toggle(kind, isOn)}
          />
        ))}
      </div>
      <div className="with-button">
        <TextInput
          label="Another kind"
          isLabelHidden
          isMono
          placeholder="another kind"
          value={text}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
        />
        <Button onClick={add}>Add kind</Button>
      </div>
    </fieldset>
  )
}
