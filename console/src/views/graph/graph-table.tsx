import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { describeHidden, type GraphNode, type Neighbourhood } from './neighbourhood.ts'

type GraphTableProps = {
  graph: Neighbourhood
  handle: string
  selected: string | undefined
  onSelect: (id: string | undefined) => void
  onOpen: (id: string) => void
}

/** The relations of each node in words: `ledBy Ada`. */
const listRelations = ({ nodes, edges }: Neighbourhood): Map<string, string[]> => {
  const relations = new Map<string, string[]>()
  const add = (id: string, words: string) => relations.set(id, [...(relations.get(id) ?? []), words])
  for (const { from, to, name } of edges.values()) {
    add(from, `${name} → ${nodes.get(to)?.name ?? to}`)
    if (from !== to) add(to, `← ${name} ${nodes.get(from)?.name ?? from}`)
  }
  return relations
}

/** The maximum number of relations in a row. */
const maxShown = 3

type RowProps = Omit<GraphTableProps, 'graph' | 'selected'> & {
  node: GraphNode
  relations: readonly string[]
  isSelected: boolean
}

const Row = ({ node, relations, isSelected, handle, onSelect, onOpen }: RowProps) => {
  const row = useRef<HTMLTableRowElement>(null)
  const hidden = describeHidden(node)
  useEffect(() => {
    if (isSelected) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isSelected])
  return (
    <tr ref={row} aria-selected={isSelected} className={isSelected ? 'is-selected' : undefined}>
      <th scope="row">
        <button
          type="button"
          className="link-button"
          aria-pressed={isSelected}
          onClick={() => onSelect(isSelected ? undefined : node.id)}
        >
          {node.name}
        </button>
      </th>
      <td>{node.isMissing ? <span className="muted">no record has it</span> : node.kind}</td>
      <td className="wide">
        {relations.slice(0, maxShown).join(', ')}
        {relations.length > maxShown && <span className="muted"> and {relations.length - maxShown} more</span>}
      </td>
      <td className="end">
        {hidden !== undefined && (
          <button type="button" className="button small" onClick={() => onOpen(node.id)}>
            {hidden}
          </button>
        )}{' '}
        {!node.isMissing && (
          <Link to="/brains/$handle/records/$id" params={{ handle, id: node.id }} aria-label={`Open ${node.name}`}>
            Open
          </Link>
        )}
      </td>
    </tr>
  )
}

/** The same records as the picture, with the same selection, as a table. */
export const GraphTable = ({ graph, selected, ...rest }: GraphTableProps) => {
  const relations = useMemo(() => listRelations(graph), [graph])
  return (
    <div className="graph-table">
      <table className="dense">
        <thead>
          <tr>
            <th scope="col">Record</th>
            <th scope="col">Kind</th>
            <th scope="col" className="wide">
              Relations
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {[...graph.nodes.values()].map((node) => (
            <Row
              key={node.id}
              node={node}
              relations={relations.get(node.id) ?? []}
              isSelected={node.id === selected}
              {...rest}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}
