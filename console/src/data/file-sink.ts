import type { Sink } from './transfers.ts'

type SaveOptions = { suggestedName: string; types: { description: string; accept: Record<string, string[]> }[] }

declare global {
  interface Window {
    /** The file picker of browsers that let a page write to a chosen file, in secure contexts. */
    showSaveFilePicker?: (options: SaveOptions) => Promise<FileSystemFileHandle>
  }
}

const ndjson = 'application/x-ndjson'

/** Writes to the file as data arrives. The file gets its new content when it is closed; otherwise it stays unchanged. */
const openFile = async (handle: FileSystemFileHandle): Promise<Sink> => {
  const writable = await handle.createWritable()
  return {
    // The chunks are never in shared memory.
    write: (bytes) => writable.write(new Uint8Array(bytes)),
    close: () => writable.close(),
    abandon: () => writable.abort(),
  }
}

/** This much is collected before it goes to the browser, which may store it on disk. */
const gatheredBytes = 8 * 1024 * 1024

/** Downloads bytes that the page has. */
export const saveBlob = (blob: Blob, name: string): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  // The browser has started to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Collects the data and downloads it at the end. */
const openDownload = (name: string): Sink => {
  let parts: BlobPart[] = []
  let gathered = 0
  return {
    write: async (bytes) => {
      parts.push(new Uint8Array(bytes))
      gathered += bytes.length
      if (gathered < gatheredBytes) return
      parts = [new Blob(parts)]
      gathered = 0
    },
    close: async () => saveBlob(new Blob(parts, { type: ndjson }), name),
    abandon: async () => {
      parts = []
    },
  }
}

/** Asks for the target file of an export if the browser can; otherwise it becomes a download. Undefined if the person cancels. */
export const chooseSink = async (name: string): Promise<Sink | undefined> => {
  if (!window.showSaveFilePicker) return openDownload(name)
  try {
    const types = [{ description: 'Export of a Brain', accept: { [ndjson]: ['.ndjson'] } }]
    return await openFile(await window.showSaveFilePicker({ suggestedName: name, types }))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    return openDownload(name)
  }
}
