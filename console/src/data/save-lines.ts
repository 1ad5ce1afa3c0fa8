import { toSize } from '@noema/contracts/sizes.ts'
import { baseUrl } from '../base-path.ts'
import type { Work } from '../session/works.ts'

// Saves an export, which is a stream of lines, as a file. The page reads the stream itself: the request needs a header for its
// organization, and a truncated file must not look complete.

type Export = {
  path: string
  organizationId: string
  fileName: string
  /** The beginning of the last line, such as `{"end"`. */
  ending: string
  signal: AbortSignal
  report: (progress: Pick<Work, 'text'>) => void
}

/** More than the length of a last line. */
const tailBytes = 4096

const readFailure = async (response: Response): Promise<Error> => {
  const body: unknown = await response.json().catch(() => undefined)
  const message = Object(Object(body).error).message
  return new Error(typeof message === 'string' ? message : `The service responded with ${response.status}.`)
}

const readLastLine = async (parts: readonly BlobPart[]): Promise<string> => {
  const whole = new Blob([...parts])
  const tail = await whole.slice(Math.max(0, whole.size - tailBytes)).text()
  return tail.trimEnd().split('\n').at(-1) ?? ''
}

/** Downloads a text as a file. */
export const keepFile = (parts: readonly BlobPart[], fileName: string) => {
  const url = URL.createObjectURL(new Blob([...parts], { type: 'application/x-ndjson' }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  URL.revokeObjectURL(url)
}

/** Reads an export to its end and saves it as a file. Throws if it is truncated. */
export const saveLines = async ({ path, organizationId, fileName, ending, signal, report }: Export): Promise<void> => {
  const headers = { accept: 'application/x-ndjson', 'x-organization-id': organizationId }
  const response = await fetch(baseUrl + path, { headers, signal })
  if (!response.ok || !response.body) throw await readFailure(response)
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = response.body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parts.push(read.value)
    bytes += read.value.length
    report({ text: toSize(bytes) })
  }
  if (!(await readLastLine(parts)).startsWith(ending))
    throw new Error('The service stopped during the export, so no file was saved. Try again.')
  keepFile(parts, fileName)
  report({ text: `${fileName}, ${toSize(bytes)}` })
}
