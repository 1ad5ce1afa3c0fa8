import '../../styles/inline-inputs.css'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import '../../styles/graph.css'
import { later } from '../../components/later.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import type { Reading } from '../../data/neighbours.ts'
import { plural } from '../../plural.ts'
import { toColorIndex } from './color-index.ts'
import { GraphTable } from './graph-table.tsx'
import { countKinds, describeHidden, type GraphNode, type Neighbourhood, withoutKinds } from './neighbourhood.ts'
import { useNeighbourhood } from './use-neighbourhood.ts'

const GraphPicture = later(async () => (await import('./graph-picture.tsx')).GraphPicture)

type KindsProps = { graph: Neighbourhood; hidden: ReadonlySet<string>; onToggle: (kind: string) => void }

/** The legend of the colors, and the choice of shown kinds. */
const Kinds = ({ graph, hidden, onToggle }: KindsProps) => {
  const kinds = countKinds(graph).filter(({ kind }) => kind !== '')
  const order = kinds.map(({ kind }) => kind).sort()
  return (
    <fieldset className="graph-kinds">
      <legend className="off-screen">Shown kinds</legend>
      {kinds.map(({ kind, count }) => (
        <label key={kind} className="graph-kind">
          <input type="checkbox" checked={!hidden.has(kind)} onChange={() => onToggle(kind)} />
          <span className="graph-dot" data-kind={toColorIndex(order, kind)} aria-hidden="true" />
          {kind} <span className="muted">{count}</span>
        </label>
      ))}
    </fieldset>
  )
}

type SelectedProps = { node: GraphNode; handle: string; onOpen: (id: string) => void }

/** The selected node: its name, its hidden neighbors, and a link to its page. */
const Selected = ({ node, handle, onOpen }: SelectedProps) => {
  const hidden = describeHidden(node)
  return (
    <div className="graph-selected" role="status">
      <strong>{node.name}</strong>
      <span className="muted">{node.isMissing ? 'record not found' : node.kind}</span>
      {!node.isMissing && (
        <>
          <Link className="button small" to="/brains/$handle/records/$id" params={{ handle, id: node.id }}>
            Open record
          </Link>
          <Link className="button small" to="/brains/$handle/graph" params={{ handle }} search={{ seed: node.id }}>
            Start here
          </Link>
        </>
      )}
      {hidden !== undefined && (
        <button type="button" className="button small" onClick={() => onOpen(node.id)}>
          Show {hidden.startsWith('+') ? hidden.slice(1) : 'more'}
        </button>
      )}
    </div>
  )
}

export type GraphViewProps = {
  handle: string
  seeds: readonly string[]
  /** The graph starts with these in place of the neighbors of seeds. */
  start?: Reading
  depth: number
  asOf?: number | undefined
  /** Next to a page about something else: without the table. */
  isSmall?: boolean
}

/** The records around others, as a picture and as a table with one selection. */
export const GraphView = ({ handle, seeds, start, depth, asOf, isSmall = false }: GraphViewProps) => {
  const { graph, isGrowing, error, open } = useNeighbourhood({ handle, seeds, start, depth, asOf })
  const [hiddenKinds, setHiddenKinds] = useState<ReadonlySet<string>>(new Set())
  const [selected, setSelected] = useState<string | undefined>(undefined)
  const [isPossible, setPossible] = useState(true)
  const kinds = useMemo(
    () =>
      countKinds(graph)
        .map(({ kind }) => kind)
        .filter(Boolean)
        .sort(),
    [graph],
  )
  const shown = useMemo(() => withoutKinds(graph, hiddenKinds), [graph, hiddenKinds])
  const toggle = (kind: string) =>
    setHiddenKinds((before) =>
      before.has(kind) ? new Set([...before].filter((one) => one !== kind)) : new Set([...before, kind]),
    )
  const selectAndGrow = (id: string | undefined) => {
    setSelected(id)
    const chosen = id === undefined ? undefined : graph.nodes.get(id)
    if (chosen && describeHidden(chosen) !== undefined) void open(chosen.id)
  }
  const node = selected === undefined ? undefined : graph.nodes.get(selected)
  return (
    <section className={isSmall ? 'graph small-graph' : 'graph'} aria-label="Graph" aria-busy={isGrowing}>
      <div className="graph-bar">
        <Kinds graph={graph} hidden={hiddenKinds} onToggle={toggle} />
        <span className="muted graph-count">
          {plural(shown.nodes.size, 'record')}, {plural(shown.edges.size, 'relation')}
          {isGrowing && ', loading more'}
        </span>
      </div>
      {error !== undefined && <FailureNotice error={error} />}
      {node && <Selected node={node} handle={handle} onOpen={open} />}
      {isPossible ? (
        <GraphPicture
          scene={{ graph: shown, kinds, selected }}
          onSelect={selectAndGrow}
          onOpen={open}
          onImpossible={() => setPossible(false)}
          meanwhile={<div className="graph-canvas" />}
        />
      ) : (
        <p className="notice">
          This browser cannot draw graphs because it has no WebGL. The table has the same records.
        </p>
      )}
      {(!isSmall || !isPossible) && (
        <GraphTable graph={shown} handle={handle} selected={selected} onSelect={setSelected} onOpen={open} />
      )}
    </section>
  )
}
