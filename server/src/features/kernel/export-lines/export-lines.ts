import type { NewEvent } from '@noema/contracts/events.ts'
import type { z } from 'zod'
import type { Statement } from '../../../storage/statements.ts'
import type { SelectLines } from './types.ts'

/**
 * A line of an import: a row of the Brain, whether it is only history, the event that reports it if it is current, and its
 * states.
 */
export type Loaded<Row> = { row: Row; isPast: boolean; event?: NewEvent; states: readonly number[] }

/** One sort of lines in an export: how they are selected, and how they become rows again. */
export type ExportCodec<Row = unknown> = {
  name: 'schema' | 'change' | 'record' | 'statement' | 'document' | 'date'
  select: SelectLines
  /** True if an export without history has none of these. */
  isHistory: boolean
  line: z.ZodType
  /** Makes the row of a line that has the codec's shape. Throws where the line contradicts itself. */
  load(line: unknown): Loaded<Row>
  insert(brainId: number, rows: readonly Row[]): Statement | Statement[]
}

type Definition<Line extends z.ZodType, Row> = Omit<ExportCodec<Row>, 'line' | 'load'> & {
  line: Line
  load(line: z.output<Line>): Loaded<Row>
}

/** Declares a codec. Its rows are opaque: the importer passes them from `load` to `insert`. */
export const defineExportCodec = <Line extends z.ZodType, Row>(codec: Definition<Line, Row>): ExportCodec =>
  codec as unknown as ExportCodec
