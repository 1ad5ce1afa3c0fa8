import { Link } from '@tanstack/react-router'
import type { ChangeItem } from '../../data/changes.ts'

type Finding = NonNullable<ChangeItem['findings']>[number]

const FindingLine = ({ handle, finding }: { handle: string; finding: Finding }) => {
  const { path, credential, statement, item } = finding
  if (statement !== undefined)
    return (
      <>
        Contradicts{' '}
        <Link to="/brains/$handle/statements/$id" params={{ handle, id: statement }}>
          another statement
        </Link>{' '}
        with the same subject and predicate.
      </>
    )
  if (item !== undefined)
    return (
      <>
        Says nearly the same as{' '}
        <Link
          to={`/brains/$handle/${item.type === 'record' ? 'records' : 'documents'}/$id`}
          params={{ handle, id: item.id }}
        >
          another {item.type}
        </Link>
        .
      </>
    )
  return (
    <>
      {path === undefined ? 'It' : <code>{path}</code>} has what looks like a credential
      {credential && ` (${credential.replaceAll('_', ' ')})`}.
    </>
  )
}

/** The subjects of the warnings about an item: the field with a credential, the statement that says otherwise. */
export const Findings = ({ handle, item }: { handle: string; item: ChangeItem }) => {
  const { findings = [] } = item
  if (findings.length === 0) return null
  return (
    <div className="evidence">
      <h4>Check</h4>
      {findings.map((finding) => (
        <p key={JSON.stringify(finding)}>
          <FindingLine handle={handle} finding={finding} />
        </p>
      ))}
    </div>
  )
}
