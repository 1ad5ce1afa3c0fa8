import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { TextInput } from '../../components/field.tsx'
import { emergedQuery, schemaQuery } from '../../data/schema.ts'
import { useSession } from '../../session/session.tsx'

// Every statement and every document, by the words of the API.
const always = ['document', 'statement'] as const

/** The kinds that a Brain has records of or declares. */
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

/** What a trigger looks at: kinds of the Brain to tick, others by their names, and everything where none is chosen. */
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
      <legend>What it looks at</legend>
      <p className="hint">
        {kinds.length === 0
          ? 'Nothing is ticked, so everything that happens in the Brain starts a run.'
          : 'Each record of these kinds that is written or deleted, what is stated about them, and their dates that come.'}
      </p>
      <div className="kind-choices">
        {listed.map((kind) => (
          <Checkbox
            key={kind}
            label={kind === 'document' ? 'every document' : kind === 'statement' ? 'every statement' : kind}
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
