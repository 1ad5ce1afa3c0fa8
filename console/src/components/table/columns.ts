import { type ColumnDef, rowSelectionFeature, tableFeatures } from '@tanstack/react-table'
import type { ReactNode } from 'react'

/** A column of a table: its title, and its cell of a row. */
export type Column<Row> = {
  key: string
  title: string
  cell: (row: Row) => ReactNode
  /** The value that the rows of a whole list are sorted by. Columns without one do not sort. */
  sort?: (row: Row) => string | number | null | undefined
  /** In pixels. Columns without a width share the remaining space. */
  width?: number
  align?: 'end'
  /** Hidden on narrow screens. */
  isWide?: true
}

type Layout = Pick<Column<never>, 'width' | 'align' | 'isWide'>

export const features = tableFeatures({ rowSelectionFeature, columnMeta: {} as Layout })
export type Features = typeof features

export const toColumnDefs = <Row extends object>(columns: readonly Column<Row>[]): ColumnDef<Features, Row>[] =>
  columns.map(({ key, title, cell, sort: _, ...layout }) => ({
    id: key,
    header: title,
    cell: ({ row }) => cell(row.original),
    meta: layout,
  }))
