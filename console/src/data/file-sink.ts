import type { Sink } from './transfers.ts'

type SaveOptions = { suggestedName: string; types: { description: string; accept: Record<string, string[]> }[] }

declare global {
  interface Window {
    /** Where the browser lets a page write to a file that was chosen: in secure contexts of some. */
    showSaveFilePicker?: (options: SaveOptions) => Promise<FileSystemFileHandle>
  }
}

const ndjson = 'application/x-ndjson'

/** Writes to the file as it comes. The file gets what was written when it is closed, and keeps what it held otherwise. */
const openFile = async (handle: FileSystemFileHandle): Promise<Sink> => {
  const writable = await handle.createWritable()
  return {
    // What passes is never of shared memory.
    write: (bytes) => writable.write(new Uint8Array(bytes)),
    close: () => writable.close(),
    abandon: () => writable.abort(),
  }
}

/** How much is gathered before the browser takes it, which may keep it on disk. */
const gatheredBytes = 8 * 1024 * 1024

/** Gathers what comes, and hands it over as a download at the end. */
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
    close: async () => {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob(parts, { type: ndjson }))
      link.download = name
      link.click()
      // The browser has begun to read it by then.
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
    },
    abandon: async () => {
      parts = []
    },
  }
}

/** Asks where an export is to go, where the browser can ask; otherwise it becomes a download. Undefined where nobody wants it. */
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
