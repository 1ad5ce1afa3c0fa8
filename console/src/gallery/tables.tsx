import { useState } from 'react'
import { Status } from '../components/badge.tsx'
import { Empty } from '../components/empty.tsx'
import { FieldDiff } from '../components/field-diff.tsx'
import { Json } from '../components/json.tsx'
import { Panel } from '../components/panel.tsx'
import type { Column } from '../components/table/columns.ts'
import { DataTable } from '../components/table/data-table.tsx'
import { TextDiff } from '../components/text-diff.tsx'
import { toAmount } from '../plural.ts'

type Row = { id: string; name: string; state: string; size: number }

/** A realistic maximum for a Brain. */
const many = 100_000
const states = ['active', 'pending', 'failed']

const rows: readonly Row[] = Array.from({ length: many }, (_, index) => ({
  id: `rec_${index}`,
  name: `Record ${index}`,
  state: states[index % states.length] ?? '',
  size: index * 7,
}))

/** Marks each render of a row, for measurements. */
const drawName = ({ name }: Row): string => {
  performance.mark('row drawn')
  return name
}

const columns: readonly Column<Row>[] = [
  { key: 'name', title: 'Name', cell: drawName },
  { key: 'state', title: 'State', width: 120, cell: ({ state }) => <Status state={state} /> },
  { key: 'size', title: 'Size', width: 110, align: 'end', isWide: true, cell: ({ size }) => toAmount(size) },
]

const toId = ({ id }: Row) => id

/** Tables, and components that show values and their changes. */
export const Tables = () => {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const [openId, setOpenId] = useState<string>()
  const empty = <Empty title="No records" />
  return (
    <>
      <Panel title="A hundred thousand rows" isFlush>
        <DataTable
          label="Records"
          columns={columns}
          rows={rows}
          toId={toId}
          empty={empty}
          ticked={ticked}
          onTick={setTicked}
          openId={openId}
          onOpen={({ id }) => setOpenId(id === openId ? undefined : id)}
          renderOpen={(row) => <Json value={row} label="The record" />}
          height={320}
        />
      </Panel>
      <Panel title="Awaited" isFlush>
        <DataTable label="Awaited records" columns={columns} rows={undefined} toId={toId} empty={empty} />
      </Panel>
      <div className="columns">
        <Panel title="Fields before and after" isFlush>
          <FieldDiff
            before={{ name: 'Ada', age: 36, city: 'London' }}
            after={{ name: 'Ada Lovelace', age: 36, born: '1815-12-10' }}
            ticked={new Set(['name'])}
            onTick={() => {}}
          />
        </Panel>
        <Panel title="A text before and after">
          <TextDiff before="Releases go out on Tuesdays." after="Releases go out on Thursdays, at noon." />
        </Panel>
      </div>
    </>
  )
}
