import { useEffect, useRef } from 'react'
import { type Canvas, createCanvas, type Events, type Scene } from './canvas.ts'

type GraphPictureProps = Events & { scene: Scene; onImpossible: () => void }

const zooms = [
  ['in', 'Zoom in', '+'],
  ['out', 'Zoom out', '−'],
  ['all', 'Show all', '○'],
] as const

/** The picture of a graph. Screen readers read the table instead, which has the same content. */
export const GraphPicture = ({ scene, onSelect, onOpen, onImpossible }: GraphPictureProps) => {
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<Canvas | undefined>(undefined)
  const events = useRef({ onSelect, onOpen, onImpossible })
  events.current = { onSelect, onOpen, onImpossible }

  useEffect(() => {
    if (!box.current) return
    try {
      canvas.current = createCanvas(box.current, {
        onSelect: (id) => events.current.onSelect(id),
        onOpen: (id) => events.current.onOpen(id),
      })
    } catch {
      events.current.onImpossible()
    }
    return () => {
      canvas.current?.close()
      canvas.current = undefined
    }
  }, [])

  useEffect(() => canvas.current?.show(scene), [scene])

  const { size: records } = scene.graph.nodes
  return (
    <div className="graph-frame">
      <div
        ref={box}
        className="graph-canvas"
        role="img"
        aria-label={`A graph of ${records} records. The table has the same content.`}
      />
      <div className="graph-zoom">
        {zooms.map(([by, words, sign]) => (
          <button
            key={by}
            type="button"
            className="icon-button"
            aria-label={words}
            title={words}
            onClick={() => canvas.current?.zoom(by)}
          >
            <span aria-hidden="true">{sign}</span>
          </button>
        ))}
      </div>
    </div>
  )
}
