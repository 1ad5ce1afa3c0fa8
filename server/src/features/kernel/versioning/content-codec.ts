import type { NewEvent } from '@noema/contracts/events.ts'
import type { z } from 'zod'
import { defineExportCodec, type ExportCodec } from '../export-lines/export-lines.ts'
import type { Content, Version, VersionTable } from './types.ts'

/** The end of a version in a line. */
type Ended = { stateVersion: number; at: string; change: string }

/** The version of a line. */
export const toVersion = <Item extends Content>(
  content: Item,
  version: number,
  ended: Ended | undefined,
  isGone = false,
): Version<Item> => ({
  ...{ id: content.id, version, fromState: content.stateVersion, content, isGone },
  toState: ended?.stateVersion ?? null,
  endedAt: ended?.at ?? null,
  endedChange: ended?.change ?? null,
})

type ContentCodec<Line extends z.ZodType, New> = {
  line: Line
  /** Makes the version of a line. Throws if the line contradicts itself. */
  read(line: z.output<Line>): New
  /** The event of a current version. */
  toEvent(version: New): NewEvent
}

/** Declares the codec of a kind of content. */
export const defineContentCodec = <Line extends z.ZodType, Row extends Version, New extends Row>(
  table: VersionTable<Row, New>,
  { line, read, toEvent }: ContentCodec<Line, New>,
): ExportCodec =>
  defineExportCodec({
    ...{ name: table.type, select: table.selectLines, isHistory: false, line },
    load: (given) => {
      const row = read(given)
      const { fromState, toState } = row
      if (toState !== null) return { row, states: [fromState, toState], isPast: true }
      return { row, states: [fromState], isPast: false, event: toEvent(row) }
    },
    insert: (brainId, rows: readonly New[]) => table.rows.insert(brainId, rows),
  })
