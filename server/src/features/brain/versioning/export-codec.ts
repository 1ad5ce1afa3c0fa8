import type { NewEvent } from '@noema/contracts/events.ts'
import type { RawBuilder } from 'kysely'
import type { z } from 'zod'
import type { SelectLines } from './export-pages.ts'
import type { Content, Version } from './types.ts'
import type { VersionTable } from './version-store.ts'

/**
 * What a line of an import is: a row of the Brain, whether only history has it, the event that it is told by where it is
 * current, its place in time.
 */
export type Loaded<Row> = { row: Row; isPast: boolean; event?: NewEvent; states: readonly number[] }

/** One sort of lines in an export: how they are selected, and how they become rows again. */
export type ExportCodec<Row = unknown> = {
  name: 'schema' | 'change' | 'record' | 'statement' | 'document' | 'date'
  select: SelectLines
  /** Whether an export without history has none of these. */
  isHistory: boolean
  line: z.ZodType
  /** Makes the row of a line that has the codec's shape. Throws where the line contradicts itself. */
  load(line: unknown): Loaded<Row>
  insert(brainId: number, rows: readonly Row[]): RawBuilder<unknown> | RawBuilder<unknown>[]
}

type Definition<Line extends z.ZodType, Row> = Omit<ExportCodec<Row>, 'line' | 'load'> & {
  line: Line
  load(line: z.output<Line>): Loaded<Row>
}

/** Declares a codec. Its rows are its own affair: whoever loads it hands them from `load` to `insert`. */
export const defineExportCodec = <Line extends z.ZodType, Row>(codec: Definition<Line, Row>): ExportCodec =>
  codec as unknown as ExportCodec

/** What a line tells of the end of a version. */
type Ended = { stateVersion: number; at: string; change: string }

/** The version that a line tells of. */
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
  /** Makes the version of a line. Throws where the line contradicts itself. */
  read(line: z.output<Line>): New
  /** How the stream tells of a version that is current. */
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
