import type { Operation } from '@noema/contracts/activity.ts'
import type { Agent } from '@noema/contracts/agents.ts'
import { isObject } from '@noema/contracts/json.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Status } from '../../components/badge.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Drawer } from '../../components/dialog.tsx'
import { Json, TextBlock } from '../../components/json.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { Notice } from '../../components/notice.tsx'
import { Time } from '../../components/time.tsx'
import { toCost, toDuration } from '../../items/duration.ts'
import { toAmount } from '../../plural.ts'

/** Longer contents are cut: the page stays usable, and the API has the rest. */
const maxShown = 20_000

const readText = (content: unknown, name: string): string | undefined => {
  const value = isObject(content) ? content[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The Brain of a call: the one in its arguments, or the agent's only one. */
const findHandle = (operation: Operation, brains: Agent['brains']): string | undefined =>
  readText(operation.input, 'brain') ?? (brains.length === 1 ? brains[0]?.handle : undefined)

const Content = ({ label, value }: { label: string; value: unknown }) => {
  if (value === undefined) return null
  const text = JSON.stringify(value, null, 2)
  if (text.length <= maxShown) return <Json label={label} value={value} depth={2} />
  return (
    <>
      <TextBlock label={label} text={`${text.slice(0, maxShown)}…`} wraps />
      <p className="muted">
        Cut after {toAmount(maxShown)} characters of {toAmount(text.length)}.
      </p>
    </>
  )
}

/** The traces of a call in a Brain: the receipt of a read, the change of a write. */
const Traces = ({ operation, brains }: { operation: Operation; brains: Agent['brains'] }) => {
  const handle = findHandle(operation, brains)
  const receipt = readText(operation.output, 'receipt')
  const change = readText(isObject(operation.output) ? operation.output.change : undefined, 'id')
  if (handle === undefined || (receipt === undefined && change === undefined)) return null
  return (
    <p className="actions">
      {receipt !== undefined && (
        <Link to="/brains/$handle/receipts/$id" params={{ handle, id: receipt }}>
          Receipt of the read
        </Link>
      )}
      {change !== undefined && (
        <Link to="/brains/$handle/changes/$id" params={{ handle, id: change }}>
          Change of the write
        </Link>
      )}
    </p>
  )
}

const toFacts = (operation: Operation): (readonly [string, ReactNode])[] => {
  const { latencyMs, inputTokens, outputTokens, costCents, attemptNumber } = operation
  return [
    ['State', <Status key="state" state={operation.status} />],
    ['Began', <Time key="began" iso={operation.createdAt} />],
    ...(latencyMs === undefined ? [] : [['Took', toDuration(latencyMs)] as const]),
    ...(operation.type === 'llm_call' && operation.model !== undefined ? [['Model', operation.model] as const] : []),
    ...(operation.type === 'tool_call'
      ? [['Tool', `${operation.toolName} of ${operation.toolSourceId}`] as const]
      : []),
    ...(inputTokens === undefined
      ? []
      : [['Tokens', `${toAmount(inputTokens)} in, ${toAmount(outputTokens ?? 0)} out`] as const]),
    ...(costCents === undefined ? [] : [['Cost', toCost(costCents)] as const]),
    ...((attemptNumber ?? 1) > 1 ? [['Attempt', String(attemptNumber)] as const] : []),
    ['Id', <CopyId key="id" id={operation.id} />],
  ]
}

type DetailProps = { operation: Operation | undefined; brains: Agent['brains']; onClose: () => void }

/** All details of one operation, next to the page. */
export const OperationDetail = ({ operation, brains, onClose }: DetailProps) => (
  <Drawer isOpen={operation !== undefined} title={operation?.name ?? ''} onClose={onClose}>
    {operation && (
      <div className="stack">
        {operation.error && (
          <Notice tone="danger" title="It failed">
            <p>{operation.error}</p>
          </Notice>
        )}
        <KeyValues items={toFacts(operation)} />
        <Traces operation={operation} brains={brains} />
        <Content label="Input" value={operation.input} />
        <Content label="Output" value={operation.output} />
      </div>
    )}
  </Drawer>
)
