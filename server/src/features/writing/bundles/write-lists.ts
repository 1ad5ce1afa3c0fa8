import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { LoggedChange } from './queries.ts'
import { schemaPath } from './schema-file.ts'
import type { ConceptFile } from './write-concepts.ts'
import { toPlain } from './write-notes.ts'

// The lists of a bundle: one of its folders, one of the files of each, and the latest changes.

/** So many files are listed in all; of further ones, the lists say the number. */
const maxListed = 20_000

/** The time of files that have none of their own. */
export const epoch = '1970-01-01T00:00:00.000Z'

const toFile = (path: string, text: string): ConceptFile => ({ path, text, at: epoch, title: path })

type Folder = { lines: string[]; more: number }

/** Gathers the lists while files are made. */
export const createLists = ({ name, handle, purpose }: Pick<BrainRow, 'name' | 'handle' | 'purpose'>) => {
  const folders = new Map<string, Folder>()
  let listed = 0
  let hasSchema = false
  return {
    add: ({ path, title }: ConceptFile): void => {
      if (path === schemaPath) {
        hasSchema = true
        return
      }
      const [folder = ''] = path.split('/')
      const known = folders.get(folder) ?? { lines: [], more: 0 }
      folders.set(folder, known)
      listed++
      if (listed > maxListed) known.more++
      else known.lines.push(`* [${toPlain(title)}](${path.slice(folder.length + 1).replaceAll(' ', '%20')})\n`)
    },
    write: function* (): Generator<ConceptFile> {
      const lines = hasSchema ? [`* [Schema](${schemaPath})\n`] : []
      for (const [folder, { lines: own, more }] of folders) {
        const rest = more > 0 ? `\nAnd ${more} more.\n` : ''
        yield toFile(`${folder}/index.md`, `# ${toPlain(folder)}\n\n${own.join('')}${rest}`)
        const count = own.length + more
        lines.push(`* [${toPlain(folder)}](${folder}/) - ${count} ${count === 1 ? 'file' : 'files'}\n`)
      }
      const about = purpose === null ? '' : `${toPlain(purpose)}\n\n`
      yield toFile(
        'index.md',
        `---\nokf_version: "0.2"\n---\n# ${toPlain(name ?? handle)}\n\n${about}${lines.join('')}`,
      )
    },
  }
}

/** The latest changes by day, newest first. */
export const writeLog = (changes: readonly LoggedChange[]): ConceptFile => {
  let day = ''
  const lines = changes.map(({ id, at, reason, items }) => {
    const heading = at === day ? '' : `\n## ${at}\n`
    day = at
    const count = `${items} ${items === 1 ? 'item' : 'items'}`
    return `${heading}* **Update**: ${count}${reason === null ? '' : `, ${toPlain(reason)}`} (${id})\n`
  })
  return toFile('log.md', `# Changes\n${lines.join('')}`)
}
