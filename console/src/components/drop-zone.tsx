import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from './button.tsx'
import '../styles/documents.css'

const types = '.md,.markdown,.txt,.csv,.json,.html,text/*'

type DropZoneProps = {
  label: string
  hint: string
  onFiles: (files: readonly File[]) => void
  /** Whole folders rather than single files. */
  isFolder?: boolean
  /** The file types that the file picker offers; text by default. */
  accept?: string
  isSingle?: boolean
  isDisabled?: boolean
  children?: ReactNode
}

/** An area to drop files on, with a button to choose them. */
export const DropZone = (props: DropZoneProps) => {
  const {
    label,
    hint,
    onFiles,
    isFolder = false,
    accept = types,
    isSingle = false,
    isDisabled = false,
    children,
  } = props
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const give = (files: FileList | null) => {
    if (files && files.length > 0 && !isDisabled) onFiles([...files].slice(0, isSingle ? 1 : undefined))
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    give(event.dataTransfer.files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: people who cannot drag use the button
    <div
      className="drop-zone"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Button size="small" disabled={isDisabled} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <span className="muted">{hint}</span>
      {children}
      <input
        ref={(element) => {
          input.current = element
          element?.toggleAttribute('webkitdirectory', isFolder)
        }}
        type="file"
        multiple={!isSingle}
        disabled={isDisabled}
        accept={isFolder ? undefined : accept}
        className="off-screen"
        tabIndex={-1}
        aria-label={label}
        onChange={({ target }) => {
          give(target.files)
          target.value = ''
        }}
      />
    </div>
  )
}
