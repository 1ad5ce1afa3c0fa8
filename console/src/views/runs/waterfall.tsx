import type { Operation } from '@noema/contracts/activity.ts'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { Status } from '../../components/badge.tsx'
import { toDuration } from '../../items/duration.ts'
import type { OperationRow, Timeline } from './timeline.ts'

const rowHeight = 28
/** A bar that is wide enough to see and press, even for a short operation. */
const minBar = 0.004

const words: Readonly<Record<Operation['type'], string>> = {
  llm_call: 'model',
  tool_call: 'tool',
  system_action: 'service',
}

const toLength = ({ latencyMs, createdAt, completedAt }: Operation): string => {
  if (latencyMs !== undefined) return toDuration(latencyMs)
  return completedAt === undefined ? 'running' : toDuration(Date.parse(completedAt) - Date.parse(createdAt))
}

const Bar = ({ row: { operation, start, length } }: { row: OperationRow }) => (
  <span className="waterfall-track">
    <span
      className="waterfall-bar"
      data-type={operation.type}
      data-status={operation.status}
      style={{ left: `${Math.min(start, 1 - minBar) * 100}%`, width: `${Math.max(length, minBar) * 100}%` }}
    />
  </span>
)

type LineProps = { row: OperationRow; isOpen: boolean; onOpen: (id: string) => void }

const Line = ({ row, isOpen, onOpen }: LineProps) => {
  const { operation } = row
  return (
    <button type="button" className="waterfall-line" aria-pressed={isOpen} onClick={() => onOpen(operation.id)}>
      <span className="waterfall-name" title={operation.name}>
        <span className="waterfall-type" data-type={operation.type}>
          {words[operation.type]}
        </span>
        {operation.name}
      </span>
      <Bar row={row} />
      <span className="waterfall-status">
        {operation.status === 'succeeded' ? toLength(operation) : <Status state={operation.status} />}
      </span>
    </button>
  )
}

type WaterfallProps = { timeline: Timeline; openId: string | undefined; onOpen: (id: string) => void }

/** The timeline of a run, grouped by steps. Only rows in view are drawn. */
export const Waterfall = ({ timeline: { rows }, openId, onOpen }: WaterfallProps) => {
  const box = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section ref={box} className="waterfall" aria-label="Operations over time" tabIndex={0}>
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (!row) return null
          return (
            <div
              key={row.id}
              className="waterfall-row"
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            >
              {row.kind === 'step' ? (
                <p className="waterfall-step">
                  Step {row.step} <span className="muted">{row.count}</span>
                </p>
              ) : (
                <Line row={row} isOpen={row.operation.id === openId} onOpen={onOpen} />
              )}
            </div>
          )
        })}
      </div>
    </section>
  )
}
